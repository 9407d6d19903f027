//! Translates filters and scopes into SQL conditions.

use std::sync::Arc;

use restwright_list::{Comparison, Exists, Expression, SearchText, Value, ValueType};
use restwright_resource::{Scope, StoreError};
use sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement};
use serde_json::Value as Json;

use crate::table::{Column, Operand, Search, Table};

/// A function that finds a table by the name of its entity definition. It returns `None` if the store has no such table.
pub(crate) type FindTable<'f> = &'f dyn Fn(&str) -> Option<Arc<Table>>;

/// Converts an expression to an SQL condition. The expression must not contain conditions on related rows.
pub(crate) fn expression(table: &Table, wanted: &Expression) -> Result<Expr, StoreError> {
    related_expression(&|_| None, table, wanted)
}

/// Converts an expression to an SQL condition. The expression may contain conditions on related rows.
pub(crate) fn related_expression(find: FindTable<'_>, table: &Table, wanted: &Expression) -> Result<Expr, StoreError> {
    match wanted {
        Expression::All(all) => join(find, table, all, true),
        Expression::Any(any) => join(find, table, any, false),
        // In SQL, a comparison with null is neither true nor false.
        Expression::Not(one) => {
            Ok(Expr::cust_with_expr(table.dialect.is_not_true, related_expression(find, table, one)?))
        }
        Expression::Condition(condition) => {
            let column = table.column(condition.field()).ok_or_else(|| no_column(table, condition.field()))?;
            Ok(comparison(column, condition.comparison()))
        }
        Expression::Exists(wanted) => exists(find, table, wanted),
        other => Err(StoreError::failed(format!("stores cannot evaluate the expression {other:?}"))),
    }
}

/// Returns the SQL condition that a related row exists.
fn exists(find: FindTable<'_>, table: &Table, wanted: &Exists) -> Result<Expr, StoreError> {
    let RelatedRows { mut select, links, .. } = related_rows(find, table, wanted)?;
    select.expr(Expr::cust("1"));
    for (theirs, own) in links {
        select.and_where(theirs.eq(own));
    }
    Ok(Expr::exists(select))
}

/// The related rows of a row, before they are linked to the row.
pub(crate) struct RelatedRows {
    /// A `SELECT` statement for the visible rows of the related table, without columns.
    pub(crate) select: SelectStatement,
    pub(crate) table: Arc<Table>,
    /// The columns that are equal in a related row and in the row. The first column belongs to the related table.
    pub(crate) links: Vec<(Expr, Expr)>,
}

/// Returns the related rows of a row. The columns of the row have the name of its table, because the related table has an alias.
pub(crate) fn related_rows(find: FindTable<'_>, table: &Table, wanted: &Exists) -> Result<RelatedRows, StoreError> {
    let definition = |name: &str| find(name).map(|table| table.definition.clone());
    let (related, wanted) = table.definition.related(wanted, &definition)?;
    let related = find(related.name()).ok_or_else(|| StoreError::failed("the related table disappeared"))?;
    // A name of a fixed length, because a database that truncates names must not make both equal.
    let alias = if table.name.eq_ignore_ascii_case("related") { "related_row" } else { "related" };
    let mut select = Query::select();
    select.from(related.reference().alias(Alias::new(alias)));
    let mut links = Vec::new();
    for (their_field, own_field) in wanted.links() {
        let theirs = related.column(their_field).ok_or_else(|| no_column(&related, their_field))?;
        let own = table.column(own_field).ok_or_else(|| no_column(table, own_field))?;
        if theirs.encoding().is_text != own.encoding().is_text
            || theirs.encoding().is_without_zone != own.encoding().is_without_zone
        {
            return Err(StoreError::failed(format!(
                "the columns `{}` of `{}` and `{}` of `{}` store the same values differently, so a condition cannot compare them",
                theirs.name, related.name, own.name, table.name
            )));
        }
        let own = Expr::col((Alias::new(&table.name), own.alias()));
        links.push((Expr::col((Alias::new(alias), theirs.alias())), own));
    }
    select.and_where(expression(&related, wanted.condition())?);
    if let Some(column) = related.deletion_column() {
        select.and_where(Expr::col((Alias::new(alias), column.alias())).is_null());
    }
    Ok(RelatedRows { select, table: related, links })
}

