//! Converts schema descriptions with untrusted content to safe doc comments.

/// The Unicode characters that change the text direction. rustc rejects them in comments.
const DIRECTIONS: &[char] = &[
    '\u{200E}', '\u{200F}', '\u{061C}', '\u{202A}', '\u{202B}', '\u{202C}', '\u{202D}', '\u{202E}', '\u{2066}',
    '\u{2067}', '\u{2068}', '\u{2069}',
];

/// Formats a description and facts about a schema as the lines of a doc comment, without indentation. The facts follow
/// the description in a separate paragraph.
///
/// The content cannot end the comment. Code in the description does not become a doctest. HTML and links are escaped.
pub(super) fn comment(description: Option<&str>, facts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = description.map(lines).unwrap_or_default();
    if !facts.is_empty() {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(facts.join(" "));
    }
    lines.iter().map(|line| if line.is_empty() { "///".to_owned() } else { format!("/// {line}") }).collect()
}

/// Formats a string as an inline code span on one line.
pub(super) fn code(text: &str) -> String {
    let text = on_one_line(text);
    if text.is_empty() || text.contains(['`', '|']) { format!("\"{}\"", plain(&text)) } else { format!("`{text}`") }
}

/// Converts a description to lines of safe CommonMark. Removes empty lines at both ends, and collapses consecutive
/// empty lines.
fn lines(description: &str) -> Vec<String> {
    let breaks = ['\n', '\r', '\u{0B}', '\u{0C}', '\u{85}', '\u{2028}', '\u{2029}'];
    let mut lines: Vec<String> = Vec::new();
    for line in description.replace("\r\n", "\n").split(breaks).map(markdown) {
        if !line.is_empty() || lines.last().is_some_and(|before| !before.is_empty()) {
            lines.push(line);
        }
    }
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Converts one line of a description to safe CommonMark. Keeps code spans only if each of them ends on the same line.
fn markdown(line: &str) -> String {
    let line = on_one_line(line);
    let backticks = line.matches('`').count();
    // With a backslash, a double backtick or table cells, a code span may end at an unexpected position.
    if backticks % 2 == 1 || line.contains("``") || (backticks > 0 && line.contains(['\\', '|'])) {
        return plain(&line);
    }
    let spans = line.split('`').enumerate();
    let spans = spans.map(|(index, text)| if index % 2 == 0 { outside_of_code(text) } else { text.to_owned() });
    spans.collect::<Vec<_>>().join("`")
}

/// Escapes a line without code spans, including its backticks.
fn plain(line: &str) -> String {
    outside_of_code(line).replace('`', "&#96;")
}

/// Escapes text outside of code spans with HTML entities. An escaping backslash would not be safe after another
/// backslash.
fn outside_of_code(text: &str) -> String {
    text.replace('<', "&lt;").replace('[', "&#91;").replace("~~~", "&#126;~~")
}

/// Removes line breaks and control characters from a string. Collapses white space, so a line is never an indented code
/// block.
fn on_one_line(text: &str) -> String {
    let visible = |character: &char| !DIRECTIONS.contains(character) && (!character.is_control() || *character == '\t');
    let text: String = text.replace(['\n', '\r'], " ").chars().filter(visible).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_stay_in_their_comment() {
        for (description, expected) in [
            ("A pet.", "/// A pet."),
            ("*/ fn main() {}", "/// */ fn main() {}"),
            ("one\ntwo\r\nthree\rfour\u{2028}five", "/// one\n/// two\n/// three\n/// four\n/// five"),
            ("\n\none\n\n\n\ntwo\n\n", "/// one\n///\n/// two"),
            ("#![allow(all)]", "/// #!&#91;allow(all)]"),
            ("a \"quoted\" text\\", "/// a \"quoted\" text\\"),
            ("```rust\nfn main() {}\n```", "/// &#96;&#96;&#96;rust\n/// fn main() {}\n/// &#96;&#96;&#96;"),
            ("~~~\ncode", "/// &#126;~~\n/// code"),
            ("    indented\n-     code\n\tcode", "/// indented\n/// - code\n/// code"),
            ("see `a[0] < b` and [b] or <c>", "/// see `a[0] < b` and &#91;b] or &lt;c>"),
            ("odd ` of [them", "/// odd &#96; of &#91;them"),
            ("escaped \\` and `<b>`", "/// escaped \\&#96; and &#96;&lt;b>&#96;"),
            ("a `|<b>` | c", "/// a &#96;|&lt;b>&#96; | c"),
            ("left\u{202E}right\u{0}\u{7}", "/// leftright"),
            ("//// slashes", "/// //// slashes"),
        ] {
            assert_eq!(comment(Some(description), &[]).join("\n"), expected, "{description:?}");
        }
    }

    #[test]
    fn writes_facts_as_a_paragraph() {
        let facts = ["1 to 5 characters.".to_owned(), "Example: `Rex`.".to_owned()];
        assert_eq!(comment(Some("A name."), &facts), ["/// A name.", "///", "/// 1 to 5 characters. Example: `Rex`."]);
        assert_eq!(comment(None, &facts), ["/// 1 to 5 characters. Example: `Rex`."]);
        assert_eq!(comment(Some(" \n "), &[]), Vec::<String>::new());
    }

    #[test]
    fn code_is_on_one_line() {
        for (text, expected) in [("a", "`a`"), ("a\n `b", "\"a &#96;b\""), ("^[<]$", "`^[<]$`"), ("", "\"\"")] {
            assert_eq!(code(text), expected);
        }
    }
}
