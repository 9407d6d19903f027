//! Builds a single statement that reads the first rows of several lists, one list per key.

use restwright_list::Value;
use restwright_resource::{ListQuery, StoreError};
use sea_query::{Alias, Expr, ExprTrait, JoinType, Query, SelectStatement, Value as SqlValue, ValueTuple};

use crate::condition::no_column;
use crate::dialect::Dialect;
use crate::operand::Operand;
use crate::select::{List, order};
use crate::table::{Column, Table};

/// Returns a single statement that reads the first rows of several lists, one list per key. Returns `None` if no row can match any of the
/// keys. The conditions include the scope and the filter.
///
/// A window function would read all rows of each key. Both databases instead read the first rows of each key from an index: PostgreSQL in a lateral
/// join, and SQLite, which has none, with a subquery that returns the identifiers.
pub(crate) fn per_key<D: Dialect>(
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
    let rows = list.rows::<D>(&order, None);
    let mut select = Query::select();
    let version = table.version.as_ref().filter(|version| version.field.is_none());
    let read = table.columns.iter().map(Column::alias).chain(version.map(|version| Alias::new(&version.name)));
    select.columns(read.map(|column| (found.clone(), column))).from_values(keys, wanted);
    if D::HAS_LATERAL_JOINS {
        select.join_lateral(JoinType::InnerJoin, rows, found, Expr::cust("TRUE"));
    } else {
        let identifier = table.identifier();
        let mut identifiers = rows;
        identifiers.clear_selects().column((Alias::new(&table.name), identifier.alias()));
        let is_found = Expr::col((found.clone(), identifier.alias())).in_subquery(identifiers);
        select.join_as(JoinType::InnerJoin, table.reference(), found, is_found);
    }
    Ok(Some(select))
}

/// Converts a key to bound values, or returns `None` if the columns cannot store the key.
fn tuple(columns: &[&Column], key: &[Value<'static>]) -> Option<ValueTuple> {
    let values = columns.iter().zip(key).map(|(column, value)| match column.operand(value) {
        Operand::Exact(value) => Some(value),
        _ => None,
    });
    Some(ValueTuple::Many(values.collect::<Option<Vec<SqlValue>>>()?))
}
