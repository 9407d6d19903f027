//! Compares the tables in the database with the entity definitions when the store starts. With `migrate`, adds missing tables, columns and
//! indexes.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::iter::zip;
use std::time::Duration;

use restwright_core::ComponentError;
use restwright_core::runtime::log;
use restwright_list::ValueType;
use restwright_resource::StoreError;
use tokio::time::timeout;

use super::compare::compare;
use super::difference::{Difference, Obstacle, Repair};
use super::found_table::{FoundTable, NamedIndex};
use super::rename::{renamings, warn_of_unused_columns};
use super::rules::{warn_of_narrow_columns, warn_of_wide_columns};
use super::served::log_lists;
#[cfg(feature = "sqlite")]
use super::sqlite;
use super::{Schema, types};
#[cfg(feature = "postgres")]
use super::{postgres, postgres_migration, postgres_suitability};
use crate::connections::{Patience, Pool, Pooled, is_crowded, log_crowded};
use crate::driver::{Cell, Connection, Database, DriverError, FailureKind, store_error};
use crate::settings::StorePart;
use crate::store::{Shared, SqlStore, Step};
use crate::transactions::with_limits;
use crate::wanted::TableSchema;

/// The maximum time that a starting store waits for a connection, unless the server has too many connections.
const CONNECTION_WAIT: Duration = Duration::from_secs(10);

impl SqlStore {
    /// Checks that the tables in the database match all declared definitions. With `migrate`, adds missing tables, columns and indexes
    /// first.
    pub(crate) async fn check_schema(&self) -> Result<(), ComponentError> {
        let schema = Schema::new(&self.shared);
        if !schema.mistakes.is_empty() {
            return Err(schema.mistakes.join("\n").into());
        }
        if self.shared.settings.migrates {
            self.shared.progress.set(Some(Step::Migrating));
            migrate(&self.shared).await?;
        }
        self.shared.progress.set(Some(Step::Comparing));
        let begin_check = with_limits(&self.shared.settings, "BEGIN");
        let mut transaction = begin(&self.shared, &begin_check).await?;
        let (found, differences) = differences(&self.shared, &schema, &mut transaction.connection()).await?;
        transaction.rollback().await?;
        if !differences.is_empty() {
            return Err(message(self.database(), &differences).into());
        }
        for ((table, wanted), found) in schema.tables.iter().zip(&found) {
            if let Some(found) = found {
                table.adopt(wanted, found);
                warn_of_narrow_columns(table, found);
                warn_of_wide_columns(table, found);
            }
        }
        log_lists(&self.shared, &schema, &found);
        if self.shared.settings.migrates {
            self.shared.progress.set(Some(Step::Folding(0, self.unfolded_rows().await?)));
            self.fold_texts().await?;
        }
        Ok(())
    }
}

/// Returns the changes of a migration in the order in which they run. Fails if a difference needs a person.
pub(super) async fn changes(
    shared: &Shared,
    connection: &mut Connection<'_>,
) -> Result<Vec<Difference>, ComponentError> {
    let schema = Schema::new(shared);
    let (found, mut differences) = differences(shared, &schema, connection).await?;
    if differences.iter().any(|difference| !difference.repair.is_addition()) {
        return Err(message(shared.settings.dialect.database, &differences).into());
    }
    warn_of_unused_columns(&schema, &found);
    // Renames come first, tables before the indexes of others, and referenced tables before their references.
    differences.sort_by_key(|difference| difference.repair);
    Ok(differences)
}

/// Runs all changes of a migration in a transaction.
pub(super) async fn run_all(shared: &Shared, connection: &mut Connection<'_>) -> Result<(), ComponentError> {
    for change in changes(shared, connection).await? {
        log_change(shared.settings.dialect.database, &change);
        let ran = connection.run(change.sql.as_str().into()).await;
        ran.map_err(|error| ChangeError::new(&change, error))?;
    }
    Ok(())
}

pub(super) fn log_change(database: Database, Difference { message, sql, .. }: &Difference) {
    log(|| tracing::info!(database = database.name(), sql, "migrating, because {message}"));
}

/// The error of a change that failed.
#[derive(Debug)]
pub(super) struct ChangeError {
    message: String,
    sql: String,
    pub(super) source: DriverError,
}

impl ChangeError {
    pub(super) fn new(change: &Difference, source: DriverError) -> Self {
        Self { message: change.message.clone(), sql: change.sql.clone(), source }
    }
}

impl fmt::Display for ChangeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, sql, source } = self;
        write!(formatter, "{message}, but the statement that adds it failed: {source}\n{sql};")
    }
}