fn join(find: FindTable<'_>, table: &Table, several: &[Expression], is_all: bool) -> Result<Expr, StoreError> {
    let mut joined: Option<Expr> = None;
    for one in several {
        let one = related_expression(find, table, one)?;
        joined = Some(match joined {
            None => one,
            Some(joined) if is_all => joined.and(one),
            Some(joined) => joined.or(one),
        });
    }
    Ok(joined.unwrap_or_else(|| truth(is_all)))
}

/// Returns the SQL condition that a row is not deleted. Returns `None` if the table does not keep deleted rows.
pub(crate) fn is_live(table: &Table) -> Option<Expr> {
    table.deletion_column().map(|column| Expr::col(column.alias()).is_null())
}

/// Returns the condition of `is_live` for a statement that reads all rows that match a filter.
///
/// SQLite would scan the partial index of a unique constraint, and find each row in the table. The plus prevents this. A partial index remains
/// useful without other conditions, within a scope, and for a condition on a unique field.
pub(crate) fn is_live_in_all(table: &Table, scope: &Scope, filter: &Expression) -> Option<Expr> {
    let live = is_live(table)?;
    let conditions = match filter {
        Expression::All(all) => all.as_slice(),
        other => std::slice::from_ref(other),
    };
    let is_of_index = |field: &str| {
        table.definition.unique_constraints().any(|constraint| constraint.fields().iter().any(|one| one == field))
    };
    let reads_index = |one: &Expression| match one {
        Expression::Condition(one) => match one.comparison() {
            Comparison::Ne(_) | Comparison::Contains(_) | Comparison::EndsWith(_) | Comparison::Has(_) => false,
            _ => is_of_index(one.field()),
        },
        _ => false,
    };
    let has_use = !table.dialect.scans_partial_indexes
        || scope.iter().next().is_some()
        || conditions.is_empty()
        || conditions.iter().any(reads_index);
    Some(if has_use { live } else { Expr::cust_with_expr("+?", live) })
}

/// Returns the SQL conditions that select the rows of a scope.
pub(crate) fn scope(table: &Table, scope: &Scope) -> Result<Vec<Expr>, StoreError> {
    let conditions = scope.iter().map(|(field, value)| {
        let column = table.column(field).ok_or_else(|| no_column(table, field))?;
        Ok(equals(column, value))
    });
    conditions.collect()
}

/// Returns the SQL condition that a column equals a value. The value must not be null.
pub(crate) fn equals(column: &Column, value: &Value<'_>) -> Expr {
    match column.operand(value) {
        Operand::Exact(value) => Expr::col(column.alias()).eq(value),
        _ => truth(false),
    }
}

/// Returns the SQL condition `TRUE` or `FALSE`, depending on `holds`.
pub(crate) fn truth(holds: bool) -> Expr {
    Expr::cust(if holds { "TRUE" } else { "FALSE" })
}

pub(crate) fn no_column(table: &Table, field: &str) -> StoreError {
    StoreError::failed(format!("`{}` has no field `{field}`", table.definition.name()))
}

fn comparison(column: &Column, comparison: &Comparison<Value<'static>>) -> Expr {
    let field = || Expr::col(column.alias());
    let operand = |value| column.operand(value);
    match comparison {
        Comparison::Eq(value) => equals(column, value),
        Comparison::Ne(value) => match operand(value) {
            Operand::Exact(value) if column.field.is_nullable() => field().ne(value).or(field().is_null()),
            Operand::Exact(value) => field().ne(value),
            _ => truth(true),
        },
        Comparison::In(values) => {
            let exact = values.iter().filter_map(|value| match operand(value) {
                Operand::Exact(value) => Some(value),
                _ => None,
            });
            let exact: Vec<_> = exact.collect();
            if exact.is_empty() { truth(false) } else { field().is_in(exact) }
        }
        Comparison::Gt(value) => above(column, operand(value), false),
        Comparison::Gte(value) => above(column, operand(value), true),
        Comparison::Lt(value) => below(column, operand(value), false),
        Comparison::Lte(value) => below(column, operand(value), true),
        Comparison::Between(low, high) => above(column, operand(low), true).and(below(column, operand(high), true)),
        Comparison::Contains(text) => search(column, text, column.dialect.contains),
        Comparison::StartsWith(text) => search(column, text, starts_with),
        Comparison::EndsWith(text) => search(column, text, column.dialect.ends_with),
        Comparison::Has(value) => has(column, value),
        Comparison::IsNull(wanted) if !column.field.is_nullable() => truth(!wanted),
        Comparison::IsNull(true) => field().is_null(),
        Comparison::IsNull(false) => field().is_not_null(),
        _ => truth(false),
    }
}

