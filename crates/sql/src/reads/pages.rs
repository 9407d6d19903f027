//! Runs the reads of a store, and reads further rows in place of unreadable ones.

use std::borrow::Cow;

use restwright_list::{ListSlice, Value};
use restwright_resource::{ListQuery, Read, ReadResult, Row, Statement, StoreError, Versioned};

use super::reading::read_row;
use super::rows::Rows;
use crate::store::{SqlStore, wider};

impl SqlStore {
    pub(crate) async fn result(&self, statement: &mut Statement<'_>, read: Read<'_>) -> Result<ReadResult, StoreError> {
        Ok(match read {
            Read::Find(identifier) => {
                let (table, rows) = self.find_row(statement, identifier).await?;
                let read = |row| read_row(&table, row, &|field| statement.replaces(field));
                ReadResult::rows(rows.first().map(read).transpose()?)
            }
            Read::List { query, is_counted } => self.page(statement, query, is_counted).await?,
            Read::ListPerKey { query, fields, keys } => self.first_rows(statement, query, (fields, keys)).await?,
            Read::Count(filter) => ReadResult::total(self.count_rows(statement, filter).await?),
            Read::Exists { identifier, condition } => {
                ReadResult::total(self.exists_row(statement, identifier, condition).await?.into())
            }
            Read::Any(condition) => ReadResult::total(self.any_row(statement, condition).await?.into()),
            other => return Err(StoreError::unsupported(&other)),
        })
    }

    /// Reads the page of a query. With `is_counted`, also returns the number of all matching rows.
    async fn page(
        &self,
        statement: &mut Statement<'_>,
        query: &ListQuery<'_>,
        is_counted: bool,
    ) -> Result<ReadResult, StoreError> {
        let mut wide = Cow::Borrowed(query);
        let mut further = 0;
        loop {
            let ((table, mut rows), total) = self.list_rows(statement, &wide, is_counted).await?;
            let is_numbered = self.skips_unreadable(query) && !query.window.is_seek();
            let read = u64::try_from(rows.len()).unwrap_or(u64::MAX);
            if is_numbered {
                // The additional row belongs to the next page.
                rows.truncate(usize::try_from(query.window.limit()).unwrap_or(usize::MAX));
            }
            let rows = (table, rows);
            let (readable, unreadable) = self.read_all(statement, query, &rows)?;
            let wider = if is_numbered { None } else { wider(query, &unreadable, &mut further)? };
            let Some(window) = wider else {
                self.shared.unreadable.record(rows.0.definition.name(), &rows.0, &unreadable);
                let page = ListSlice::new(&query.window, readable);
                let end = query.window.offset().saturating_add(read);
                let page = if is_numbered { page.counted(end).without_total() } else { page };
                return Ok(ReadResult::list(page, total));
            };
            wide.to_mut().window = window;
        }
    }

    /// Reads the first matching rows for each key.
    async fn first_rows(
        &self,
        statement: &mut Statement<'_>,
        query: &ListQuery<'_>,
        (fields, keys): (&[&str], &[Vec<Value<'static>>]),
    ) -> Result<ReadResult, StoreError> {
        let mut wide = Cow::Borrowed(query);
        let mut further = 0;
        loop {
            let rows = self.rows_per_key(statement, &wide, fields, keys).await?;
            let (readable, unreadable) = self.read_all(statement, query, &rows)?;
            let Some(window) = wider(query, &unreadable, &mut further)? else {
                self.shared.unreadable.record(rows.0.definition.name(), &rows.0, &unreadable);
                return Ok(ReadResult::rows(readable));
            };
            wide.to_mut().window = window;
        }
    }

    /// Reads the values of rows. Also returns the errors of the unreadable rows, if the query leaves them out.
    fn read_all(
        &self,
        statement: &Statement<'_>,
        query: &ListQuery<'_>,
        (table, rows): &Rows,
    ) -> Result<(Vec<Versioned<Row>>, Vec<StoreError>), StoreError> {
        let mut readable = Vec::with_capacity(rows.len());
        let mut unreadable = Vec::new();
        if !self.skips_unreadable(query) {
            for row in rows {
                readable.push(read_row(table, row, &|_| false)?);
            }
            return Ok((readable, unreadable));
        }
        for row in rows {
            let read = read_row(table, row, &|_| false);
            match read.and_then(|row| statement.check_row(&row.entity).map(|()| row)) {
                Ok(row) => readable.push(row),
                Err(error) => unreadable.push(error),
            }
        }
        Ok((readable, unreadable))
    }

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
    /// use restwright_sql::SqlStore;
    ///
    /// let store = SqlStore::new("postgres://shelter@localhost/shelter").skip_unreadable_rows();
    /// ```
    #[must_use]
    pub fn skip_unreadable_rows(self) -> Self {
        self.set(|plan| plan.settings.skips_unreadable = true)
    }

    /// Returns `true` if a query leaves out unreadable rows.
    fn skips_unreadable(&self, query: &ListQuery<'_>) -> bool {
        query.may_skip_unreadable && self.shared.settings.skips_unreadable
    }
}