impl Error for ChangeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// Reads all tables from the database, and returns the tables and their differences from the definitions.
async fn differences(
    shared: &Shared,
    schema: &Schema,
    transaction: &mut Connection<'_>,
) -> Result<(Vec<Option<FoundTable>>, Vec<Difference>), ComponentError> {
    let must_write = shared.settings.is_required(StorePart::Writes);
    if let Some(reason) = unsuitable(transaction, must_write).await? {
        return Err(reason.into());
    }
    let mut all_found = Vec::new();
    for table in schema.table_schemas() {
        all_found.push(find_table(transaction, table.schema.as_deref(), &table.name).await?);
    }
    let names = |found: &[Option<FoundTable>]| -> BTreeSet<String> {
        found.iter().flatten().flat_map(|table| &table.indexes).map(|index| index.name.clone()).collect()
    };
    let before = names(&all_found);
    let mut differences = renamings(shared, schema, &mut all_found);
    let freed = &before - &names(&all_found);
    for (place, (table, found)) in zip(schema.table_schemas(), &all_found).enumerate() {
        let mut compared = match (found, schema.created(place)) {
            (Some(found), _) => compare(table, Some(found)),
            (None, Some(created)) => compare(&created, None),
            (None, None) => Vec::new(),
        };
        // A rename frees all other names.
        let is_taken = |one: &&mut Difference| one.index.as_ref().is_some_and(|index| !freed.contains(&index.name));
        for difference in compared.iter_mut().filter(is_taken) {
            free_name(difference, table, transaction).await?;
        }
        differences.extend(compared);
    }
    // Definitions that share a table may lack the same part.
    let mut known = BTreeSet::new();
    differences.retain(|difference| known.insert(difference.sql.clone()));
    for difference in &mut differences {
        for obstacle in std::mem::take(&mut difference.obstacles) {
            name_rows(difference, obstacle, transaction).await?;
        }
    }
    Ok((all_found, differences))
}

/// Adds SQL that renames or drops an existing index, if its name is needed for a new index.
async fn free_name(
    difference: &mut Difference,
    table: &TableSchema,
    transaction: &mut Connection<'_>,
) -> Result<(), ComponentError> {
    let Some(index) = &difference.index else { return Ok(()) };
    let schema = table.schema.as_deref();
    let Some(found) = find_index(transaction, schema, &index.name).await? else { return Ok(()) };
    if !found.is_valid && found.table == table.name {
        difference.message.push_str(", because an index of this name is invalid: its creation did not finish");
        difference.sql = format!("DROP INDEX {};\n{}", index.qualified, index.sql);
        return Ok(());
    }
    let owner = found.table;
    difference.message.push_str(&format!(", but another index of the table `{owner}` has its name"));
    difference.sql = format!("{};\n{}", types::free_index(table.dialect, schema, &index.name), difference.sql);
    difference.repair = Repair::ReplaceIndex;
    Ok(())
}

/// Finds the rows that would make a change fail, and adds their identifiers to the message of the change. A migration does not try such a
/// change.
async fn name_rows(
    difference: &mut Difference,
    obstacle: Obstacle,
    transaction: &mut Connection<'_>,
) -> Result<(), ComponentError> {
    let mut queries = vec![(obstacle.sql, difference.repair.min(Repair::Change))];
    if let (Repair::AddForeignKey, Some(sql)) = (difference.repair, obstacle.sql_without_target) {
        queries.push((sql, Repair::AddViolatedForeignKey));
    }
    let (mut rows, mut repair) = (Vec::new(), difference.repair);
    for (sql, with_rows) in queries {
        transaction.run("SAVEPOINT obstacle".into()).await?;
        match transaction.fetch(sql.into(), Vec::new(), false).await {
            Ok(found) => {
                transaction.run("RELEASE SAVEPOINT obstacle".into()).await?;
                (rows, repair) = (found, with_rows);
                break;
            }
            // Without the rows of a locked table, a migration would try the change.
            Err(error) if transaction.database().failure(&error) == FailureKind::Conflict => return Err(error.into()),
            // A column or a table is missing or has another type. There are then no rows to name.
            Err(_) => transaction.run("ROLLBACK TO SAVEPOINT obstacle".into()).await?,
        }
    }
    let identifiers = rows.iter().map(|row| match row.cell(0, ValueType::Text) {
        Ok(Cell::Text(identifier)) => format!("`{identifier}`"),
        _ => "an unreadable identifier".to_owned(),
    });
    let identifiers: Vec<_> = identifiers.collect();
    if !identifiers.is_empty() {
        let (what, identifiers) = (obstacle.what, identifiers.join(", "));
        let message = format!("; rows {what}, such as {identifiers}: change or delete them before this statement");
        difference.message.push_str(&message);
        difference.repair = repair;
    }
    Ok(())
}

fn message(database: Database, differences: &[Difference]) -> String {
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
    format!("the {} database does not match the definitions; {advice}:\n{}", database.name(), listed.join("\n"))
}

/// A transaction of a start. Dropping it rolls back its changes.
pub(super) struct Began(Pooled);

impl Began {
    pub(super) fn connection(&mut self) -> Connection<'_> {
        self.0.connection()
    }

    pub(super) async fn commit(mut self) -> Result<(), DriverError> {
        self.connection().commit().await
    }

    pub(super) async fn rollback(mut self) -> Result<(), DriverError> {
        self.connection().rollback().await
    }
}

