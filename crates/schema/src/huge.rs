//! Numbers that 64-bit floats do not hold, such as `1e400`.
//!
//! The JSON reader refuses them as if they were bad syntax, although they are good JSON. When it does, they are replaced by a large number that
//! it reads, of the same length, so that lines and columns of whatever else is wrong stay true; the walk then reports them where they stand.

/// Stands for a huge number. The body is refused in any case, so that one which holds this very number as well loses nothing.
pub(crate) const HUGE: f64 = 9e307;
const REPLACEMENT: &str = "9e307";
/// From here on, rounding may decide whether the reader takes a number.
const DOUBTFUL: f64 = 1.79e308;

/// The text with huge numbers replaced; none when it has none.
pub(crate) fn without_huge_numbers(text: &str) -> Option<String> {
    let mut result = String::new();
    let mut copied = 0;
    let mut position = 0;
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(position) {
        let length = match byte {
            b'"' => string_length(bytes.get(position..)?),
            b'-' | b'0'..=b'9' => {
                let length = bytes.get(position..)?.iter().take_while(|byte| is_number_byte(**byte)).count();
                if let Some(token) = text.get(position..position + length).filter(|token| is_huge(token)) {
                    let sign = if token.starts_with('-') { "-" } else { "" };
                    result.push_str(text.get(copied..position)?);
                    let padding = length.saturating_sub(sign.len() + REPLACEMENT.len());
                    result.push_str(sign);
                    result.push_str(REPLACEMENT);
                    result.extend(std::iter::repeat_n(' ', padding));
                    copied = position + length;
                }
                length
            }
            _ => 1,
        };
        position += length.max(1);
    }
    if copied == 0 {
        return None;
    }
    result.push_str(text.get(copied..)?);
    Some(result)
}

/// The length of the string that begins here, quotes included.
fn string_length(bytes: &[u8]) -> usize {
    let mut escaped = false;
    for (index, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    bytes.len()
}

fn is_number_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Whether it is a number of RFC 8259's grammar that floats do not hold.
fn is_huge(token: &str) -> bool {
    is_grammatical(token) && token.parse::<f64>().is_ok_and(|value| value.abs() >= DOUBTFUL)
}

fn is_grammatical(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(integer)
        && (integer == "0" || !integer.starts_with('0'))
        && fraction.is_none_or(are_digits)
        && exponent.is_none_or(are_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_numbers_are_replaced_in_place() {
        for (text, expected) in [
            ("1e400", Some("9e307")),
            ("[-1e400,2]", Some("[-9e307,2]")),
            (r#"{"a":"1e400","b":1.5E+999}"#, Some(r#"{"a":"1e400","b":9e307   }"#)),
            (r#"["\"1e400",1e309]"#, Some(r#"["\"1e400",9e307]"#)),
            (r#""1e400""#, None),
            ("[1, 2.5e10, 1e-400]", None),
            ("01e400", None),
            ("1.e400", None),
            ("1e400.5", None),
        ] {
            assert_eq!(without_huge_numbers(text).as_deref(), expected, "{text}");
        }
        let long = "1".repeat(400);
        assert_eq!(without_huge_numbers(&long).unwrap().len(), 400);
    }
}
