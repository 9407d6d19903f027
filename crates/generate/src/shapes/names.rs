//! Converts names in JSON to Rust identifiers.

use std::collections::BTreeSet;

/// The names that generated types must not have, because the generated source uses these names.
const TAKEN: &[&str] = &[
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "From",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "PartialEq",
    "Result",
    "Self",
    "Some",
    "String",
    "ToString",
    "TryFrom",
    "TryInto",
    "Vec",
];

/// The keywords of Rust, including reserved keywords (Rust Reference, "Keywords").
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The Rust keywords that cannot be raw identifiers.
const NEVER_RAW: &[&str] = &["crate", "self", "super"];

/// The type names that the generated module already contains. New names must differ from them.
#[derive(Debug)]
pub(super) struct TypeNames {
    taken: BTreeSet<String>,
}

impl TypeNames {
    pub(super) fn new() -> Self {
        Self { taken: TAKEN.iter().map(ToString::to_string).collect() }
    }

    /// Returns a unique type name and reserves it.
    pub(super) fn take(&mut self, name: &str) -> String {
        unique(type_name(name), "", &mut self.taken)
    }
}

/// Converts a name to a Rust type name, such as `X-Trace` to `XTrace`.
pub(super) fn type_name(name: &str) -> String {
    upper_camel_case(name, "Shape")
}

/// Converts names to unique field identifiers. A name that is already a valid identifier stays unchanged.
pub(super) fn fields<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<_> = names.into_iter().map(|name| (name, field(name))).collect();
    let mut taken: BTreeSet<_> =
        names.iter().filter(|(name, field)| name == field).map(|(name, _)| name.to_string()).collect();
    let mut seen = BTreeSet::new();
    let identifiers = names.into_iter().map(|(name, field)| {
        let is_first = seen.insert(name.to_owned());
        let identifier = if name == field && is_first { field } else { unique(field, "_", &mut taken) };
        escaped(identifier)
    });
    identifiers.collect()
}

/// Converts string values to unique names of enum variants.
pub(super) fn variants<'v>(values: impl IntoIterator<Item = &'v str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let variant = |value: &str| match upper_camel_case(value, "Value") {
        keyword if keyword == "Self" => "Self_".to_owned(),
        variant => variant,
    };
    values.into_iter().map(|value| unique(variant(value), "", &mut taken)).collect()
}

/// Returns a unique name and reserves it. If the name is already reserved, a number is appended.
fn unique(name: String, separator: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2_u64..).map(|number| format!("{name}{separator}{number}"));
    let found = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(name);
    taken.insert(found.clone());
    found
}

/// Converts a name to snake case, such as `birthDate` to `birth_date`. Keywords are not escaped.
fn field(name: &str) -> String {
    let words = words(name).iter().map(|word| word.to_ascii_lowercase()).collect::<Vec<_>>();
    match words.join("_") {
        empty if empty.is_empty() => "field".to_owned(),
        number if number.starts_with(|first: char| first.is_ascii_digit()) => format!("field_{number}"),
        field => field,
    }
}

fn escaped(field: String) -> String {
    if NEVER_RAW.contains(&field.as_str()) {
        return field + "_";
    }
    if KEYWORDS.contains(&field.as_str()) { format!("r#{field}") } else { field }
}

fn upper_camel_case(name: &str, fallback: &str) -> String {
    let capital = |word: &String| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    };
    match words(name).iter().map(capital).collect::<String>() {
        empty if empty.is_empty() => fallback.to_owned(),
        number if number.starts_with(|first: char| first.is_ascii_digit()) => format!("{fallback}{number}"),
        name => name,
    }
}

/// Splits a name into words of ASCII letters and digits. Other letters become their code points. `HTTPServer` becomes
/// `HTTP` and `Server`.
fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    let mut before = ' ';
    for (position, &character) in characters.iter().enumerate() {
        let after = characters.get(position + 1).copied().unwrap_or(' ');
        let begins = character.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_digit() || after.is_ascii_lowercase());
        if begins || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            if character.is_ascii_alphanumeric() {
                word.push(character);
            } else if character.is_alphanumeric() {
                word.push_str(&format!("u{:04x}", u32::from(character)));
            }
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_identifiers() {
        for (name, expected) in [
            ("name", "name"),
            ("birthDate", "birth_date"),
            ("X-Trace", "x_trace"),
            ("HTTPServer", "http_server"),
            ("a1B", "a1_b"),
            ("a-b", "a_b"),
            ("_id", "id"),
            ("a__b", "a_b"),
            ("filter[age][gte]", "filter_age_gte"),
            ("1st", "field_1st"),
            ("", "field"),
            ("-", "field"),
            ("größe", "gru00f6u00dfe"),
            ("m²", "mu00b2"),
            ("type", "r#type"),
            ("gen", "r#gen"),
            ("self", "self_"),
            ("Self", "self_"),
            ("crate", "crate_"),
            ("a\nb", "a_b"),
        ] {
            assert_eq!(fields([name]), [expected], "{name:?}");
        }
    }

    #[test]
    fn no_two_fields_share_an_identifier() {
        assert_eq!(fields(["a-b", "a.b", "a_b"]), ["a_b_2", "a_b_3", "a_b"]);
        assert_eq!(fields(["aB", "a_b_2", "a b"]), ["a_b", "a_b_2", "a_b_3"]);
        assert_eq!(fields(["Type", "type"]), ["type_2", "r#type"]);
        assert_eq!(fields(["a", "a"]), ["a", "a_2"]);
    }

    #[test]
    fn variants_and_types_are_identifiers() {
        let values = ["small", "extra large", "extra-large", "1", "", "self", "Größe"];
        let expected = ["Small", "ExtraLarge", "ExtraLarge2", "Value1", "Value", "Self_", "Gru00f6u00dfe"];
        assert_eq!(variants(values), expected);
        let mut names = TypeNames::new();
        assert_eq!(
            ["Pet", "pet", "Option", "x.y-z", "7"].map(|name| names.take(name)),
            ["Pet", "Pet2", "Option2", "XYZ", "Shape7"]
        );
    }
}
