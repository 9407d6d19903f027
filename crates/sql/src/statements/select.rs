//! Builds the `SELECT` statements of lists.

use restwright_list::{Direction, Position, SortBag, Value};
use restwright_resource::{IdentifierKind, ListQuery, RelatedValue, Scope, StoreError};
use sea_query::{Alias, Asterisk, Expr, ExprTrait, JoinType, NullOrdering, Order, Query, SelectStatement, UnionType};

use crate::dialect::Dialect;
use crate::statements::condition::{
    self, FindTable, RelatedRows, above, below, equals, expression, is_given, no_column, related_rows, truth,
};
use crate::table::{Column, Operand, Table};

/// The table, the conditions and the row limit of a list query.
pub(crate) struct List<'l> {
    pub(crate) table: &'l Table,
    pub(crate) conditions: Vec<Expr>,
    pub(crate) read: u64,
}

/// Returns the `SELECT` statement of a list query. `conditions` includes the filter.
pub(crate) fn list(
    find: FindTable<'_>,
    table: &Table,
    scope: &Scope,
    mut conditions: Vec<Expr>,
    query: &ListQuery<'_>,
) -> Result<SelectStatement, StoreError> {
    if query.order.iter().any(|entry| related_value(query, entry.name()).is_some()) {
        conditions.splice(0..0, condition::scope(table, scope)?);
        let list = List { table, conditions, read: query.window.read() };
        return list.by_related(find, query);
    }
    let order = order(table, &query.order, query.window.is_backward())?;
    if let [identifier] = order.as_slice()
        && let Some(select) = by_identifier(table, scope, &conditions, *identifier, query)
    {
        return Ok(select);
    }
    conditions.splice(0..0, condition::scope(table, scope)?);
    let list = List { table, conditions, read: query.window.read() };
    let Some(position) = query.window.position() else {
        let mut select = list.rows(&order, None);
        if query.window.offset() > 0 {
            select.offset(query.window.offset());
        }
        return Ok(select);
    };
    if let Some(select) = list.adjacent(position, &order)? {
        return Ok(select);
    }
    let beyond = expression(table, &position.expression())?;
    Ok(list.rows(&order, Some(beyond)))
}

/// Returns the statement that reads the rows of a scope in the order of their identifiers.
///
/// For a constant scope field, PostgreSQL could read the primary key, which also has this order, and skip the rows of other scopes one by one. The
/// statement therefore compares the field with a list of values. The field is then part of the order, and only indexes on the scope have this order.
fn by_identifier(
    table: &Table,
    scope: &Scope,
    conditions: &[Expr],
    (identifier, direction): (&Column, Direction),
    query: &ListQuery<'_>,
) -> Option<SelectStatement> {
    let is_given = matches!(table.definition.identifier_kind(), IdentifierKind::Given(_));
    let mut scoped = table.scope_columns();
    let first = scoped.next().filter(|_| table.dialect.compares_rows && !is_given)?;
    let Operand::Exact(value) = first.operand(scope.get(first.field.name())?) else { return None };
    if first.encoding().is_of_language {
        // The index orders its values differently.
        return None;
    }
    // PostgreSQL treats a list with one value as a constant.
    let first_is = Expr::col(first.alias()).is_in([value.clone(), value]);
    let others = scoped.filter_map(|column| Some(equals(column, scope.get(column.field.name())?)));
    let position = query.window.position().and_then(|position| position.fields().next().zip(Some(position)));
    let beyond =
        position.map(|((_, _, value), position)| beyond((identifier, direction), value, position.is_inclusive()));
    let conditions = std::iter::once(first_is).chain(others).chain(conditions.iter().cloned()).chain(beyond);
    let list = List { table, conditions: conditions.collect(), read: query.window.read() };
    let mut select = list.rows(&[(first, direction), (identifier, direction)], None);
    if query.window.offset() > 0 {
        select.offset(query.window.offset());
    }
    Some(select)
}

/// Returns the statement that counts the rows that match the conditions.
pub(crate) fn count(table: &Table, conditions: Vec<Expr>) -> SelectStatement {
    let mut select = Query::select();
    select.expr(Expr::col(Asterisk).count()).from(table.reference());
    for condition in conditions {
        select.and_where(condition);
    }
    select
}

/// Returns the statement that checks whether any row matches the conditions.
pub(crate) fn any(table: &Table, conditions: Vec<Expr>) -> SelectStatement {
    let mut select = Query::select();
    select.expr(Expr::cust("1")).from(table.reference()).limit(1);
    for condition in conditions {
        select.and_where(condition);
    }
    select
}

/// Appends a column with the number of all matching rows to a `SELECT` statement. The database counts these rows once.
pub(crate) fn add_total(select: &mut SelectStatement, table: &Table, conditions: Vec<Expr>) {
    let mut alias = "count".to_owned();
    // A column with this alias would make an order by the column an order by the total.
    while table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(&alias)) {
        alias.push('_');
    }
    select.expr_as(Expr::SubQuery(None, Box::new(count(table, conditions).into())), Alias::new(alias));
}

