//! Defines [`MessageTemplate`], a string with placeholders, such as `must be at least {minimum}`.

use serde_json::Value;

/// A string with placeholders. Values are inserted unchanged and never parsed as templates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MessageTemplate(Vec<TemplatePiece>);

#[derive(Debug, Clone, PartialEq)]
enum TemplatePiece {
    Text(String),
    Value(String),
}

impl MessageTemplate {
    /// Creates a template without placeholders. Braces in the string are literal.
    pub(super) fn plain(text: &str) -> Self {
        Self(vec![TemplatePiece::Text(text.to_owned())])
    }

    /// Parses a template from a string, in which `{name}` is a placeholder, and `{{` and `}}` are literal braces.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(position) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(position);
            plain.push_str(before);
            if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
                plain.extend(from.chars().next());
                rest = after;
                continue;
            }
            let Some((name, after)) = from.strip_prefix('{').and_then(|from| from.split_once('}')) else {
                return Err("contains an unmatched brace; write `{{` or `}}` for a literal brace".to_owned());
            };
            if name.is_empty()
                || !name.chars().all(|character| character.is_alphanumeric() || "_-.".contains(character))
            {
                return Err(format!(
                    "contains the placeholder `{{{name}}}`, which is not a name; write a name such as `{{minimum}}`"
                ));
            }
            pieces.extend(Some(std::mem::take(&mut plain)).filter(|text| !text.is_empty()).map(TemplatePiece::Text));
            pieces.push(TemplatePiece::Value(name.to_owned()));
            rest = after;
        }
        plain.push_str(rest);
        pieces.extend(Some(plain).filter(|text| !text.is_empty()).map(TemplatePiece::Text));
        Ok(Self(pieces))
    }

    /// Returns the names of all placeholders in the template.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            TemplatePiece::Value(name) => Some(name.as_str()),
            TemplatePiece::Text(_) => None,
        })
    }

    /// Replaces the placeholders with values. Returns `None` if a value is missing.
    pub(super) fn fill(&self, value: impl Fn(&str) -> Option<Value>) -> Option<String> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                TemplatePiece::Text(plain) => text.push_str(plain),
                TemplatePiece::Value(name) => write(&value(name)?, &mut text),
            }
        }
        Some(text)
    }
}

/// Appends a value to a message. Strings are written without quotes, and lists are separated by commas.
fn write(value: &Value, text: &mut String) {
    match value {
        Value::String(plain) => text.push_str(plain),
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    text.push_str(", ");
                }
                match item {
                    Value::String(plain) => text.push_str(plain),
                    other => text.push_str(&other.to_string()),
                }
            }
        }
        other => text.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn inserts_values_unchanged() {
        let params = json!({
            "minimum": 1.5, "name": "{minimum} {{", "allowed": ["a", 2, null, ["b"]], "object": {"a": 1}, "no": false,
        });
        for (template, expected) in [
            ("", Some("")),
            ("plain", Some("plain")),
            ("at least {minimum}!", Some("at least 1.5!")),
            ("{name}{name}", Some("{minimum} {{{minimum} {{")),
            ("one of {allowed}", Some("one of a, 2, null, [\"b\"]")),
            ("{object} {no}", Some("{\"a\":1} false")),
            ("{{minimum}} {{{minimum}}}", Some("{minimum} {1.5}")),
            ("{unknown}", None),
        ] {
            let filled = MessageTemplate::parse(template).unwrap().fill(|name| params.get(name).cloned());
            assert_eq!(filled.as_deref(), expected, "{template}");
        }
    }

    #[test]
    fn rejects_malformed_templates() {
        for template in ["{", "}", "a {b", "a} b", "{}", "{a b}", "{a{b}}", "{:?}", "{0:>9999999}"] {
            assert!(MessageTemplate::parse(template).is_err(), "{template}");
        }
    }
}
