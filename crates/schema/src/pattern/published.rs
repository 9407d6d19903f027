//! Converts patterns to the form that is published in the OpenAPI document. Escapes such as `\d` are expanded, because
//! JSON Schema validators interpret them differently.

/// The class escapes of ECMA-262, such as `\d`, each with its expansions outside and inside a bracketed class.
///
/// Within a class, a negated class is written as the remaining ranges. The last range ends with the last character
/// itself, because no escape for it works both with and without the ECMA-262 flag `u`.
const CLASSES: [(char, &str, &str); 6] = [
    ('d', "[0-9]", "0-9"),
    ('D', "[^0-9]", "\\x00-/:-\u{10ffff}"),
    ('w', "[A-Za-z0-9_]", "A-Za-z0-9_"),
    ('W', "[^A-Za-z0-9_]", "\\x00-/:-@\\[-\\^`{-\u{10ffff}"),
    (
        's',
        r"[ \t\n\v\f\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]",
        r" \t\n\v\f\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
    ),
    (
        'S',
        r"[^ \t\n\v\f\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]",
        "\\x00-\\x08\\x0e-\\x1f!-\\x9f\\u00a1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\u{10ffff}",
    ),
];

/// The character class that is equivalent to `.` in ECMA-262. In other dialects, `.` excludes only `\n`.
const ANY: &str = r"[^\n\r\u2028\u2029]";

/// Converts a pattern to the form that is published in the OpenAPI document. The pattern must be valid.
pub(super) fn published(source: &str) -> String {
    let mut result = String::with_capacity(source.len());
    let mut characters = source.chars();
    let mut is_in_class = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let escaped = characters.next();
                match CLASSES.iter().find(|(name, ..)| Some(*name) == escaped) {
                    Some((_, _, within)) if is_in_class => result.push_str(within),
                    Some((_, outside, _)) => result.push_str(outside),
                    None => {
                        result.push('\\');
                        result.extend(escaped);
                    }
                }
                continue;
            }
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            '.' if !is_in_class => {
                result.push_str(ANY);
                continue;
            }
            _ => {}
        }
        result.push(character);
    }
    result
}