/// Returns a `SELECT` statement for all columns of a table in their order, followed by the version.
pub(crate) fn columns(table: &Table) -> SelectStatement {
    let mut select = Query::select();
    select.columns(column_names(table)).from(table.reference());
    select
}

/// Returns the names of all columns of a table in their order, followed by the version.
pub(crate) fn column_names(table: &Table) -> impl Iterator<Item = Alias> {
    let version = table.version.as_ref().filter(|version| version.field.is_none());
    table.columns.iter().map(Column::alias).chain(version.map(|version| Alias::new(&version.name)))
}

/// Returns the value of related entities with this name in an order.
fn related_value<'q>(query: &'q ListQuery<'_>, name: &str) -> Option<&'q RelatedValue> {
    query.related.iter().find(|value| value.name == name)
}

/// Adds an expression to `ORDER BY`. Null is the smallest value.
pub(crate) fn order_by(
    dialect: &Dialect,
    select: &mut SelectStatement,
    by: Expr,
    is_nullable: bool,
    direction: Direction,
) {
    let (sql, nulls) = match direction {
        Direction::Ascending => (Order::Asc, NullOrdering::First),
        Direction::Descending => (Order::Desc, NullOrdering::Last),
    };
    // Without null, the order equals the default order of indexes.
    if dialect.nulls_are_largest && is_nullable {
        select.order_by_expr_with_nulls(by, sql, nulls);
    } else {
        select.order_by_expr(by, sql);
    }
}

/// Returns the columns and directions of a sort order, which is reversed if `is_backward` is `true`.
pub(crate) fn order<'t>(
    table: &'t Table,
    order: &SortBag,
    is_backward: bool,
) -> Result<Vec<(&'t Column, Direction)>, StoreError> {
    let columns = order.iter().map(|entry| {
        let column = table.column(entry.name()).ok_or_else(|| no_column(table, entry.name()))?;
        Ok((column, if is_backward { entry.direction.reversed() } else { entry.direction }))
    });
    columns.collect()
}

