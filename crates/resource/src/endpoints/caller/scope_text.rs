//! Formats scopes and rights as strings, for the digests of idempotency keys and cursors.

use std::fmt::Write;

use restwright_core::auth::Identity;
use restwright_list::{Comparison, Expression, Value};

use crate::policy::DeclaredPolicy;
use crate::store::Scope;

/// Formats the scope of a caller as a string. If the caller has no value for a scope field, formats the name of the field.
///
/// The digests of idempotency keys and cursors contain this string. During a rolling deployment, two versions of a service read each other's digests,
/// so the string must never change. It has the form of the first version. It depends neither on names of Rust fields nor on `Debug` of other crates.
pub(in crate::endpoints) fn scope_text(scope: &Result<Scope, String>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match scope {
        Ok(scope) => write_scope(scope, &mut text),
        Err(field) => write!(text, "Err({field:?})"),
    };
    text
}

fn write_scope(scope: &Scope, text: &mut String) -> std::fmt::Result {
    text.push_str("Ok(Scope { fields: [");
    for (index, (field, value)) in scope.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(text, "{separator}({field:?}, ")?;
        write_value(value, text)?;
        text.push(')');
    }
    text.push_str("] })");
    Ok(())
}

/// Formats a policy's conditions for a caller as a string. They select the visible, writable and stored entities.
pub(in crate::endpoints) fn view_text(policy: &DeclaredPolicy, caller: &Identity) -> String {
    let mut text = String::new();
    for rows in [policy.visible(caller), policy.writable(caller), policy.result(caller)] {
        // Writing to memory does not fail.
        let _ = write_condition(rows.condition(), &mut text);
        text.push(';');
    }
    text
}

fn write_condition(condition: &Expression, text: &mut String) -> std::fmt::Result {
    match condition {
        Expression::All(several) | Expression::Any(several) => {
            text.push_str(if matches!(condition, Expression::All(_)) { "all(" } else { "any(" });
            several.iter().try_for_each(|one| write_condition(one, text))?;
        }
        Expression::Not(one) => {
            text.push_str("not(");
            write_condition(one, text)?;
        }
        Expression::Condition(condition) => {
            let comparison = condition.comparison();
            write!(text, "({:?} {} ", condition.field(), comparison.operator().as_str())?;
            for value in comparison.values() {
                write_value(value, text)?;
                text.push(' ');
            }
            match comparison {
                Comparison::Contains(search) | Comparison::StartsWith(search) | Comparison::EndsWith(search) => {
                    write!(text, "{:?}", search.as_str())?;
                }
                Comparison::IsNull(wanted) => write!(text, "{wanted}")?,
                _ => {}
            }
        }
        Expression::Exists(exists) => {
            write!(text, "exists({:?}", exists.related())?;
            exists.links().try_for_each(|(related, field)| write!(text, " {related:?}={field:?}"))?;
            text.push(' ');
            write_condition(exists.condition(), text)?;
        }
        // A kind of expression that the first version does not have.
        other => write!(text, "({other:?}")?,
    }
    text.push(')');
    Ok(())
}

fn write_value(value: &Value<'_>, text: &mut String) -> std::fmt::Result {
    match value {
        Value::Null => text.write_str("Null"),
        Value::Boolean(value) => write!(text, "Boolean({value})"),
        Value::Integer(value) => write!(text, "Integer({value})"),
        Value::Number(value) => write!(text, "Number({value:?})"),
        Value::Text(value) => write!(text, "Text({value:?})"),
        Value::Date(value) => write!(text, "Date({value})"),
        Value::DateTime(value) => write!(text, "DateTime({value})"),
        Value::Uuid(value) => write!(text, "Uuid({value})"),
        // Equal decimals have one string.
        #[cfg(feature = "rust_decimal")]
        Value::Decimal(value) => write!(text, "Decimal({})", value.normalize()),
        // A kind of value that the first version does not have.
        other => write!(text, "{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_string_never_changes() {
        let instant: Timestamp = "2024-02-29T01:02:03.000004Z".parse().unwrap();
        for (scope, expected) in [
            (Ok(Scope::new()), r#"Ok(Scope { fields: [] })"#),
            (Err("tenant".to_owned()), r#"Err("tenant")"#),
            (
                Ok(Scope::new().with("tenant", "north \"ü\"\n").with("level", -7)),
                r#"Ok(Scope { fields: [("tenant", Text("north \"ü\"\n")), ("level", Integer(-7))] })"#,
            ),
            (
                Ok(Scope::new().with("a", 0.5).with("b", true).with("c", Value::Null)),
                r#"Ok(Scope { fields: [("a", Number(0.5)), ("b", Boolean(true)), ("c", Null)] })"#,
            ),
            (
                Ok(Scope::new().with("a", date(2024, 2, 29)).with("b", instant).with("c", Uuid::from_u128(7))),
                r#"Ok(Scope { fields: [("a", Date(2024-02-29)), ("b", DateTime(2024-02-29T01:02:03.000004Z)), ("c", Uuid(00000000-0000-0000-0000-000000000007))] })"#,
            ),
            #[cfg(feature = "rust_decimal")]
            (
                Ok(Scope::new().with("a", Value::Decimal(rust_decimal::Decimal::new(150, 2)))),
                r#"Ok(Scope { fields: [("a", Decimal(1.5))] })"#,
            ),
        ] {
            assert_eq!(scope_text(&scope), expected);
        }
    }
}
