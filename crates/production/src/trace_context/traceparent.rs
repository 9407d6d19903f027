//! Parses `traceparent` (W3C Trace Context, section 3.2).

/// A parsed `traceparent` header, with the trace, the caller's span, and the sampled flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Traceparent {
    pub(super) trace_id: [u8; 32],
    pub(super) span_id: [u8; 16],
    pub(super) is_sampled: bool,
}

impl Traceparent {
    /// Parses a `traceparent` header. Returns `None` if it is invalid. Versions after 00 may have further fields
    /// (section 4.3).
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let value = value.trim_ascii();
        let (version, rest) = field::<2>(value)?;
        let (trace_id, rest) = field::<32>(rest.strip_prefix(b"-")?)?;
        let (span_id, rest) = field::<16>(rest.strip_prefix(b"-")?)?;
        let (flags, rest) = field::<2>(rest.strip_prefix(b"-")?)?;
        let is_whole = rest.is_empty() || version != *b"00" && rest.starts_with(b"-");
        let is_zero = trace_id == [b'0'; 32] || span_id == [b'0'; 16];
        let [_, last] = flags;
        // As a character code, `a` is odd, but the digit 10 is even.
        let is_sampled = if last.is_ascii_digit() { last % 2 == 1 } else { last % 2 == 0 };
        (is_whole && !is_zero && version != *b"ff").then_some(Self { trace_id, span_id, is_sampled })
    }
}

/// Splits `N` lower-case hexadecimal digits from the start of a string. Returns the digits and the rest of the string.
/// Returns `None` if another byte occurs.
fn field<const N: usize>(text: &[u8]) -> Option<([u8; N], &[u8])> {
    let (digits, rest) = text.split_first_chunk::<N>()?;
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.iter().all(is_digit).then_some((*digits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests `traceparent` with the cases of the W3C test suite and further cases. Each case is named by its header.
    #[test]
    fn a_header_is_valid_or_not() {
        const TRACE: &str = "12345678901234567890123456789012";
        const SPAN: &str = "1234567890123456";
        for (header, expected) in [
            (format!("00-{TRACE}-{SPAN}-01"), true),
            (format!("00-{TRACE}-{SPAN}-00"), true),
            (format!("\t 00-{TRACE}-{SPAN}-01 \t"), true),
            (format!("cc-{TRACE}-{SPAN}-01"), true),
            (format!("cc-{TRACE}-{SPAN}-01-what-the-future-will-be-like"), true),
            (format!("cc-{TRACE}-{SPAN}-01-"), true),
            (format!("cc-{TRACE}-{SPAN}-01.what-the-future-will-be-like"), false),
            (format!("00-{TRACE}-{SPAN}-01."), false),
            (format!("00-{TRACE}-{SPAN}-01-"), false),
            (format!("00-{TRACE}-{SPAN}-01-what-the-future-will-be-like"), false),
            (format!("ff-{TRACE}-{SPAN}-01"), false),
            (format!(".0-{TRACE}-{SPAN}-01"), false),
            (format!("0.-{TRACE}-{SPAN}-01"), false),
            (format!("CC-{TRACE}-{SPAN}-01"), false),
            (format!("000-{TRACE}-{SPAN}-01"), false),
            (format!("0000-{TRACE}-{SPAN}-01"), false),
            (format!("0-{TRACE}-{SPAN}-01"), false),
            (format!("00-{}-{SPAN}-01", "0".repeat(32)), false),
            (format!("00-.2345678901234567890123456789012-{SPAN}-01"), false),
            (format!("00-1234567890123456789012345678901.-{SPAN}-01"), false),
            (format!("00-{}-{SPAN}-01", "A".repeat(32)), false),
            (format!("00-{TRACE}3-{SPAN}-01"), false),
            (format!("00-1234567890123456789012345678901-{SPAN}-01"), false),
            (format!("00-{TRACE}-0000000000000000-01"), false),
            (format!("00-{TRACE}-.234567890123456-01"), false),
            (format!("00-{TRACE}-123456789012345.-01"), false),
            (format!("00-{TRACE}-{SPAN}7-01"), false),
            (format!("00-{TRACE}-123456789012345-01"), false),
            (format!("00-{TRACE}-{SPAN}-.0"), false),
            (format!("00-{TRACE}-{SPAN}-0."), false),
            (format!("00-{TRACE}-{SPAN}-001"), false),
            (format!("00-{TRACE}-{SPAN}-1"), false),
            (format!("00-{TRACE}-{SPAN}"), false),
            (format!("00_{TRACE}_{SPAN}_01"), false),
            (String::new(), false),
            ("ä".repeat(28), false),
        ] {
            let parsed = Traceparent::parse(header.as_bytes());
            assert_eq!(parsed.is_some(), expected, "{header}");
            assert!(
                parsed.is_none_or(|parsed| parsed.trace_id == *TRACE.as_bytes() && parsed.span_id == *SPAN.as_bytes())
            );
        }
    }

    #[test]
    fn the_sampled_flag_is_the_last_bit() {
        for (flags, expected) in
            ["00", "01", "02", "03", "f8", "f9", "0a", "0b", "fe", "ff"].iter().zip([false, true].iter().cycle())
        {
            let header = format!("00-12345678901234567890123456789012-1234567890123456-{flags}");
            assert_eq!(
                Traceparent::parse(header.as_bytes()).map(|parsed| parsed.is_sampled),
                Some(*expected),
                "{flags}"
            );
        }
    }
}
