//! Deletes entities in tables that keep deleted rows. Such a delete stores the time of the deletion in the row.

use std::collections::VecDeque;
use std::sync::Arc;

use restwright_list::Value;
use restwright_resource::{OnDelete, Statement, StoreError, Version};
use sea_query::{Expr, ExprTrait, Query, Value as SqlValue};

use super::failure::{self, identifiers};
use super::writing::Needs;
use crate::driver::FailureKind;
use crate::statements::Place;
use crate::statements::condition::is_live;
use crate::store::SqlStore;
use crate::table::{Column, Table};
use crate::transactions::{Failure, Lease, Watched};
use crate::value::{bound, moment};

/// The maximum number of identifiers in one statement.
const KEYS: usize = 500;

/// The identifiers of deleted rows in one table.
struct Deleted {
    table: Arc<Table>,
    keys: Vec<SqlValue>,
}

impl SqlStore {
    /// Marks a row as deleted, and cascades the delete to the rows that refer to it. The mark is the time of the deletion. Referring rows
    /// in tables that do not keep deleted rows are removed.
    pub(crate) async fn delete_kept(
        &self,
        statement: &mut Statement<'_>,
        table: &Arc<Table>,
        (place, identifier): (&Place<'_>, &Value<'_>),
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let now = moment(statement.deletion_time());
        self.writing(statement, Needs::LockingTransaction, async |lease| {
            let watched = Watched::begin(&self.shared.settings, table, "delete");
            let deleted = self.delete_kept_on(lease, table, (place, identifier), expected, &now).await;
            watched.end("", async { None }).await;
            deleted
        })
        .await
    }

    async fn delete_kept_on(
        &self,
        lease: &mut Lease<'_>,
        table: &Arc<Table>,
        (place, identifier): (&Place<'_>, &Value<'_>),
        expected: Option<Version>,
        now: &SqlValue,
    ) -> Result<(), StoreError> {
        if table.version.is_none() {
            super::locked::check(lease, table, place, expected).await?;
        }
        let Some(mark) = place.mark(now, expected.filter(|_| table.version.is_some())) else {
            return Err(StoreError::NotFound);
        };
        match lease.execute(&**table, mark.sql, mark.values).await {
            Ok(0) => return Err(self.missed(lease, table, place, expected).await?),
            Ok(_) => {}
            Err(failed) => return Err(failure::of_delete(failed, &self.shared, table, place, lease).await),
        }
        let tables = self.shared.all_tables();
        let key = bound(identifier.clone(), table.identifier().field.value_type());
        let first = Deleted { table: Arc::clone(table), keys: vec![key] };
        let (mut pending, mut marked, mut leaving) = (VecDeque::from([first]), Vec::new(), Vec::new());
        while let Some(deleted) = pending.pop_front() {
            for (referring, column) in referring(&tables, &deleted.table, OnDelete::Cascade) {
                for keys in deleted.keys.chunks(KEYS) {
                    if referring.deletion_column().is_none() {
                        leaving.push((Arc::clone(referring), column.name.clone(), encoded(column, keys)));
                        continue;
                    }
                    let mut select = Query::select();
                    select.column(referring.identifier().alias()).from(referring.reference());
                    select.and_where(Expr::col(column.alias()).is_in(encoded(column, keys)));
                    if let Some(live) = is_live(referring) {
                        select.and_where(live);
                    }
                    let found = identifiers(referring, select, lease).await?;
                    let keys: Vec<_> = found.into_iter().map(|(_, key)| key).collect();
                    for keys in keys.chunks(KEYS) {
                        mark_all(lease, referring, keys, now).await?;
                    }
                    if !keys.is_empty() {
                        pending.push_back(Deleted { table: Arc::clone(referring), keys });
                    }
                }
            }
            marked.push(deleted);
        }
        self.delete_leaving(lease, &tables, leaving).await?;
        for deleted in &marked {
            for (referring, column) in referring(&tables, &deleted.table, OnDelete::Restrict) {
                for keys in deleted.keys.chunks(KEYS) {
                    let mut select = Query::select();
                    select.expr(Expr::cust("1")).from(referring.reference()).limit(1);
                    select.and_where(Expr::col(column.alias()).is_in(encoded(column, keys)));
                    if let Some(live) = is_live(referring) {
                        select.and_where(live);
                    }
                    let (sql, values) = table.dialect.build(&select);
                    if !lease.fetch(&**referring, sql.into(), values).await?.is_empty() {
                        return Err(StoreError::Referenced { by: referring.definition.name().to_owned().into() });
                    }
                }
            }
        }
        Ok(())
    }

