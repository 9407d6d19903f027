//! Writes missing case-folded strings in rows that other programs or older versions wrote.

use restwright_list::{ValueType, fold};
use restwright_resource::StoreError;
use sea_query::{Alias, Expr, ExprTrait, LockType, Order, Query, Value as SqlValue};

use super::migration::begin;
use crate::connections::Access;
use crate::driver::{Cell, Connection, DriverError, FailureKind, SqlRow, store_error};
use crate::store::{Shared, SqlStore};
use crate::table::{Column, FOLDING, FOLDING_VERSION, Table};
use crate::transactions::Lease;
use crate::value::{day, moment};
use crate::wanted::unfolded;

/// The maximum number of rows that one transaction case-folds.
const BATCH: usize = 1_000;

impl SqlStore {
    /// Writes missing case-folded copies of searchable strings and of unique strings regardless of case. Returns the number of changed rows.
    ///
    /// For case-insensitive searches and unique constraints, the store writes a case-folded copy of each of these strings. Other programs
    /// insert rows without these copies, and must set `row_folding` to null when they change a string. While a copy is missing, the store is not ready. [`migrate`](Self::migrate)
    /// calls this method when the Api starts. The method locks 1,000 rows at a time. Other rows can be written during this.
    ///
    /// # Errors
    /// The database is not reachable, or a statement fails. A row has the same unique values as another row, regardless of case. Completed batches
    /// remain.
    pub async fn fold_texts(&self) -> Result<u64, StoreError> {
        let mut folded = 0;
        for table in self.shared.all_tables().iter().filter(|table| table.is_folded()) {
            let mut from = None;
            loop {
                match batch(&self.shared, table, from.clone()).await {
                    Ok((rows, last)) => {
                        folded += rows;
                        self.shared.progress.add_folded(rows);
                        if usize::try_from(rows).is_ok_and(|rows| rows < BATCH) {
                            break;
                        }
                        from = last;
                    }
                    // Another transaction has changed one of the rows.
                    Err(StoreError::TransactionConflict) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(folded)
    }

    /// Returns the number of rows without case-folded strings, for the progress of a start.
    pub(super) async fn unfolded_rows(&self) -> Result<u64, StoreError> {
        let failed = |error: DriverError| store_error(&self.dialect().database.failure(&error), error);
        let tables = self.shared.all_tables();
        let folded: Vec<_> = tables.iter().filter(|table| table.is_folded()).collect();
        if folded.is_empty() {
            return Ok(0);
        }
        let mut transaction = begin(&self.shared, self.dialect().begin_migration).await?;
        let mut all = 0;
        for table in folded {
            let mut select = Query::select();
            select.expr(Expr::cust("count(*)")).from(table.reference()).and_where(Expr::cust(unfolded()));
            let (sql, values) = self.dialect().build(&select);
            let rows = transaction.connection().fetch(sql.into(), values, false).await.map_err(failed)?;
            if let Some(Ok(Cell::Integer(count))) = rows.first().map(|row| row.cell(0, ValueType::Integer)) {
                all += u64::try_from(count).unwrap_or_default();
            }
        }
        transaction.rollback().await.map_err(failed)?;
        Ok(all)
    }

    /// Returns the name of a table that contains rows without case-folded strings, if any.
    pub(crate) async fn unfolded_table(&self) -> Result<Option<String>, StoreError> {
        let shared = &self.shared;
        let Some(mut lease) = Lease::of_check(&shared.connections, Access::Read).await? else { return Ok(None) };
        // Selects nothing, for a store without folded strings.
        let mut statements = vec![(String::new(), ("SELECT 1 WHERE FALSE".to_owned(), Vec::new()))];
        for table in shared.all_tables().iter().filter(|table| table.is_folded()) {
            let mut select = Query::select();
            select.expr(Expr::cust("1")).from(table.reference()).and_where(Expr::cust(unfolded())).limit(1);
            statements.push((table.to_string(), self.dialect().build(&select)));
        }
        for (table, (sql, values)) in statements {
            if !lease.fetch(None, sql.into(), values).await?.is_empty() {
                lease.finish().await?;
                return Ok(Some(table));
            }
        }
        lease.finish().await?;
        Ok(None)
    }
}

/// Case-folds the strings of the next batch of rows. `from` is a lower bound for their identifiers. Returns the number of rows and the last
/// identifier.
async fn batch(shared: &Shared, table: &Table, from: Option<SqlValue>) -> Result<(u64, Option<SqlValue>), StoreError> {
    let failed = |error: DriverError| match table.dialect.database.failure(&error) {
        FailureKind::Other => StoreError::failed(error),
        kind => store_error(&kind, error),
    };
    let mut transaction = begin(shared, table.dialect.begin_migration).await?;
    // Rows of different scopes can have the same identifier, so the scope is part of the key.
    let keys: Vec<_> = std::iter::once(table.identifier()).chain(table.scope_columns()).collect();
    let texts: Vec<_> = table.columns.iter().filter(|column| column.fold().is_some()).collect();
    let mut select = Query::select();
    select.columns(keys.iter().chain(&texts).map(|column| column.alias())).from(table.reference());
    select.and_where(Expr::cust(unfolded())).order_by(table.identifier().alias(), Order::Asc);
    if let Some(from) = from {
        select.and_where(Expr::col(table.identifier().alias()).gte(from));
    }
    select.limit(u64::try_from(BATCH).unwrap_or(u64::MAX));
    if table.dialect.locks_rows {
        select.lock(LockType::Update);
    }
    let (sql, values) = table.dialect.build(&select);
    let rows = transaction.connection().fetch(sql.into(), values, false).await.map_err(failed)?;
    let mut last = None;
    for row in &rows {
        let written = write(&mut transaction.connection(), table, &keys, &texts, row).await;
        last = Some(written.map_err(|error| match error.is_unique_violation() {
            true => same_values(table, row, &error),
            false => failed(error),
        })?);
    }
    transaction.commit().await.map_err(failed)?;
    Ok((u64::try_from(rows.len()).unwrap_or(u64::MAX), last))
}

/// Returns the error for a row that has the same unique values as another row, regardless of case.
fn same_values(table: &Table, row: &SqlRow, error: &DriverError) -> StoreError {
    let identifier = match row.cell(0, table.identifier().field.value_type()) {
        Ok(Cell::Integer(value)) => value.to_string(),
        Ok(Cell::Text(value)) => value.to_owned(),
        Ok(Cell::Uuid(value)) => value.to_string(),
        _ => "with an unreadable identifier".to_owned(),
    };
    StoreError::failed(format!(
        "the row `{identifier}` of the table `{table}` has the same unique values as another row, regardless of case; change or delete one of them: {error}"
    ))
}

/// Writes the case-folded strings of a row and returns the row's identifier.
async fn write(
    connection: &mut Connection<'_>,
    table: &Table,
    keys: &[&Column],
    texts: &[&Column],
    row: &SqlRow,
) -> Result<SqlValue, DriverError> {
    let mut update = Query::update();
    update.table(table.reference()).value(Alias::new(FOLDING), FOLDING_VERSION);
    for (index, column) in texts.iter().enumerate() {
        let folded = match row.cell(keys.len() + index, ValueType::Text)? {
            Cell::Text(text) => Some(fold(text)),
            _ => None,
        };
        update.value(Alias::new(column.fold().unwrap_or_default()), SqlValue::String(folded));
    }
    let mut identifier = None;
    for (index, column) in keys.iter().enumerate() {
        let value = column.encoded(key(&row.cell(index, column.field.value_type())?));
        identifier.get_or_insert_with(|| value.clone());
        update.and_where(Expr::col(column.alias()).eq(value));
    }
    let (sql, values) = table.dialect.build(&update);
    connection.execute(sql.into(), values, true).await?;
    Ok(identifier.unwrap_or(SqlValue::BigInt(None)))
}

/// Converts the value of a key column, which is never null, to a bound value.
fn key(cell: &Cell<'_>) -> SqlValue {
    match *cell {
        Cell::Null => SqlValue::BigInt(None),
        Cell::Boolean(value) => value.into(),
        Cell::Integer(value) => value.into(),
        Cell::Number(value) => value.into(),
        Cell::Text(value) | Cell::Json(value) => value.into(),
        Cell::Date(value) => day(value),
        Cell::DateTime(value) => moment(value),
        Cell::Uuid(value) => value.into(),
        Cell::Decimal(value) => value.into(),
    }
}
