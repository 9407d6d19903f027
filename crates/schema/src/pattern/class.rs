//! Translates the character classes of patterns, such as `[a-z\d]`.

use super::escape::{Escape, escape};
use super::translate::{PatternChars, push_literal};

enum ClassItem {
    Character(char),
    Class(&'static str),
}

/// Translates a character class to the syntax of the `regex` crate. `source` is positioned after `[`, and the closing
/// `]` is consumed.
pub(super) fn class(source: &mut PatternChars<'_>, result: &mut String) -> Result<(), String> {
    result.push('[');
    if source.next_if_eq(&'^').is_some() {
        result.push('^');
    }
    if source.peek() == Some(&']') {
        return Err(r"an empty class is not supported; escape a literal ] with a backslash".to_owned());
    }
    loop {
        let first = match item(source)? {
            None => break,
            Some(ClassItem::Class(class)) => {
                result.push_str(class);
                if source.peek() == Some(&'-') && !is_last_hyphen(source) {
                    return Err(r"a range cannot start with a class; write the - last".to_owned());
                }
                continue;
            }
            Some(ClassItem::Character(first)) => first,
        };
        push_literal(result, first);
        if source.peek() != Some(&'-') || is_last_hyphen(source) {
            continue;
        }
        source.next();
        match item(source)? {
            Some(ClassItem::Character(last)) if first <= last => {
                result.push('-');
                push_literal(result, last);
            }
            _ => return Err("a range must go from a lower character to a higher one".to_owned()),
        }
    }
    result.push(']');
    Ok(())
}

/// Returns the next item of a character class, or `None` at the end of the class.
fn item(source: &mut PatternChars<'_>) -> Result<Option<ClassItem>, String> {
    match source.next() {
        None => Err("a [ is not closed".to_owned()),
        Some(']') => Ok(None),
        Some('\\') => Ok(Some(match escape(source)? {
            Escape::Character(character) => ClassItem::Character(character),
            Escape::Class(class) => ClassItem::Class(class),
            // In a class, `\b` is the backspace character.
            Escape::WordBoundary => ClassItem::Character('\u{8}'),
        })),
        Some(character) => Ok(Some(ClassItem::Character(character))),
    }
}

/// Returns `true` if the next hyphen is the last character of the class, and therefore a literal.
fn is_last_hyphen(source: &PatternChars<'_>) -> bool {
    source.clone().nth(1) == Some(']')
}
