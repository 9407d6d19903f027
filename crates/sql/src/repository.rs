//! Implements [`Repository`] for [`DatabaseStore`].

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use restwright_list::{Expression, ListSlice, Uncounted, Value};
use restwright_resource::{Entity, ListQuery, Repository, Statement, StoreError, Version, Versioned};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::dialect::{Connection, Dialect, Driver, Row};
use crate::reading::read_row;
use crate::rows::Rows;
use crate::store::DatabaseStore;
use crate::stored::lost;
use crate::table::Table;
use crate::unreadable::wider;

impl<D: Dialect, R: Entity + Serialize + DeserializeOwned> Repository<R> for DatabaseStore<D>
where
    Connection<D>: Sized,
{
    async fn find(
        &self,
        mut statement: Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> Result<Option<Versioned<R>>, StoreError> {
        let found = D::operations().find(self, &mut statement, identifier).await;
        let read = |(table, rows): Rows<D>| {
            rows.first().map(|row| read_row::<D, R>(&table, row, &|field| statement.replaces(field))).transpose()
        };
        let found = found.and_then(read);
        noted(&mut statement, found)
    }

    async fn list(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>, Uncounted>, StoreError> {
        let listed = page::<D, R>(self, &mut statement, query, false).await;
        Ok(noted(&mut statement, listed)?.0)
    }

    async fn list_counted(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>>, StoreError> {
        let listed = page::<D, R>(self, &mut statement, query, true).await;
        let (listed, total) = noted(&mut statement, listed)?;
        Ok(listed.counted(total))
    }

    async fn list_per_key(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> Result<Vec<Versioned<R>>, StoreError> {
        let listed = per_key::<D, R>(self, &mut statement, query, (fields, keys)).await;
        noted(&mut statement, listed)
    }

    async fn count(&self, statement: Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        D::operations().count(self, statement, filter).await
    }

    async fn insert(&self, mut statement: Statement<'_, Self>, mut entity: R) -> Result<Versioned<R>, StoreError> {
        let inserted = match D::operations().insert(self, &mut statement, &mut entity).await {
            Ok(Stored::AsWritten(version)) => return Ok(Versioned::new(entity, version)),
            Ok(Stored::Read(table, row)) => read_stored(&statement, &table, &row),
            Err(error) => Err(error),
        };
        noted(&mut statement, inserted)
    }

    async fn update(
        &self,
        mut statement: Statement<'_, Self>,
        mut entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        let updated = match D::operations().update(self, &mut statement, &mut entity, expected).await {
            Ok(Stored::AsWritten(version)) => return Ok(Versioned::new(entity, version)),
            Ok(Stored::Read(table, row)) => read_stored(&statement, &table, &row),
            Err(error) => Err(error),
        };
        noted(&mut statement, updated)
    }

    async fn delete(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        D::operations().delete(self, statement, identifier, expected).await
    }
}

/// The outcome of an insert or update.
#[non_exhaustive]
pub enum Stored<D: Driver> {
    /// The database stored the written values. Contains the version of the row.
    AsWritten(Version),
    /// The row as the database stored it. Triggers and generated columns may have changed the written values.
    Read(Arc<Table>, Row<D>),
}

impl<D: Driver> fmt::Debug for Stored<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsWritten(version) => formatter.debug_tuple("AsWritten").field(version).finish(),
            Self::Read(table, _) => formatter.debug_tuple("Read").field(table).finish_non_exhaustive(),
        }
    }
}

/// Reads the entity that a write has stored.
///
/// # Errors
/// No field can contain a stored value, or a trigger moved the row out of the scope.
fn read_stored<D: Dialect, R: Entity + DeserializeOwned>(
    statement: &Statement<'_, DatabaseStore<D>>,
    table: &Table,
    row: &Row<D>,
) -> Result<Versioned<R>, StoreError> {
    let stored = read_row::<D, R>(table, row, &|_| false)?;
    if statement.scope().admits(&stored.entity) { Ok(stored) } else { Err(lost(table)) }
}

/// Reads the page of a query. With `is_counted`, also returns the number of all matching rows.
async fn page<D: Dialect, R: Entity + DeserializeOwned>(
    store: &DatabaseStore<D>,
    statement: &mut Statement<'_, DatabaseStore<D>>,
    query: &ListQuery<'_>,
    is_counted: bool,
) -> Result<(ListSlice<Versioned<R>, Uncounted>, u64), StoreError> {
    let mut wide = Cow::Borrowed(query);
    let mut further = 0;
    loop {
        let ((table, mut rows), total) = D::operations().list(store, statement, &wide, is_counted).await?;
        let is_numbered = store.skips_unreadable(query) && !query.window.is_seek();
        let read = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        if is_numbered {
            // The additional row belongs to the next page.
            rows.truncate(usize::try_from(query.window.limit()).unwrap_or(usize::MAX));
        }
        let rows = (table, rows);
        let (entities, unreadable) = read_all::<D, R>(store, query, &rows)?;
        let wider = if is_numbered { None } else { wider(query, &unreadable, &mut further)? };
        let Some(window) = wider else {
            store.shared.unreadable.record(rows.0.definition.name(), &rows.0, &unreadable);
            let page = ListSlice::new(&query.window, entities);
            let end = query.window.offset().saturating_add(read);
            return Ok((if is_numbered { page.counted(end).without_total() } else { page }, total));
        };
        wide.to_mut().window = window;
    }
}

/// Reads the first matching rows for each key.
async fn per_key<D: Dialect, R: Entity + DeserializeOwned>(
    store: &DatabaseStore<D>,
    statement: &mut Statement<'_, DatabaseStore<D>>,
    query: &ListQuery<'_>,
    (fields, keys): (&[&str], &[Vec<Value<'static>>]),
) -> Result<Vec<Versioned<R>>, StoreError> {
    let mut wide = Cow::Borrowed(query);
    let mut further = 0;
    loop {
        let rows = D::operations().list_per_key(store, statement, &wide, fields, keys).await?;
        let (entities, unreadable) = read_all::<D, R>(store, query, &rows)?;
        let Some(window) = wider(query, &unreadable, &mut further)? else {
            store.shared.unreadable.record(rows.0.definition.name(), &rows.0, &unreadable);
            return Ok(entities);
        };
        wide.to_mut().window = window;
    }
}

impl<D: Dialect> DatabaseStore<D> {
    /// Leaves unreadable rows out of lists, exports and embedded relations. By default, such a row makes them fail with a 500.
    ///
    /// A row is unreadable if another program wrote a value that no field can contain, such as the date `infinity`. Totals still count the row, so
    /// a page by number or by offset can be shorter than its limit. A page with a cursor contains the rows after it instead. A list that would leave out
    /// more than 10,000 rows fails. Views and changes of the row and the statements of hooks still fail.
    ///
    /// The log contains the first unreadable row of a table with its column, and then the number of rows once a minute. The counter
    /// `store_unreadable_rows` counts them.
    ///
    /// ```
    /// use restwright_sql::PostgresStore;
    ///
    /// let store = PostgresStore::new("postgres://shelter@localhost/shelter").skip_unreadable_rows();
    /// ```
    #[must_use]
    pub fn skip_unreadable_rows(self) -> Self {
        self.set(|plan| plan.settings.skips_unreadable = true)
    }

    /// Returns `true` if a query leaves out unreadable rows.
    pub(crate) fn skips_unreadable(&self, query: &ListQuery<'_>) -> bool {
        query.may_skip_unreadable && self.shared.settings.skips_unreadable
    }
}

/// Deserializes rows as entities. Also returns the errors of the unreadable rows, if the query leaves them out.
fn read_all<D: Dialect, R: Entity + DeserializeOwned>(
    store: &DatabaseStore<D>,
    query: &ListQuery<'_>,
    (table, rows): &Rows<D>,
) -> Result<(Vec<Versioned<R>>, Vec<StoreError>), StoreError> {
    let mut entities = Vec::with_capacity(rows.len());
    let mut unreadable = Vec::new();
    for row in rows {
        match read_row::<D, R>(table, row, &|_| false) {
            Ok(entity) => entities.push(entity),
            Err(error) if store.skips_unreadable(query) => unreadable.push(error),
            Err(error) => return Err(error),
        }
    }
    Ok((entities, unreadable))
}

/// Marks the transaction of a statement as failed if `outcome` is an error, and returns `outcome`.
pub(crate) fn noted<D: Dialect, T>(
    statement: &mut Statement<'_, DatabaseStore<D>>,
    outcome: Result<T, StoreError>,
) -> Result<T, StoreError> {
    if let (Err(_), Some(transaction)) = (&outcome, statement.transaction()) {
        transaction.has_failed = true;
    }
    outcome
}
