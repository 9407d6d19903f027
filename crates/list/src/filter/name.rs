//! Parses the names of filter parameters, such as `filter[field]`, `filter[field][operator]`, `field` and
//! `field[operator]`.

use crate::operator::Operator;

/// Separates a field and an operator in names without brackets, such as `field__operator`.
pub(super) const PLAIN: &str = "__";

/// A parsed name of a query parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ParameterName<'n> {
    /// A name of the form `filter[field]` or `filter[field][operator]`.
    Enclosed { field: &'n str, operator: Option<&'n str> },
    /// A name of the form `field` or `field[operator]`. The parameter is a filter only if the field is declared.
    Flat { field: &'n str, operator: Option<&'n str> },
    /// The name `filter` without brackets, or with malformed brackets such as `filter[name`.
    MalformedEnclosed,
    /// A field name with malformed brackets, such as `name[eq`.
    MalformedFlat { field: &'n str },
}

/// The result of parsing a parameter name, which is a condition or an error.
#[derive(Clone, Copy)]
pub(super) enum ParsedName {
    Condition { field: usize, operator: Operator },
    UnknownField,
    UnknownOperator { field: usize },
    Malformed,
}

/// A filter condition in the query string, before its operands are parsed.
pub(super) struct UnparsedCondition<'q> {
    pub(super) field: usize,
    pub(super) operator: Operator,
    /// The name of the first query parameter that contains the condition, as the client sent it.
    pub(super) name: &'q str,
    pub(super) texts: Vec<&'q str>,
}

/// Parses a parameter name in linear time.
pub(super) fn parse(name: &str) -> ParameterName<'_> {
    let start = name.bytes().position(|byte| byte == b'[').unwrap_or(name.len());
    let (head, brackets) = name.split_at_checked(start).unwrap_or((name, ""));
    let malformed =
        if head == "filter" { ParameterName::MalformedEnclosed } else { ParameterName::MalformedFlat { field: head } };
    if brackets.is_empty() {
        return if head == "filter" { malformed } else { ParameterName::Flat { field: head, operator: None } };
    }
    let Some((first, rest)) = bracket(brackets) else { return malformed };
    if head != "filter" {
        return if rest.is_empty() { ParameterName::Flat { field: head, operator: Some(first) } } else { malformed };
    }
    if rest.is_empty() {
        return ParameterName::Enclosed { field: first, operator: None };
    }
    match bracket(rest) {
        Some((second, "")) => ParameterName::Enclosed { field: first, operator: Some(second) },
        _ => malformed,
    }
}

/// Parses `[inside]rest` and returns `inside` and `rest`. Returns `None` if `inside` is empty or the brackets are
/// malformed.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('[')?;
    let end = inside.bytes().position(|byte| matches!(byte, b']' | b'['))?;
    let (inside, rest) = inside.split_at_checked(end)?;
    let rest = rest.strip_prefix(']')?;
    (!inside.is_empty()).then_some((inside, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: ParameterName<'_>) {
        assert_eq!(parse(name), expected, "{name}");
    }

    #[test]
    fn each_spelling() {
        check("filter[name]", ParameterName::Enclosed { field: "name", operator: None });
        check("filter[name][eq]", ParameterName::Enclosed { field: "name", operator: Some("eq") });
        check("name", ParameterName::Flat { field: "name", operator: None });
        check("name[eq]", ParameterName::Flat { field: "name", operator: Some("eq") });
        check("filters", ParameterName::Flat { field: "filters", operator: None });
        check("filters[eq]", ParameterName::Flat { field: "filters", operator: Some("eq") });
        check("", ParameterName::Flat { field: "", operator: None });
    }

    #[test]
    fn malformed_brackets() {
        for name in [
            "filter",
            "filter[",
            "filter[]",
            "filter[name",
            "filter[name]x",
            "filter[name][",
            "filter[name][]",
            "filter[name][eq",
            "filter[name][eq]x",
            "filter[name][eq][eq]",
            "filter[[name]]",
            "filter[na[me]",
        ] {
            check(name, ParameterName::MalformedEnclosed);
        }
        for name in ["name[", "name[]", "name[eq", "name[eq]x", "name[eq][eq]", "name[[eq]]"] {
            check(name, ParameterName::MalformedFlat { field: "name" });
        }
    }
}