    /// Deletes rows from tables that do not keep deleted rows. A row is deleted before the rows that it refers to.
    async fn delete_leaving(
        &self,
        lease: &mut Lease<'_>,
        tables: &[Arc<Table>],
        mut leaving: Vec<(Arc<Table>, String, Vec<SqlValue>)>,
    ) -> Result<(), StoreError> {
        let is_deferred = lease.dialect().checks_before_cascades && !leaving.is_empty();
        if is_deferred {
            lease.execute(None, "SET CONSTRAINTS ALL DEFERRED".into(), Vec::new()).await?;
        }
        while !leaving.is_empty() {
            let refers = |other: &Table, to: &Table| {
                let mut references = other.columns.iter().filter_map(|column| column.field.reference());
                other.name != to.name && references.any(|(target, _)| target == to.definition.name())
            };
            let is_first = |(table, ..): &(Arc<Table>, String, Vec<SqlValue>)| {
                !leaving.iter().any(|(other, ..)| refers(other, table))
            };
            let next = leaving.iter().position(is_first).unwrap_or_default();
            let (table, column, keys) = leaving.swap_remove(next);
            let mut delete = Query::delete();
            delete.from_table(table.reference());
            delete.and_where(Expr::col(sea_query::Alias::new(column)).is_in(keys));
            let (sql, values) = lease.dialect().build(&delete);
            if let Err(failed) = lease.execute(&*table, sql.into(), values).await {
                return Err(of_leaving(failed, tables, &table));
            }
            if is_deferred && leaving.is_empty() {
                let checked = lease.execute(&*table, "SET CONSTRAINTS ALL IMMEDIATE".into(), Vec::new()).await;
                checked.map_err(|failed| of_leaving(failed, tables, &table))?;
            }
        }
        Ok(())
    }
}

/// Converts the error of a failed delete to `StoreError::Referenced` if other rows still refer to the deleted rows.
fn of_leaving(failed: Failure, tables: &[Arc<Table>], table: &Arc<Table>) -> StoreError {
    let FailureKind::Reference { table: by, .. } = &failed.kind else { return failed.into() };
    let by = by.as_ref().and_then(|by| tables.iter().find(|table| table.name == *by));
    let by = by.or_else(|| referring(tables, table, OnDelete::Restrict).next().map(|(referring, _)| referring));
    match by {
        Some(by) => StoreError::Referenced { by: by.definition.name().to_owned().into() },
        None => failed.into(),
    }
}

/// Returns the columns that refer to the table `target` with the `ON DELETE` action in `wanted`.
fn referring<'t>(
    tables: &'t [Arc<Table>],
    target: &Table,
    wanted: OnDelete,
) -> impl Iterator<Item = (&'t Arc<Table>, &'t Column)> {
    let name = target.definition.name().to_owned();
    let columns = tables.iter().flat_map(|table| table.columns.iter().map(move |column| (table, column)));
    columns.filter(move |(_, column)| {
        column.field.reference().is_some_and(|(target, on_delete)| target == name && on_delete == wanted)
    })
}

/// Converts identifiers to the encoding of a column.
fn encoded(column: &Column, keys: &[SqlValue]) -> Vec<SqlValue> {
    keys.iter().map(|key| column.encoded(key.clone())).collect()
}

/// Stores the time of the deletion and a new version in each row.
async fn mark_all(lease: &mut Lease<'_>, table: &Table, keys: &[SqlValue], now: &SqlValue) -> Result<(), StoreError> {
    let Some(column) = table.deletion_column() else { return Ok(()) };
    let mut update = Query::update();
    update.table(table.reference()).value(column.alias(), column.encoded(now.clone()));
    if let Some(version) = &table.version {
        update.value(sea_query::Alias::new(&version.name), Version::random().number());
    }
    update.and_where(Expr::col(table.identifier().alias()).is_in(encoded(table.identifier(), keys)));
    let (sql, values) = table.dialect.build(&update);
    Ok(lease.execute(table, sql.into(), values).await.map(drop)?)
}
