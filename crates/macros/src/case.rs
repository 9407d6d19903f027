//! Defines [`Case`], a letter case for serde's `rename_all`, and functions that convert identifiers to names.

use syn::{Attribute, LitStr};

use crate::errors::Errors;
use crate::{settings, suggest};

/// A letter case that serde's `rename_all` accepts, such as `camelCase`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    /// The names of the letter cases, as serde spells them.
    pub(crate) const NAMES: [&str; 8] = [
        "lowercase",
        "UPPERCASE",
        "PascalCase",
        "camelCase",
        "snake_case",
        "SCREAMING_SNAKE_CASE",
        "kebab-case",
        "SCREAMING-KEBAB-CASE",
    ];

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// Parses the name of a letter case in an attribute.
    pub(crate) fn of(rule: &LitStr, errors: &mut Errors) -> Option<Self> {
        let case = Self::parse(&rule.value());
        if case.is_none() {
            errors.push(rule.span(), suggest::unknown("rule", &rule.value(), &Self::NAMES));
        }
        case
    }

    /// Returns the letter case in the `rename_all` setting of a type. `#[filter(..)]` and `#[sort(..)]` accept no other
    /// setting on a type.
    pub(crate) fn of_type(attributes: &[Attribute], name: &str, errors: &mut Errors) -> Option<Self> {
        let mut case = None;
        for setting in settings::of(attributes, name, errors) {
            match setting.name.to_string().as_str() {
                "rename_all" => case = setting.text(errors).and_then(|rule| Self::of(&rule, errors)),
                other => {
                    let what = format!("{name} attribute of a type");
                    errors.push(setting.span(), suggest::unknown(&what, other, &["rename_all"]));
                }
            }
        }
        case
    }

    /// Applies the case to a field name, which is in snake case.
    pub(crate) fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => name.split('_').map(capitalised).collect(),
            Self::Camel => uncapitalised(&Self::Pascal.field(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Applies the case to a variant name, which is in Pascal case.
    pub(crate) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => uncapitalised(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

/// Converts a Pascal case name to snake case, such as `NotFound` to `not_found`.
pub(crate) fn snake(name: &str) -> String {
    let mut result = String::with_capacity(name.len() + 4);
    for (index, character) in name.char_indices() {
        if index > 0 && character.is_uppercase() {
            result.push('_');
        }
        result.push(character.to_ascii_lowercase());
    }
    result
}

/// Converts a Pascal case name to words, such as `NotFound` to `Not found`.
pub(crate) fn words(name: &str) -> String {
    capitalised(&snake(name).replace('_', " "))
}

/// Converts a snake case name to a header name, such as `if_match` to `If-Match`.
pub(crate) fn header(name: &str) -> String {
    name.split('_').map(capitalised).collect::<Vec<_>>().join("-")
}

fn capitalised(word: &str) -> String {
    change_first(word, |first| first.to_ascii_uppercase())
}

fn uncapitalised(word: &str) -> String {
    change_first(word, |first| first.to_ascii_lowercase())
}

fn change_first(word: &str, change: fn(char) -> char) -> String {
    let mut characters = word.chars();
    characters.next().map(change).into_iter().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule() {
        let expected = [
            ("weight_kg", "TwoWords", "twowords"),
            ("WEIGHT_KG", "TWOWORDS", ""),
            ("WeightKg", "TwoWords", ""),
            ("weightKg", "twoWords", ""),
            ("weight_kg", "two_words", ""),
            ("WEIGHT_KG", "TWO_WORDS", ""),
            ("weight-kg", "two-words", ""),
            ("WEIGHT-KG", "TWO-WORDS", ""),
        ];
        for (name, (field, variant, lower)) in Case::NAMES.into_iter().zip(expected) {
            let case = Case::parse(name).unwrap();
            assert_eq!(case.field("weight_kg"), field, "{name}");
            let variant = if case == Case::Lower { lower } else { variant };
            assert_eq!(case.variant("TwoWords"), variant, "{name}");
        }
        assert_eq!(Case::parse("Kebab"), None);
    }

    #[test]
    fn names_from_identifiers() {
        assert_eq!(snake("PetNotFound"), "pet_not_found");
        assert_eq!(words("PetNotFound"), "Pet not found");
        assert_eq!(header("x_request_id"), "X-Request-Id");
    }
}