impl List<'_> {
    /// Returns the statement that reads the sorted rows of the list, restricted by an additional condition.
    pub(crate) fn rows(&self, order: &[(&Column, Direction)], condition: Option<Expr>) -> SelectStatement {
        let mut select = self.unordered(condition);
        self.order(&mut select, order);
        select
    }

    /// Returns the statement that reads the rows in an order that contains values of related rows. Each value is a column of a joined table,
    /// because a database runs a subquery once per row.
    fn by_related(&self, find: FindTable<'_>, query: &ListQuery<'_>) -> Result<SelectStatement, StoreError> {
        let mut select = self.unordered(None);
        for (index, entry) in query.order.iter().enumerate() {
            let name = entry.name();
            let (by, is_nullable) = match related_value(query, name) {
                Some(value) => {
                    let rows = related_rows(find, self.table, &value.exists)?;
                    (self.join_value(&mut select, index, rows, &value.field)?, true)
                }
                None => {
                    let column = self.table.column(name).ok_or_else(|| no_column(self.table, name))?;
                    (column.ordered(), column.field.is_nullable())
                }
            };
            let backward = query.window.is_backward();
            order_by(
                self.table.dialect,
                &mut select,
                by,
                is_nullable,
                if backward { entry.direction.reversed() } else { entry.direction },
            );
        }
        select.limit(self.read);
        if query.window.offset() > 0 {
            select.offset(query.window.offset());
        }
        Ok(select)
    }

    /// Joins the related rows of each row, and returns the column with the value of their field. Each row has at most one related row. A row
    /// without a related row has null.
    fn join_value(
        &self,
        select: &mut SelectStatement,
        index: usize,
        rows: RelatedRows,
        field: &str,
    ) -> Result<Expr, StoreError> {
        let RelatedRows { select: mut rows, table: related, links } = rows;
        let column = related.column(field).ok_or_else(|| no_column(&related, field))?;
        let joined = self.free_name(&format!("sorted_{index}"));
        let value = format!("{joined}_value");
        rows.expr_as(column.ordered(), Alias::new(&value));
        let mut on = truth(true);
        for (link, (theirs, own)) in links.into_iter().enumerate() {
            let key = format!("{joined}_key_{link}");
            rows.expr_as(theirs, Alias::new(&key));
            on = on.and(Expr::col((Alias::new(&joined), Alias::new(key))).eq(own));
        }
        select.join_subquery(JoinType::LeftJoin, rows, Alias::new(&joined), on);
        Ok(Expr::col((Alias::new(joined), Alias::new(value))))
    }

    /// Returns a name that is neither the name nor the start of the name of the table or of one of its columns.
    fn free_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        let is_start =
            |of: &str, name: &str| of.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        let columns =
            || self.table.columns.iter().flat_map(|column| std::iter::once(column.name.as_str()).chain(column.fold()));
        while columns().chain([self.table.name.as_str()]).any(|of| is_start(of, &name)) {
            name.insert(0, '_');
        }
        name
    }

    fn unordered(&self, condition: Option<Expr>) -> SelectStatement {
        let mut select = columns(self.table);
        for condition in self.conditions.iter().cloned().chain(condition) {
            select.and_where(condition);
        }
        select
    }

    /// Adds `ORDER BY` and `LIMIT` to a statement.
    fn order(&self, select: &mut SelectStatement, order: &[(&Column, Direction)]) {
        for (column, direction) in order {
            order_by(self.table.dialect, select, column.ordered(), column.field.is_nullable(), *direction);
        }
        select.limit(self.read);
    }

    /// Returns the statement that reads the rows before or after a position directly from an index. Returns `None` unless the list is
    /// sorted by the identifier, or by one field followed by the identifier.
    fn adjacent(
        &self,
        position: &Position,
        order: &[(&Column, Direction)],
    ) -> Result<Option<SelectStatement>, StoreError> {
        let values: Vec<_> = position.fields().map(|(_, _, value)| value).collect();
        let is_inclusive = position.is_inclusive();
        Ok(match (order, values.as_slice()) {
            ([identifier], [value]) => {
                let condition = beyond(*identifier, value, is_inclusive);
                Some(self.rows(order, Some(condition)))
            }
            ([field, identifier], [at, id]) if field.1 == identifier.1 => {
                self.adjacent_by_field(*field, *identifier, at, id, is_inclusive)
            }
            _ => None,
        })
    }

    fn adjacent_by_field(
        &self,
        field: (&Column, Direction),
        identifier: (&Column, Direction),
        at: &Value<'static>,
        id: &Value<'static>,
        is_inclusive: bool,
    ) -> Option<SelectStatement> {
        let (column, direction) = field;
        let operand = column.operand(at);
        let at_id = identifier.0.operand(id);
        let both = [field, identifier];
        let is_null = || Expr::col(column.alias()).is_null();
        let mut segments = match (&operand, &at_id) {
            // This condition uses one range of the index. With an additional condition on the same value, the database could use an index in the
            // order of identifiers, and skip rows of other values one by one.
            (Operand::Exact(at), Operand::Exact(id)) if self.table.dialect.compares_rows => {
                let row = Expr::tuple([column.ordered(), identifier.0.ordered()]);
                let place = Expr::tuple([Expr::val(at.clone()), Expr::val(id.clone())]);
                vec![match (direction, is_inclusive) {
                    (Direction::Ascending, false) => row.gt(place),
                    (Direction::Ascending, true) => row.gte(place),
                    (Direction::Descending, false) => row.lt(place),
                    (Direction::Descending, true) => row.lte(place),
                }]
            }
            // First the rows with the same value, then the rows with values beyond it.
            (Operand::Exact(_), _) => {
                let same = equals(column, at).and(beyond(identifier, id, is_inclusive));
                vec![same, beyond(field, at, false)]
            }
            _ if at.is_null() => {
                let same = is_null().and(beyond(identifier, id, is_inclusive));
                let above = (direction == Direction::Ascending).then(|| is_given(column));
                std::iter::once(same).chain(above).collect()
            }
            _ => return None,
        };
        // The last rows are those with null.
        if direction == Direction::Descending && !at.is_null() && column.field.is_nullable() {
            segments.push(is_null());
        }
        if let [condition] = segments.as_slice() {
            return Some(self.rows(&both, Some(condition.clone())));
        }
        // A compound is ordered by the names of its columns.
        if both.iter().any(|(column, _)| column.encoding().is_of_language) {
            return None;
        }
        let mut segments = segments.into_iter().enumerate().map(|(index, condition)| {
            if self.table.dialect.merges_unions {
                return self.unordered(Some(condition));
            }
            let rows = self.rows(&both, Some(condition));
            let mut select = Query::select();
            select.column(Asterisk).from_subquery(rows, Alias::new(format!("segment_{index}")));
            select
        });
        let mut select = segments.next()?;
        for segment in segments {
            select.union(UnionType::All, segment);
        }
        self.order(&mut select, &both);
        Some(select)
    }
}

/// Returns the SQL condition that the value of a column sorts after `value` in a sort direction. If `is_inclusive` is `true`, an equal
/// column also matches.
fn beyond((column, direction): (&Column, Direction), value: &Value<'_>, is_inclusive: bool) -> Expr {
    let operand = column.operand(value);
    match direction {
        Direction::Ascending => above(column, operand, is_inclusive),
        Direction::Descending => below(column, operand, is_inclusive),
    }
}
