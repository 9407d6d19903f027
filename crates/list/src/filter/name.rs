//! Names of parameters: `filter[field]`, `filter[field][operator]`, `field`, `field[operator]`.

/// What the name of a parameter says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Name<'n> {
    /// `filter[field]` or `filter[field][operator]`.
    Enclosed { field: &'n str, operator: Option<&'n str> },
    /// `field` or `field[operator]`; whether it is a filter depends on the field.
    Flat { field: &'n str, operator: Option<&'n str> },
    /// `filter` with something else after it.
    MalformedEnclosed,
    /// `field` with something else after it.
    MalformedFlat { field: &'n str },
}

/// Reads a name; `steps` counts the bytes that are looked at.
pub(super) fn parse<'n>(name: &'n str, steps: &mut usize) -> Name<'n> {
    let start = position(name, b"[", steps).unwrap_or(name.len());
    let (head, brackets) = name.split_at_checked(start).unwrap_or((name, ""));
    let malformed = if head == "filter" { Name::MalformedEnclosed } else { Name::MalformedFlat { field: head } };
    if brackets.is_empty() {
        return if head == "filter" { malformed } else { Name::Flat { field: head, operator: None } };
    }
    let Some((first, rest)) = bracket(brackets, steps) else { return malformed };
    if head != "filter" {
        return if rest.is_empty() { Name::Flat { field: head, operator: Some(first) } } else { malformed };
    }
    if rest.is_empty() {
        return Name::Enclosed { field: first, operator: None };
    }
    match bracket(rest, steps) {
        Some((second, "")) => Name::Enclosed { field: first, operator: Some(second) },
        _ => malformed,
    }
}

/// What stands in the brackets at the start, which is not empty and has no bracket in it, and what follows.
fn bracket<'t>(text: &'t str, steps: &mut usize) -> Option<(&'t str, &'t str)> {
    let inside = text.strip_prefix('[')?;
    let end = position(inside, b"][", steps)?;
    let (inside, rest) = inside.split_at_checked(end)?;
    let rest = rest.strip_prefix(']')?;
    (!inside.is_empty()).then_some((inside, rest))
}

fn position(text: &str, wanted: &[u8], steps: &mut usize) -> Option<usize> {
    let found = text.bytes().position(|byte| wanted.contains(&byte));
    *steps += found.unwrap_or(text.len()) + 1;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: Name<'_>) {
        assert_eq!(parse(name, &mut 0), expected, "{name}");
    }

    #[test]
    fn each_spelling() {
        check("filter[name]", Name::Enclosed { field: "name", operator: None });
        check("filter[name][eq]", Name::Enclosed { field: "name", operator: Some("eq") });
        check("name", Name::Flat { field: "name", operator: None });
        check("name[eq]", Name::Flat { field: "name", operator: Some("eq") });
        check("filters", Name::Flat { field: "filters", operator: None });
        check("filters[eq]", Name::Flat { field: "filters", operator: Some("eq") });
        check("", Name::Flat { field: "", operator: None });
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
            check(name, Name::MalformedEnclosed);
        }
        for name in ["name[", "name[]", "name[eq", "name[eq]x", "name[eq][eq]", "name[[eq]]"] {
            check(name, Name::MalformedFlat { field: "name" });
        }
    }

    #[test]
    fn no_byte_is_looked_at_more_than_twice() {
        for piece in ["[", "]", "[]", "[a]", "filter[", "filter[a][b]", "a"] {
            for prefix in ["", "filter", "filter[", "filter[a][", "a["] {
                let name = format!("{prefix}{}", piece.repeat(64 * 1024 / piece.len()));
                let mut steps = 0;
                parse(&name, &mut steps);
                assert!(steps <= 2 * name.len() + 3, "{prefix} {piece}: {steps}");
            }
        }
    }
}