/// Begins a transaction. Waits while another process migrates the schema, and while the server accepts no further connections.
pub(super) async fn begin(shared: &Shared, sql: &str) -> Result<Began, StoreError> {
    let mut opening = Opening::new(shared);
    loop {
        let pool = opening.pool()?;
        let begun = async {
            let mut pooled = pool.acquire().await?;
            pooled.connection().begin(sql.into()).await?;
            Ok(Began(pooled))
        };
        match begun.await {
            Ok(began) => return Ok(began),
            Err(error) => opening.failed(&pool, error).await?,
        }
    }
}

/// The attempts of a start to open a connection.
pub(super) struct Opening<'s> {
    shared: &'s Shared,
    patience: Patience,
}

impl<'s> Opening<'s> {
    pub(super) fn new(shared: &'s Shared) -> Self {
        Self { shared, patience: Patience::new(shared.settings.start_wait) }
    }

    /// Returns the pool of the next attempt. A start waits longer for a connection than a statement.
    pub(super) fn pool(&self) -> Result<Pool, StoreError> {
        self.shared.connections.patient_pool(CONNECTION_WAIT)
    }

    /// Waits after a failed attempt. Fails if another attempt cannot succeed, or if the start has waited long enough.
    pub(super) async fn failed(&mut self, pool: &Pool, error: DriverError) -> Result<(), StoreError> {
        if is_locked(self.shared.settings.dialect.database, &error) && self.patience.elapsed() < self.patience.limit() {
            return Ok(());
        }
        if error.is_of_pool() {
            // The pool does not report why it opened no connection.
            match timeout(CONNECTION_WAIT, pool.try_connection()).await {
                Ok(Err(cause)) if is_crowded(&cause) => {
                    let database = self.shared.settings.dialect.database;
                    let cause = database.advised_message(&cause);
                    log_crowded(database, &cause);
                    let is_over = !self.patience.pause().await;
                    return if is_over { Err(StoreError::unavailable(cause)) } else { Ok(()) };
                }
                _ if self.patience.elapsed() < CONNECTION_WAIT => return Ok(()),
                _ => {}
            }
        }
        Err(store_error(&FailureKind::Unavailable, error))
    }
}

/// Adds the missing tables, columns and indexes of a store. Waits for the migrations of other processes.
async fn migrate(shared: &Shared) -> Result<(), ComponentError> {
    match shared.settings.dialect.database {
        // One transaction, because SQLite allows only one writer.
        #[cfg(feature = "sqlite")]
        Database::Sqlite => {
            let mut transaction = begin(shared, shared.settings.dialect.begin_migration).await?;
            run_all(shared, &mut transaction.connection()).await?;
            Ok(transaction.commit().await?)
        }
        #[cfg(feature = "postgres")]
        Database::Postgres => postgres_migration::migrate(shared).await,
    }
}

/// Returns `true` if a transaction failed to begin because another transaction is writing.
fn is_locked(database: Database, error: &DriverError) -> bool {
    match database {
        #[cfg(feature = "sqlite")]
        Database::Sqlite => crate::driver::sqlite::is_locked(error),
        #[cfg(feature = "postgres")]
        Database::Postgres => false,
    }
}

/// Returns the reason why a store cannot use the database, for example because it cannot contain all strings. With `must_write`, the
/// database must also accept writes.
async fn unsuitable(connection: &mut Connection<'_>, must_write: bool) -> Result<Option<String>, DriverError> {
    match connection {
        #[cfg(feature = "sqlite")]
        Connection::Sqlite(_) => Ok(None),
        #[cfg(feature = "postgres")]
        Connection::Postgres(raw) => Ok(postgres_suitability::unsuitable(raw, must_write).await?),
    }
}

/// Reads the columns, indexes and constraints of a table. Returns `None` if the table does not exist.
async fn find_table(
    connection: &mut Connection<'_>,
    schema: Option<&str>,
    name: &str,
) -> Result<Option<FoundTable>, DriverError> {
    match connection {
        #[cfg(feature = "sqlite")]
        Connection::Sqlite(raw) => {
            let (schema, name) = (schema.map(str::to_owned), name.to_owned());
            raw.with(move |raw| sqlite::find_table(raw, schema.as_deref(), &name)).await
        }
        #[cfg(feature = "postgres")]
        Connection::Postgres(raw) => Ok(postgres::find_table(raw, schema, name).await?),
    }
}

/// Returns the index with this name, or `None` if the index does not exist.
async fn find_index(
    connection: &mut Connection<'_>,
    schema: Option<&str>,
    name: &str,
) -> Result<Option<NamedIndex>, DriverError> {
    match connection {
        #[cfg(feature = "sqlite")]
        Connection::Sqlite(raw) => {
            let (schema, name) = (schema.map(str::to_owned), name.to_owned());
            raw.with(move |raw| sqlite::find_index(raw, schema.as_deref(), &name)).await
        }
        #[cfg(feature = "postgres")]
        Connection::Postgres(raw) => Ok(postgres::find_index(raw, schema, name).await?),
    }
}