/// Returns the condition that the list in a column contains a value. A list never contains a value that no column stores.
fn has(column: &Column, value: &Value<'_>) -> Expr {
    let item = match value {
        Value::Text(text) if !text.contains('\0') => Json::from(&**text),
        Value::Integer(integer) => i64::try_from(*integer).map_or(Json::Null, Json::from),
        Value::Boolean(value) => Json::from(*value),
        Value::Date(date) => Json::from(date.to_string()),
        _ => Json::Null,
    };
    if item.is_null() { truth(false) } else { (column.dialect.has)(Expr::col(column.alias()), item) }
}

/// Returns the SQL condition that a column is not null.
pub(crate) fn is_given(column: &Column) -> Expr {
    if column.field.is_nullable() { Expr::col(column.alias()).is_not_null() } else { truth(true) }
}

pub(crate) fn above(column: &Column, operand: Operand, is_inclusive: bool) -> Expr {
    let field = column.ordered();
    match operand {
        Operand::Exact(value) if is_inclusive => field.gte(value),
        Operand::Exact(value) | Operand::After(value) => field.gt(value),
        Operand::BelowAll => is_given(column),
        Operand::AboveAll => truth(false),
    }
}

pub(crate) fn below(column: &Column, operand: Operand, is_inclusive: bool) -> Expr {
    let field = column.ordered();
    match operand {
        Operand::Exact(value) if !is_inclusive => field.lt(value),
        Operand::Exact(value) | Operand::After(value) => field.lte(value),
        Operand::BelowAll => truth(false),
        Operand::AboveAll => is_given(column),
    }
}

/// Returns the SQL condition of a case-insensitive search. The condition compares the column of case-folded strings. Without this column, the
/// condition ignores the case of ASCII letters only.
fn search(column: &Column, text: &SearchText, found: impl FnOnce(Expr, &str) -> Expr) -> Expr {
    if !matches!(column.field.value_type(), ValueType::Text | ValueType::Enumeration) {
        return truth(false);
    }
    if text.as_str().contains('\0') {
        return truth(false);
    }
    if text.as_str().is_empty() {
        return is_given(column);
    }
    match (&column.search, column.fold()) {
        (Search::Folded(_), Some(fold)) => found(Expr::col(sea_query::Alias::new(fold)), text.folded()),
        _ => {
            let lower = Func::lower((column.dialect.in_code_point_order)(Expr::col(column.alias())));
            found(lower.into(), &text.as_str().to_ascii_lowercase())
        }
    }
}

/// Returns the SQL condition that a column starts with a prefix. It is a range comparison, which every index supports.
fn starts_with(field: Expr, text: &str) -> Expr {
    let from = field.clone().gte(text);
    match next_prefix(text) {
        Some(next) => from.and(field.lt(next)),
        None => from,
    }
}

/// Returns the smallest string that is greater than all strings with this prefix. Returns `None` if no such string exists.
fn next_prefix(text: &str) -> Option<String> {
    let mut characters: Vec<char> = text.chars().collect();
    while let Some(last) = characters.pop() {
        // The surrogates from U+D800 to U+DFFF are not characters.
        let next = if last == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::next_prefix;

    #[test]
    fn the_next_prefix_is_above_all_strings_with_the_prefix() {
        for (text, expected) in [
            ("a", Some("b")),
            ("az", Some("a{")),
            ("a\u{D7FF}", Some("a\u{E000}")),
            ("a\u{10FFFF}", Some("b")),
            ("\u{10FFFF}", None),
            ("", None),
        ] {
            assert_eq!(next_prefix(text).as_deref(), expected, "{text:?}");
        }
    }
}
