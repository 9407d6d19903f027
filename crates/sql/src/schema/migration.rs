//! Compares the tables in the database with the entity definitions when the store starts. With `migrate`, adds missing tables, columns and
//! indexes.

use std::collections::BTreeSet;
use std::iter::zip;
use std::time::{Duration, Instant};

use restwright_core::ComponentError;
use restwright_core::runtime::log;
use restwright_list::ValueType;
use restwright_resource::StoreError;
use sqlx::{AssertSqlSafe, Transaction};

use super::Schema;
use super::compare::{Difference, Obstacle, Repair, compare};
use super::found_table::FoundTable;
use super::rename::{renamings, warn_of_unused_columns};
use super::rules::{warn_of_narrow_columns, warn_of_wide_columns};
use super::served::log_lists;
use crate::cell::Cell;
use crate::dialect::{Dialect, Driver};
use crate::failure_kind::{FailureKind, store_error};
use crate::part::StorePart;
use crate::store::{DatabaseStore, Shared};

/// The maximum time that a starting store waits for the migration of another process.
const WAIT: Duration = Duration::from_mins(10);

/// The maximum time that a starting store waits for a connection.
const CONNECTION_WAIT: Duration = Duration::from_secs(10);

type Began<D> = Transaction<'static, <D as Driver>::Database>;

impl<D: Dialect> DatabaseStore<D> {
    /// Checks that the tables in the database match all declared definitions. With `migrate`, adds missing tables, columns and indexes
    /// first.
    pub(crate) async fn check_schema(&self) -> Result<(), ComponentError> {
        let schema = Schema::new(&self.shared);
        if !schema.mistakes.is_empty() {
            return Err(schema.mistakes.join("\n").into());
        }
        if self.shared.settings.migrates {
            self.add_missing(&schema).await?;
        }
        let mut transaction = begin(&self.shared, D::BEGIN_CHECK).await?;
        let (found, differences) = differences(&self.shared, &schema, &mut transaction).await?;
        transaction.rollback().await?;
        if !differences.is_empty() {
            return Err(message::<D>(&differences).into());
        }
        for ((table, wanted), found) in schema.tables.iter().zip(&found) {
            if let Some(found) = found {
                table.adopt::<D>(wanted, found);
                warn_of_narrow_columns::<D>(table, found);
                warn_of_wide_columns::<D>(table, found);
            }
        }
        log_lists(&self.shared, &schema, &found);
        if self.shared.settings.migrates {
            self.fold_texts().await?;
        }
        Ok(())
    }

    /// Adds missing tables, columns and indexes in one transaction, under a lock.
    async fn add_missing(&self, schema: &Schema) -> Result<(), ComponentError> {
        let mut transaction = begin(&self.shared, D::BEGIN_MIGRATION).await?;
        D::lock_schema(&mut transaction).await?;
        let (found, mut differences) = differences(&self.shared, schema, &mut transaction).await?;
        if differences.iter().any(|difference| !difference.repair.is_addition()) {
            return Err(message::<D>(&differences).into());
        }
        warn_of_unused_columns(schema, &found);
        // Renames come first, tables before the indexes of others, and referenced tables before their references.
        differences.sort_by_key(|difference| difference.repair);
        for Difference { message, sql, .. } in differences {
            log(|| tracing::info!(database = D::NAME, sql, "migrating, because {message}"));
            let ran = D::run(&mut transaction, sql.as_str().into()).await;
            ran.map_err(|error| format!("{message}, but the statement that adds it failed: {error}\n{sql};"))?;
        }
        Ok(transaction.commit().await?)
    }
}

/// Reads all tables from the database, and returns the tables and their differences from the definitions.
async fn differences<D: Dialect>(
    shared: &Shared<D>,
    schema: &Schema,
    transaction: &mut Began<D>,
) -> Result<(Vec<Option<FoundTable>>, Vec<Difference>), ComponentError> {
    let must_write = shared.settings.is_required(StorePart::Writes);
    if let Some(reason) = D::unsuitable(transaction, must_write).await? {
        return Err(reason.into());
    }
    let mut all_found = Vec::new();
    for table in schema.table_schemas() {
        all_found.push(D::find_table(transaction, table.schema.as_deref(), &table.name).await?);
    }
    let names = |found: &[Option<FoundTable>]| -> BTreeSet<String> {
        found.iter().flatten().flat_map(|table| &table.indexes).map(|index| index.name.clone()).collect()
    };
    let before = names(&all_found);
    let mut differences = renamings(shared, schema, &mut all_found);
    let freed = &before - &names(&all_found);
    for (table, found) in zip(schema.table_schemas(), &all_found) {
        let mut compared = compare::<D>(table, found.as_ref());
        // A rename frees all other names.
        let is_taken = |one: &&mut Difference| one.index.as_ref().is_some_and(|name| !freed.contains(name));
        for difference in compared.iter_mut().filter(is_taken) {
            free_name::<D>(difference, table.schema.as_deref(), transaction).await?;
        }
        differences.extend(compared);
    }
    for difference in &mut differences {
        for obstacle in std::mem::take(&mut difference.obstacles) {
            name_rows::<D>(difference, obstacle, transaction).await?;
        }
    }
    Ok((all_found, differences))
}

