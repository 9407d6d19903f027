//! Defines [`NumberTokens`], an iterator over the numbers in a JSON text in their original notation.
//!
//! serde_json converts numbers to doubles. It rejects numbers beyond the range of doubles, such as `1e400`, as syntax
//! errors. This iterator finds these numbers in the text.

use crate::decimal::Decimal;

/// An iterator over the numbers in a JSON text, each with its position.
#[derive(Debug)]
pub(crate) struct NumberTokens<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> NumberTokens<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, position: 0 }
    }
}

impl<'t> Iterator for NumberTokens<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.text.as_bytes().get(self.position..)?;
            match rest.first()? {
                b'"' => self.position += string_length(rest),
                b'-' | b'0'..=b'9' => {
                    let start = self.position;
                    self.position += rest.iter().take_while(|byte| is_number_byte(**byte)).count();
                    return Some((start, self.text.get(start..self.position)?));
                }
                _ => self.position += 1,
            }
        }
    }
}

/// The replacement for a number beyond the range of doubles. Such a number has at least three characters.
const REPLACEMENT: &str = "0e0";

/// Replaces numbers beyond the range of doubles with text of the same length, so lines and columns stay correct.
/// Returns `None` if the text has no such number.
pub(crate) fn without_huge_numbers(text: &str) -> Option<String> {
    let mut result = String::new();
    let mut copied = 0;
    for (start, token) in NumberTokens::new(text).filter(|(_, token)| is_huge(token)) {
        result.push_str(text.get(copied..start)?);
        result.push_str(REPLACEMENT);
        result.extend(std::iter::repeat_n(' ', token.len().saturating_sub(REPLACEMENT.len())));
        copied = start + token.len();
    }
    if copied == 0 {
        return None;
    }
    result.push_str(text.get(copied..)?);
    Some(result)
}

/// Returns the length of the JSON string at the start of the bytes, including its quotes.
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

fn is_huge(token: &str) -> bool {
    Decimal::parse(token).is_some_and(|decimal| decimal.to_f64().is_infinite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_outside_of_strings() {
        let text = r#"{"a1":"2\"3","b":[-4.5e6,7],"c":{"8":09}}"#;
        assert_eq!(NumberTokens::new(text).map(|(_, token)| token).collect::<Vec<_>>(), ["-4.5e6", "7", "09"]);
    }

    #[test]
    fn huge_numbers_are_replaced_in_place() {
        for (text, expected) in [
            ("1e400", Some("0e0  ")),
            ("[-1e400,2]", Some("[0e0   ,2]")),
            (r#"{"a":"1e400","b":1.5E+999}"#, Some(r#"{"a":"1e400","b":0e0     }"#)),
            (r#"["\"1e400",1e309]"#, Some(r#"["\"1e400",0e0  ]"#)),
            (r#"[1.7976931348623157e308,1e400]"#, Some(r#"[1.7976931348623157e308,0e0  ]"#)),
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
