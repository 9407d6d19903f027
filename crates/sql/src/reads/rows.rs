//! Runs the queries of reads, and returns the rows of the driver.

use std::sync::Arc;

use restwright_list::{Expression, Value};
use restwright_resource::{ListQuery, Statement, StoreError};

use super::reading::integer;
use super::running::Length;
use crate::connections::Access;
use crate::dialect::Bound;
use crate::driver::SqlRow;
use crate::statements::{Place, condition, per_key, select};
use crate::store::SqlStore;
use crate::table::Table;

/// A table, and rows that a query returned from it.
pub(crate) type Rows = (Arc<Table>, Vec<SqlRow>);

impl SqlStore {
    pub(crate) async fn exists_row(
        &self,
        statement: &mut Statement<'_>,
        identifier: &Value<'_>,
        condition: &Expression,
    ) -> Result<bool, StoreError> {
        statement.key(identifier)?;
        statement.check_filter(condition, &|name| self.shared.find_definition(name))?;
        let table = self.shared.table(statement.definition())?;
        let Some(place) = Place::new(&table, identifier, statement.scope()) else { return Ok(false) };
        let place = place.seen_by(statement);
        let Bound { sql, values } = place.exists(self.filter(&table, condition)?);
        let rows = self.read_rows((Access::Read, "exists", Length::Short), statement, &table, sql, values).await?;
        Ok(!rows.is_empty())
    }

    pub(crate) async fn any_row(
        &self,
        statement: &mut Statement<'_>,
        condition: &Expression,
    ) -> Result<bool, StoreError> {
        statement.check_filter(condition, &|name| self.shared.find_definition(name))?;
        let table = self.shared.table(statement.definition())?;
        let (sql, values) = self.dialect().build(&select::any(&table, self.all(&table, statement, condition)?));
        let rows = self.read_rows((Access::Read, "any", Length::Short), statement, &table, sql.into(), values).await?;
        Ok(!rows.is_empty())
    }

    /// Finds a row by its identifier. Returns the table, and the row if the scope contains it.
    pub(crate) async fn find_row(
        &self,
        statement: &mut Statement<'_>,
        identifier: &Value<'_>,
    ) -> Result<Rows, StoreError> {
        statement.key(identifier)?;
        let table = self.shared.table(statement.definition())?;
        let Some(place) = Place::new(&table, identifier, statement.scope()) else {
            return Ok((table, Vec::new()));
        };
        let place = place.seen_by(statement);
        let Bound { sql, values } = if statement.is_for_update() { place.find_locked() } else { place.find() };
        let rows = self.read_rows((Access::Read, "find", Length::Short), statement, &table, sql, values).await?;
        Ok((table, rows))
    }

    /// Runs a list query and returns its rows. With `is_counted`, also returns the number of all matching rows.
    ///
    /// Each row of a page contains the number, so both take one statement. A second statement is needed for a page after the last one, which has no
    /// rows, and for a list from a position, which is a union.
    pub(crate) async fn list_rows(
        &self,
        statement: &mut Statement<'_>,
        query: &ListQuery<'_>,
        is_counted: bool,
    ) -> Result<(Rows, u64), StoreError> {
        statement.check_query(query, &|name| self.shared.find_definition(name))?;
        let table = self.shared.table(statement.definition())?;
        let has_total = is_counted && query.window.position().is_none();
        let (sql, values) = {
            let mut filter = self.filter(&table, &query.filter)?;
            filter.extend(condition::is_live(&table).filter(|_| !statement.sees_deleted()));
            let mut select =
                select::list(&|name| self.shared.find_table(name), &table, statement.scope(), filter, query)?;
            if has_total {
                select::add_total(&mut select, &table, self.all(&table, statement, &query.filter)?);
            }
            self.dialect().build(&select)
        };
        let how = (Access::List(table.definition.name()), "list", if has_total { Length::Any } else { Length::Short });
        let rows = self.read_rows(how, statement, &table, sql.into(), values).await?;
        let total = match rows.first() {
            Some(row) if has_total => number(row, row.columns().saturating_sub(1))?,
            None if has_total && query.window.offset() == 0 => 0,
            _ if is_counted => self.count_rows(statement, &query.filter).await?,
            _ => 0,
        };
        Ok(((table, rows), total))
    }

    /// Runs a list query for each key, and returns the first rows of each list. A key contains a value for each of the fields.
    pub(crate) async fn rows_per_key(
        &self,
        statement: &mut Statement<'_>,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> Result<Rows, StoreError> {
        statement.check_query(query, &|name| self.shared.find_definition(name))?;
        let table = self.shared.table(statement.definition())?;
        let conditions = self.conditions(&table, statement, &query.filter, condition::is_live(&table))?;
        let built = per_key(&table, conditions, query, fields, keys)?.map(|select| self.dialect().build(&select));
        let Some((sql, values)) = built else { return Ok((table, Vec::new())) };
        let rows = self
            .read_rows(
                (Access::List(table.definition.name()), "list", Length::Short),
                statement,
                &table,
                sql.into(),
                values,
            )
            .await?;
        Ok((table, rows))
    }

    pub(crate) async fn count_rows(
        &self,
        statement: &mut Statement<'_>,
        filter: &Expression,
    ) -> Result<u64, StoreError> {
        statement.check_filter(filter, &|name| self.shared.find_definition(name))?;
        let table = self.shared.table(statement.definition())?;
        let (sql, values) = self.dialect().build(&select::count(&table, self.all(&table, statement, filter)?));
        let rows = self
            .read_rows(
                (Access::List(table.definition.name()), "count", Length::Any),
                statement,
                &table,
                sql.into(),
                values,
            )
            .await?;
        rows.first().map_or(Ok(0), |row| number(row, 0))
    }

    /// Returns the SQL conditions of a statement that reads all rows that match a filter.
    fn all(
        &self,
        table: &Table,
        statement: &Statement<'_>,
        filter: &Expression,
    ) -> Result<Vec<sea_query::SimpleExpr>, StoreError> {
        let live = condition::is_live_in_all(table, statement.scope(), filter);
        self.conditions(table, statement, filter, live)
    }

    /// Returns the SQL conditions for the scope of a statement and for a filter. `live` is the condition that a row is not deleted.
    fn conditions(
        &self,
        table: &Table,
        statement: &Statement<'_>,
        filter: &Expression,
        live: Option<sea_query::SimpleExpr>,
    ) -> Result<Vec<sea_query::SimpleExpr>, StoreError> {
        let mut conditions = condition::scope(table, statement.scope())?;
        conditions.extend(live.filter(|_| !statement.sees_deleted()));
        conditions.extend(self.filter(table, filter)?);
        Ok(conditions)
    }

    fn filter(&self, table: &Table, filter: &Expression) -> Result<Vec<sea_query::SimpleExpr>, StoreError> {
        let find = |name: &str| self.shared.find_table(name);
        let one = |one| condition::related_expression(&find, table, one);
        match filter {
            Expression::All(all) => all.iter().map(one).collect(),
            other => Ok(vec![one(other)?]),
        }
    }
}

/// Returns the unsigned integer in the column `index` of a row, such as a count of rows.
fn number(row: &SqlRow, index: usize) -> Result<u64, StoreError> {
    u64::try_from(integer(row, index)?).map_err(StoreError::failed)
}
