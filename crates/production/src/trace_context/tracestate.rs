//! Parses `tracestate` (W3C Trace Context, section 3.3), and joins repeated headers.

use http::HeaderValue;

/// The maximum number of list members in `tracestate`.
const MAX_MEMBERS: usize = 32;

/// The maximum size of a forwarded `tracestate` list in bytes (section 3.3.1.5).
const MAX_BYTES: usize = 512;
/// The maximum size of one list member in bytes, if the list exceeds [`MAX_BYTES`] (section 3.3.1.5).
const MAX_MEMBER_OF_MANY: usize = 128;

/// Joins all `tracestate` lines of a request into one list, which is sent to other services (section 3.3.1). Returns
/// `None` if it is empty or invalid.
///
/// If the list has more than 512 bytes, members of more than 128 bytes are removed first, then the last members.
pub(super) fn combine(lines: &[Vec<u8>]) -> Option<HeaderValue> {
    let mut members: Vec<&[u8]> = Vec::new();
    for member in lines.iter().flat_map(|line| line.split(|byte| *byte == b',')) {
        let member = member.trim_ascii();
        if member.is_empty() {
            continue;
        }
        let key = key(member)?;
        if members.len() == MAX_MEMBERS
            || members.iter().any(|known| known.starts_with(key) && known.get(key.len()) == Some(&b'='))
        {
            return None;
        }
        members.push(member);
    }
    let length = |members: &[&[u8]]| members.iter().map(|member| member.len() + 1).sum::<usize>().saturating_sub(1);
    if length(&members) > MAX_BYTES {
        members.retain(|member| member.len() <= MAX_MEMBER_OF_MANY);
    }
    while length(&members) > MAX_BYTES {
        members.pop();
    }
    if members.is_empty() {
        return None;
    }
    HeaderValue::from_bytes(&members.join(&b","[..])).ok()
}

/// Returns the key of a list member, or `None` if the member is invalid.
fn key(member: &[u8]) -> Option<&[u8]> {
    let end = member.iter().position(|byte| *byte == b'=')?;
    let (key, value) = (member.get(..end)?, member.get(end + 1..)?);
    let is_value = !value.is_empty()
        && value.len() <= 256
        && value.iter().all(|byte| matches!(byte, 0x20..=0x7e) && *byte != b'=');
    (is_value && is_key(key)).then_some(key)
}

/// Returns `true` if a `tracestate` key is valid. A key is a system, or a tenant and a system joined by `@`.
fn is_key(key: &[u8]) -> bool {
    let mut parts = key.splitn(2, |byte| *byte == b'@');
    match (parts.next(), parts.next()) {
        (Some(system), None) => is_identifier(system, 256, false),
        (Some(tenant), Some(system)) => is_identifier(tenant, 241, true) && is_identifier(system, 14, false),
        (None, _) => false,
    }
}

fn is_identifier(text: &[u8], longest: usize, may_begin_with_digit: bool) -> bool {
    let begins =
        text.first().is_some_and(|first| first.is_ascii_lowercase() || may_begin_with_digit && first.is_ascii_digit());
    let admitted = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-*/".contains(byte);
    begins && text.len() <= longest && text.iter().all(admitted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined(lines: &[&str]) -> Option<String> {
        let lines: Vec<_> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        combine(&lines).map(|value| value.to_str().unwrap().to_owned())
    }

    fn members(count: usize) -> String {
        (0..count).map(|number| format!("k{number}=v")).collect::<Vec<_>>().join(",")
    }

    /// Tests `tracestate` with the cases of the W3C test suite and further cases. Each case is named by its header.
    #[test]
    fn a_list_is_passed_on_or_dropped_whole() {
        let (all, value) = ("abcdefghijklmnopqrstuvwxyz0123456789_-*/", " !\"#$%&'()*+-./:;<>?@[\\]^_`{|}~");
        let kept = [
            (vec!["foo=1,bar=2"], "foo=1,bar=2".to_owned()),
            (vec!["foo=1", ""], "foo=1".to_owned()),
            (vec!["", "foo=1"], "foo=1".to_owned()),
            (vec!["foo=1,,bar=2,"], "foo=1,bar=2".to_owned()),
            (vec!["foo=1,bar=2", "rojo=1,congo=2", "baz=3"], "foo=1,bar=2,rojo=1,congo=2,baz=3".to_owned()),
            (vec!["\t foo=1 \t , \t bar=2,\t \tbaz=3\t"], "foo=1,bar=2,baz=3".to_owned()),
            (vec!["foo=a b"], "foo=a b".to_owned()),
        ];
        for (lines, expected) in kept {
            assert_eq!(combined(&lines), Some(expected), "{lines:?}");
        }
        for valid in [
            format!("{all}={value}"),
            format!("{all}@a-z0-9_-*/={value}"),
            format!("{}=1", "z".repeat(256)),
            format!("{}@{}=1", "t".repeat(241), "v".repeat(14)),
            format!("0foo@bar=1,foo@bar={}", "v".repeat(256)),
            members(32),
        ] {
            assert_eq!(combined(&[&valid]).as_ref(), Some(&valid));
        }
        for invalid in [
            "",
            " ",
            ",",
            "foo",
            "foo=",
            "=1",
            "foo=,bar=3",
            "foo=bar=baz",
            "foo =1",
            "FOO=1",
            "foo.bar=1",
            "0foo=1",
            "foo@=1,bar=2",
            "@foo=1,bar=2",
            "foo@@bar=1,bar=2",
            "foo@bar@baz=1,bar=2",
            "foo@0bar=1",
            "foo=1,foo=1",
            "foo=1,foo=2",
            "foo=\u{e4}",
            "foo=\u{1}",
        ] {
            assert_eq!(combined(&[invalid]), None, "{invalid:?}");
        }
        for invalid in [
            format!("{}=1", "z".repeat(257)),
            format!("{}@{}=1", "t".repeat(242), "v".repeat(14)),
            format!("{}@{}=1", "t".repeat(241), "v".repeat(15)),
            format!("foo={}", "v".repeat(257)),
            members(33),
        ] {
            assert_eq!(combined(&[&invalid]), None, "{invalid}");
        }
        assert_eq!(combined(&["foo=1", "foo=2"]), None);
        assert!(combined(&["foo=1", "foobar=2", "fo=3"]).is_some());
    }

    #[test]
    fn a_list_has_at_most_512_bytes() {
        let member = |key: char, length: usize| format!("{key}={}", "v".repeat(length - 2));
        let exact = [member('a', 256), member('b', 255)].join(",");
        assert_eq!((exact.len(), combined(&[&exact])), (512, Some(exact.clone())));
        // Large members are removed first, regardless of their position.
        let [large, small] = [member('a', 129), member('b', 128)];
        let others = ['c', 'd', 'e'].map(|key| member(key, 100)).join(",");
        assert_eq!(combined(&[&format!("{large},{small},{others}")]), Some(format!("{small},{others}")));
        // Then the last members are removed.
        let five = ['a', 'b', 'c', 'd', 'e'].map(|key| member(key, 128));
        assert_eq!(combined(&[&five.join(",")]), Some(five.get(..3).unwrap().join(",")));
        let two = [member('a', 258), member('b', 258)].join(",");
        assert_eq!(combined(&[&two]), None);
    }
}
