//! Translates a pattern from a subset of ECMA-262 to the syntax of the `regex` crate.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use super::class::class;
use super::escape::{Escape, escape};

pub(super) type PatternChars<'s> = Peekable<Chars<'s>>;

/// The character class for `.`, which does not match line terminators.
const ANY: &str = r"[^\n\r\x{2028}\x{2029}]";

/// Translates a pattern to the syntax of the `regex` crate. The error message includes what to write instead.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let mut source = pattern.chars().peekable();
    let mut result = String::new();
    // `true` if the preceding element can be repeated.
    let mut repeatable = false;
    let mut open_groups = 0_usize;
    while let Some(character) = source.next() {
        let after_repetition = matches!(character, '*' | '+' | '?' | '{');
        if after_repetition && !repeatable {
            return Err(format!("`{character}` has nothing to repeat; escape it with a backslash"));
        }
        repeatable = true;
        match character {
            '\\' => match escape(&mut source)? {
                Escape::Character(character) => push_literal(&mut result, character),
                Escape::Class(class) => result.push_str(class),
                Escape::WordBoundary => {
                    result.push_str(r"(?-u:\b)");
                    repeatable = false;
                }
            },
            '.' => result.push_str(ANY),
            '[' => class(&mut source, &mut result)?,
            '(' => {
                group(&mut source)?;
                result.push_str("(?:");
                open_groups += 1;
                repeatable = false;
            }
            ')' => {
                open_groups = open_groups.checked_sub(1).ok_or("a `)` is not opened; escape it with a backslash")?;
                result.push(')');
            }
            '^' | '$' | '|' => {
                result.push(character);
                repeatable = false;
            }
            '*' | '+' | '?' => {
                result.push(character);
                lazy(&mut source, &mut result);
                repeatable = false;
            }
            '{' => {
                counted(&mut source, &mut result)?;
                lazy(&mut source, &mut result);
                repeatable = false;
            }
            '}' | ']' => return Err(format!("a `{character}` is not opened; escape it with a backslash")),
            literal => push_literal(&mut result, literal),
        }
    }
    if open_groups > 0 { Err("a `(` is not closed".to_owned()) } else { Ok(result) }
}

pub(super) fn push_literal(result: &mut String, character: char) {
    // Writing to a string cannot fail.
    let _ = write!(result, r"\x{{{:x}}}", u32::from(character));
}

/// Checks the characters after the `(` of a group. Rejects named groups, look-around and flags.
fn group(source: &mut PatternChars<'_>) -> Result<(), String> {
    if source.peek() != Some(&'?') {
        return Ok(());
    }
    source.next();
    match source.next() {
        Some(':') => Ok(()),
        Some('=' | '!') => Err("look-ahead is not supported; write a custom check for the condition".to_owned()),
        Some('<') => Err("look-behind and named groups are not supported; write a plain group".to_owned()),
        _ => Err("inline flags are not supported; write both cases as a class, such as [aA]".to_owned()),
    }
}

/// Copies a `?` that follows a repetition and makes it lazy.
fn lazy(source: &mut PatternChars<'_>, result: &mut String) {
    if source.next_if_eq(&'?').is_some() {
        result.push('?');
    }
}

/// Translates a counted repetition such as `{2}`, `{2,}` or `{2,3}`. `source` is positioned after `{`.
fn counted(source: &mut PatternChars<'_>, result: &mut String) -> Result<(), String> {
    const INSTEAD: &str =
        "a repetition is {2}, {2,} or {2,3} with numbers up to 1000; escape a literal { with a backslash";
    let min = count(source).ok_or(INSTEAD)?;
    let max = match source.next_if_eq(&',') {
        None => Some(min),
        Some(_) if source.peek() == Some(&'}') => None,
        Some(_) => Some(count(source).ok_or(INSTEAD)?),
    };
    if source.next() != Some('}') || max.is_some_and(|max| max < min) {
        return Err(INSTEAD.to_owned());
    }
    let _ = match max {
        Some(max) => write!(result, "{{{min},{max}}}"),
        None => write!(result, "{{{min},}}"),
    };
    Ok(())
}

fn count(source: &mut PatternChars<'_>) -> Option<u32> {
    let mut digits = String::new();
    while let Some(digit) = source.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    digits.parse().ok().filter(|count| *count <= 1000)
}
