//! Runs the statements of a store, independently of the entity type. `Operations` calls these functions, so this crate compiles them.

use std::sync::Arc;

use restwright_list::{Expression, Value};
use restwright_resource::{ListQuery, Row, Statement, StoreError, Version};
use sea_query::{Alias, Expr, ExprTrait};
use sqlx::Row as _;

use crate::connections::Access;
use crate::dialect::{Dialect, DriverRow};
use crate::failure::Written;
use crate::kept_deleted::of_missing;
use crate::lease::{Lease, Needs};
use crate::pages::Stored;
use crate::per_key::per_key;
use crate::reading::integer;
use crate::schema::ReadBack;
use crate::statements::{Bound, Place, updated};
use crate::store::DatabaseStore;
use crate::table::Table;
use crate::{condition, failure, select};

/// A table, and rows that a query returned from it.
pub(crate) type Rows<D> = (Arc<Table>, Vec<DriverRow<D>>);

impl<D: Dialect> DatabaseStore<D> {
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
        let Bound { sql, values } = place.exists::<D>(self.filter(&table, condition)?);
        let rows = self.read_rows((Access::Read, "exists"), statement, &table, sql, values).await?;
        Ok(!rows.is_empty())
    }

    pub(crate) async fn any_row(
        &self,
        statement: &mut Statement<'_>,
        condition: &Expression,
    ) -> Result<bool, StoreError> {
        statement.check_filter(condition, &|name| self.shared.find_definition(name))?;
        let table = self.shared.table(statement.definition())?;
        let (sql, values) = D::build(&select::any(&table, self.all(&table, statement, condition)?));
        let rows = self.read_rows((Access::Read, "any"), statement, &table, sql.into(), values).await?;
        Ok(!rows.is_empty())
    }

    /// Finds a row by its identifier. Returns the table, and the row if the scope contains it.
    pub(crate) async fn find_row(
        &self,
        statement: &mut Statement<'_>,
        identifier: &Value<'_>,
    ) -> Result<Rows<D>, StoreError> {
        statement.key(identifier)?;
        let table = self.shared.table(statement.definition())?;
        let Some(place) = Place::new(&table, identifier, statement.scope()) else {
            return Ok((table, Vec::new()));
        };
        let place = place.seen_by(statement);
        let Bound { sql, values } =
            if statement.is_for_update() { place.find_locked::<D>() } else { place.find::<D>() };
        let rows = self.read_rows((Access::Read, "find"), statement, &table, sql, values).await?;
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
    ) -> Result<(Rows<D>, u64), StoreError> {
        statement.check_query(query, &|name| self.shared.find_definition(name))?;
        let table = self.shared.table(statement.definition())?;
        let has_total = is_counted && query.window.position().is_none();
        let (sql, values) = {
            let mut filter = self.filter(&table, &query.filter)?;
            filter.extend(condition::is_live(&table).filter(|_| !statement.sees_deleted()));
            let mut select =
                select::list::<D>(&|name| self.shared.find_table(name), &table, statement.scope(), filter, query)?;
            if has_total {
                select::add_total(&mut select, &table, self.all(&table, statement, &query.filter)?);
            }
            D::build(&select)
        };
        let rows = self
            .read_rows((Access::List(table.definition.name()), "list"), statement, &table, sql.into(), values)
            .await?;
        let total = match rows.first() {
            Some(row) if has_total => number::<D>(row, row.len().saturating_sub(1))?,
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
    ) -> Result<Rows<D>, StoreError> {
        statement.check_query(query, &|name| self.shared.find_definition(name))?;
        let table = self.shared.table(statement.definition())?;
        let conditions = self.conditions(&table, statement, &query.filter, condition::is_live(&table))?;
        let built = per_key::<D>(&table, conditions, query, fields, keys)?.map(|select| D::build(&select));
        let Some((sql, values)) = built else { return Ok((table, Vec::new())) };
        let rows = self
            .read_rows((Access::List(table.definition.name()), "list"), statement, &table, sql.into(), values)
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
        let (sql, values) = D::build(&select::count(&table, self.all(&table, statement, filter)?));
        let rows = self
            .read_rows((Access::List(table.definition.name()), "count"), statement, &table, sql.into(), values)
            .await?;
        rows.first().map_or(Ok(0), |row| number::<D>(row, 0))
    }

    /// Returns the SQL conditions of a statement that reads all rows that match a filter.
    fn all(
        &self,
        table: &Table,
        statement: &Statement<'_>,
        filter: &Expression,
    ) -> Result<Vec<sea_query::SimpleExpr>, StoreError> {
        let live = condition::is_live_in_all::<D>(table, statement.scope(), filter);
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
        let one = |one| condition::related_expression::<D>(&find, table, one);
        match filter {
            Expression::All(all) => all.iter().map(one).collect(),
            other => Ok(vec![one(other)?]),
        }
    }

    pub(crate) async fn update_row(
        &self,
        statement: &mut Statement<'_>,
        entity: &mut Row,
        expected: Option<Version>,
    ) -> Result<Stored<D>, StoreError> {
        // The version is random, because a counter would show a tenant how many writes other tenants make.
        let version = Version::random();
        statement.prepare_update(entity, version)?;
        let table = self.shared.table(statement.definition())?;
        let row = updated(&table, entity, version)?;
        let has_live = self.has_live_references(&table);
        if table.version.is_none() {
            return self.update_locked(statement, &table, entity, row, expected).await;
        }
        let Some(place) = Place::of(&table, entity) else { return Err(StoreError::NotFound) };
        let place = place.seen_by(statement);
        let bound = place.update::<D>(row, expected);
        let is_read_again = table.triggers().updates == ReadBack::Again;
        let is_several = has_live || is_read_again || table.may_change_folded();
        let needs = if is_several { Needs::LockingTransaction } else { Needs::OneStatement };
        self.writing(statement, needs, async |lease| {
            let written = Written::Changed;
            let missing =
                if has_live { self.missing_live_reference(&table, (entity, written), lease).await? } else { None };
            let (changed, row) = match lease.update(&table, bound).await {
                Ok(changed) => changed,
                Err(failed) => {
                    let failed = failure::of_write(failed, &self.shared, &table, entity, written, lease).await;
                    return of_missing(&table, Some(failed), missing).map(|()| Stored::AsWritten(version));
                }
            };
            if changed == 0 {
                return Err(self.missed(lease, &table, &place, expected).await?);
            }
            of_missing(&table, None, missing)?;
            let stored = match row {
                Some(row) => Stored::Read(Arc::clone(&table), row),
                None if is_read_again => self.stored_row(lease, &table, place).await?,
                None => Stored::AsWritten(version),
            };
            self.folded_again(lease, &table, entity, stored).await
        })
        .await
    }

    pub(crate) async fn delete_row(
        &self,
        statement: &mut Statement<'_>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        statement.key(identifier)?;
        let table = self.shared.table(statement.definition())?;
        let Some(place) = Place::new(&table, identifier, statement.scope()) else { return Err(StoreError::NotFound) };
        if table.deletion_column().is_some() {
            return self.delete_kept(statement, &table, (&place, identifier), expected).await;
        }
        if let Some(expected) = expected.filter(|_| table.version.is_none()) {
            return self.delete_locked(statement, &table, identifier, expected).await;
        }
        if self.is_deferred(&table) {
            return self.delete_deferred(statement, &table, &place, expected).await;
        }
        let bound = place.delete::<D>(expected);
        self.writing(statement, Needs::OneStatement, async |lease| {
            let changed = match lease.change(&table, "delete", bound).await {
                Ok(changed) => changed,
                Err(failed) => return Err(failure::of_delete(failed, &self.shared, &table, &place, lease).await),
            };
            if changed == 0 {
                return Err(self.missed(lease, &table, &place, expected).await?);
            }
            Ok(())
        })
        .await
    }

    /// Returns the error for an update or delete that changed no row. The row does not exist, it has another version, or a trigger skipped
    /// the change.
    pub(crate) async fn missed(
        &self,
        lease: &mut Lease<'_, D>,
        table: &Table,
        place: &Place<'_>,
        expected: Option<Version>,
    ) -> Result<StoreError, StoreError> {
        if expected.is_none() && !table.triggers().may_skip {
            return Ok(StoreError::NotFound);
        }
        let bound = place.exists::<D>(Vec::new());
        if lease.fetch(table, bound.sql, bound.values).await?.is_empty() {
            return Ok(StoreError::NotFound);
        }
        if !table.triggers().may_skip {
            return Ok(StoreError::StaleVersion);
        }
        // A table without a version column compares the version before the change.
        let expected = table.version.as_ref().zip(expected);
        let version = expected.map(|(column, expected)| Expr::col(Alias::new(&column.name)).eq(expected.number()));
        let bound = place.exists::<D>(version.into_iter().collect());
        let is_stale = lease.fetch(table, bound.sql, bound.values).await?.is_empty();
        Ok(if is_stale { StoreError::StaleVersion } else { self.shared.skipped(table) })
    }
}

/// Returns the unsigned integer in the column `index` of a row, such as a count of rows.
fn number<D: Dialect>(row: &DriverRow<D>, index: usize) -> Result<u64, StoreError> {
    u64::try_from(integer::<D>(row, index)?).map_err(StoreError::failed)
}

/// Advances the identifier sequence past the identifier of an inserted entity, unless the insert already advanced it.
pub(crate) async fn skip_identifiers<D: Dialect>(
    table: &Table,
    entity: &Row,
    lease: &mut Lease<'_, D>,
) -> Result<(), StoreError> {
    let identifier = entity.value(table.definition.identifier());
    let Value::Integer(identifier) = identifier else { return Ok(()) };
    let Some(skip) = i64::try_from(identifier).ok().and_then(|identifier| D::skip_identifiers(table, identifier))
    else {
        return Ok(());
    };
    if !lease.fetch(table, skip.is_needed.sql, skip.is_needed.values).await?.is_empty() {
        lease.execute(table, skip.sql, Vec::new()).await?;
    }
    Ok(())
}
