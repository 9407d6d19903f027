//! Builds a single statement that reads the first rows of several lists, one list per key.

use std::borrow::Cow;

use restwright_list::{SortBag, SortEntry, Value};
use restwright_resource::{FieldDefinition, IdentifierKind, ListQuery, StoreError, UniqueConstraint};
use sea_query::{Alias, Expr, ExprTrait, JoinType, Query, SelectStatement, Value as SqlValue, ValueTuple};

use crate::statements::condition::no_column;
use crate::statements::select::{List, order, order_by};
use crate::table::{Column, Operand, Table};

/// Returns a single statement that reads the first rows of several lists, one list per key. Returns `None` if no row can match any of the
/// keys. The conditions include the scope and the filter.
///
/// A window function would read all rows of each key. Both databases instead read the first rows of each key from an index: PostgreSQL in a lateral
/// join, and SQLite, which has none, with a subquery that returns the identifiers.
pub(crate) fn per_key(
    table: &Table,
    conditions: Vec<Expr>,
    query: &ListQuery<'_>,
    fields: &[&str],
    keys: &[Vec<Value<'static>>],
) -> Result<Option<SelectStatement>, StoreError> {
    let columns: Result<Vec<_>, _> =
        fields.iter().map(|field| table.column(field).ok_or_else(|| no_column(table, field))).collect();
    let columns = columns?;
    let keys: Vec<_> = keys.iter().filter_map(|key| tuple(&columns, key)).collect();
    if keys.is_empty() {
        return Ok(None);
    }
    // A name that is not the name of the table, because its columns are qualified with it.
    let alias =
        |name: &str| Alias::new(format!("{name}{}", if table.name.eq_ignore_ascii_case(name) { "_" } else { "" }));
    let (wanted, found) = (alias("wanted"), alias("found"));
    let mut conditions = conditions;
    for (index, column) in columns.iter().enumerate() {
        let value = Expr::col((wanted.clone(), Alias::new(format!("column{}", index + 1))));
        let own = Expr::col((Alias::new(&table.name), column.alias()));
        conditions.push(own.eq(value));
    }
    let order = order(table, &query.order, false)?;
    let list = List { table, conditions, read: query.window.read() };
    let rows = list.rows(&order, None);
    let mut select = Query::select();
    let version = table.version.as_ref().filter(|version| version.field.is_none());
    let read = table.columns.iter().map(Column::alias).chain(version.map(|version| Alias::new(&version.name)));
    select.columns(read.map(|column| (found.clone(), column))).from_values(keys, wanted);
    if table.dialect.has_lateral_joins {
        select.join_lateral(JoinType::InnerJoin, rows, found, Expr::cust("TRUE"));
    } else {
        let identifier = table.identifier();
        let mut identifiers = rows;
        identifiers.clear_selects().column((Alias::new(&table.name), identifier.alias()));
        if !is_indexed(table, fields, &query.order) {
            // SQLite keeps no statistics, so it would read an index in this order, and with it all rows of the scope for each key.
            identifiers.clear_order_by();
            for (place, (column, direction)) in order.iter().enumerate() {
                let by = column.ordered();
                let by = if place == 0 { Expr::cust_with_expr("+?", by) } else { by };
                order_by(table.dialect, &mut identifiers, by, column.field.is_nullable(), *direction);
            }
        }
        let is_found = Expr::col((found.clone(), identifier.alias())).in_subquery(identifiers);
        select.join_as(JoinType::InnerJoin, table.reference(), found, is_found);
    }
    Ok(Some(select))
}

/// Returns `true` if a declared index contains the rows of a key in the order of the query. SQLite ends each index with an integer identifier.
fn is_indexed(table: &Table, fields: &[&str], order: &SortBag) -> bool {
    let definition = &table.definition;
    let is_scope = |name: &&&str| definition.get(name).is_some_and(FieldDefinition::is_scope);
    let key: Vec<_> = fields.iter().filter(|name| !is_scope(name)).collect();
    let order: Vec<_> = order.iter().map(SortEntry::name).take_while(|name| *name != definition.identifier()).collect();
    let is_of_reference = order.is_empty() && definition.identifier_kind() == IdentifierKind::Integer;
    let serves = |index: &[Cow<'static, str>]| {
        let Some((first, then)) = index.split_at_checked(key.len()) else { return false };
        key.iter().all(|name| first.iter().any(|field| field == **name))
            && order.iter().enumerate().all(|(place, name)| then.get(place).is_some_and(|field| field == name))
    };
    // The other indexes of constraints can contain expressions instead of the columns.
    let is_serving = |constraint: &UniqueConstraint| {
        !constraint.are_nulls_equal() && !constraint.ignores_case() && serves(constraint.fields())
    };
    // Each index of an order starts with the scope.
    key.is_empty()
        || is_of_reference
        || definition.indexes().any(serves)
        || definition.unique_constraints().any(is_serving)
}

/// Converts a key to bound values, or returns `None` if the columns cannot store the key.
fn tuple(columns: &[&Column], key: &[Value<'static>]) -> Option<ValueTuple> {
    let values = columns.iter().zip(key).map(|(column, value)| match column.operand(value) {
        Operand::Exact(value) => Some(value),
        _ => None,
    });
    Some(ValueTuple::Many(values.collect::<Option<Vec<SqlValue>>>()?))
}
