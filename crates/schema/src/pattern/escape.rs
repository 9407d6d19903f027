//! Translates the escapes of patterns, such as `\d` and `\u00e4`.

use super::translate::PatternChars;

pub(super) enum Escape {
    Character(char),
    /// A character class in the syntax of the `regex` crate.
    Class(&'static str),
    WordBoundary,
}

/// Expands to a regex character class with the white space and line terminators of ECMA-262. `$before` is `[`, or `[^`
/// for the complement.
macro_rules! space {
    ($before:literal) => {
        concat!(
            $before,
            r"\t\n\x0B\x0C\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]"
        )
    };
}

/// Reads an escape sequence. `source` is positioned after the backslash.
pub(super) fn escape(source: &mut PatternChars<'_>) -> Result<Escape, String> {
    let Some(character) = source.next() else {
        return Err(r"it ends with a backslash; write \\ for one".to_owned());
    };
    Ok(match character {
        'd' => Escape::Class("[0-9]"),
        'D' => Escape::Class("[^0-9]"),
        'w' => Escape::Class("[0-9A-Za-z_]"),
        'W' => Escape::Class("[^0-9A-Za-z_]"),
        's' => Escape::Class(space!("[")),
        'S' => Escape::Class(space!("[^")),
        'b' => Escape::WordBoundary,
        't' => Escape::Character('\t'),
        'n' => Escape::Character('\n'),
        'r' => Escape::Character('\r'),
        'v' => Escape::Character('\u{b}'),
        'f' => Escape::Character('\u{c}'),
        '0' if !source.peek().is_some_and(char::is_ascii_digit) => Escape::Character('\0'),
        'c' => Escape::Character(control(source)?),
        'x' => Escape::Character(from_code(hexadecimal(source, 2)?)?),
        'u' => Escape::Character(unicode(source)?),
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' | '-' => {
            Escape::Character(character)
        }
        '0'..='9' | 'k' => return Err("back-references are not supported; repeat the group".to_owned()),
        'p' | 'P' => return Err(r"\p is not supported; write the characters as a class".to_owned()),
        'B' => return Err(r"\B is not supported; write the neighbours as a class".to_owned()),
        other => return Err(format!(r"\{other} is not an escape; write {other} without the backslash")),
    })
}

fn control(source: &mut PatternChars<'_>) -> Result<char, String> {
    match source.next() {
        Some(letter) if letter.is_ascii_alphabetic() => from_code(u32::from(letter) % 32),
        _ => Err(r"\c needs a letter".to_owned()),
    }
}

/// Reads the digits of `\uXXXX`, and a second `\uXXXX` if both form a surrogate pair.
fn unicode(source: &mut PatternChars<'_>) -> Result<char, String> {
    let first = hexadecimal(source, 4)?;
    if !(0xd800..0xdc00).contains(&first) {
        return from_code(first);
    }
    if source.next() != Some('\\') || source.next() != Some('u') {
        return from_code(first);
    }
    match hexadecimal(source, 4)? {
        second @ 0xdc00..0xe000 => from_code(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)),
        _ => from_code(first),
    }
}

fn hexadecimal(source: &mut PatternChars<'_>, digits: usize) -> Result<u32, String> {
    let mut code = 0;
    for _ in 0..digits {
        let digit = source.next().and_then(|digit| digit.to_digit(16));
        code = code * 16 + digit.ok_or_else(|| format!("an escape needs {digits} hexadecimal digits"))?;
    }
    Ok(code)
}

fn from_code(code: u32) -> Result<char, String> {
    char::from_u32(code).ok_or_else(|| "an escape is half of a surrogate pair; write both halves".to_owned())
}