/// Adds SQL that renames or drops the index of another table, if its name is needed for a new index.
async fn free_name<D: Dialect>(
    difference: &mut Difference,
    schema: Option<&str>,
    transaction: &mut Began<D>,
) -> Result<(), ComponentError> {
    let Some(index) = &difference.index else { return Ok(()) };
    if let Some(table) = D::table_of_index(transaction, schema, index).await? {
        difference.message.push_str(&format!(", but another index of the table `{table}` has its name"));
        difference.sql = format!("{};\n{}", D::free_index(schema, index), difference.sql);
        difference.repair = Repair::ReplaceIndex;
    }
    Ok(())
}

/// Finds the rows that would make a change fail, and adds their identifiers to the message of the change. A migration does not try such a
/// change.
async fn name_rows<D: Dialect>(
    difference: &mut Difference,
    obstacle: Obstacle,
    transaction: &mut Began<D>,
) -> Result<(), ComponentError> {
    // The query fails if a column or a table is missing or has another type. There are then no rows to name.
    D::run(transaction, "SAVEPOINT obstacle".into()).await?;
    let rows = D::fetch(transaction, obstacle.sql.into(), Vec::new(), false).await;
    let undo = if rows.is_ok() { "RELEASE SAVEPOINT obstacle" } else { "ROLLBACK TO SAVEPOINT obstacle" };
    D::run(transaction, undo.into()).await?;
    let rows = rows.unwrap_or_default();
    let identifiers = rows.iter().map(|row| match D::cell(row, 0, ValueType::Text) {
        Ok(Cell::Text(identifier)) => format!("`{identifier}`"),
        _ => "an unreadable identifier".to_owned(),
    });
    let identifiers: Vec<_> = identifiers.collect();
    if !identifiers.is_empty() {
        let (what, identifiers) = (obstacle.what, identifiers.join(", "));
        let message = format!("; rows {what}, such as {identifiers}: change or delete them before this statement");
        difference.message.push_str(&message);
        difference.repair = difference.repair.min(Repair::Change);
    }
    Ok(())
}

fn message<D: Dialect>(differences: &[Difference]) -> String {
    let is_missing = differences.iter().any(|difference| difference.repair.is_addition());
    let advice = match (is_missing, differences.iter().any(|difference| !difference.repair.is_addition())) {
        (true, false) => "call `migrate()` on the store to add everything at the start, or run these statements",
        (true, true) => {
            "run the statements that change existing parts, then call `migrate()` on the store to add the missing parts"
        }
        _ => "run these statements, or change the definitions; a migration does not change existing parts",
    };
    let mut ordered: Vec<_> = differences.iter().collect();
    ordered.sort_by_key(|difference| difference.repair);
    let listed: Vec<_> = ordered.iter().map(ToString::to_string).collect();
    format!("the {} database does not match the definitions; {advice}:\n{}", D::NAME, listed.join("\n"))
}

/// Begins a transaction. Waits while another process migrates the schema.
pub(super) async fn begin<D: Dialect>(shared: &Shared<D>, sql: &'static str) -> Result<Began<D>, StoreError> {
    let began = Instant::now();
    loop {
        // A start waits longer for a connection than a statement.
        let pool = shared.connections.patient_pool(CONNECTION_WAIT)?;
        match pool.begin_with(AssertSqlSafe(sql)).await {
            Ok(transaction) => return Ok(transaction),
            Err(error) if D::is_locked(&error) && began.elapsed() < WAIT => {}
            Err(sqlx::Error::PoolTimedOut) if began.elapsed() < CONNECTION_WAIT => {}
            Err(error) => return Err(store_error(&FailureKind::Unavailable, error)),
        }
    }
}
