//! Defines [`StatementCache`], the SQL of the statements on single rows of a table.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::Table;
use super::set_columns::SetColumns;

/// A cache of the SQL statements for one table. The SQL is the same for every entity.
#[derive(Default)]
pub(crate) struct StatementCache {
    /// The SQL of each cached statement, by its `Key`.
    sql: RwLock<HashMap<Key, Arc<str>>>,
    /// The SQL and the columns of the two kinds of inserts. The first kind includes the identifier. In the second kind, the database
    /// generates the identifier.
    pub(crate) inserts: [OnceLock<(Arc<str>, SetColumns)>; 2],
    /// The columns that updates set.
    updates: OnceLock<SetColumns>,
}

/// The key of a cached statement. It contains the kind, a bit mask of the compared scope fields, and `true` if the statement includes
/// deleted rows.
pub(crate) type Key = (Kind, u64, bool);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Find,
    FindLocked,
    Exists,
    Update,
    UpdateVersion,
    Delete,
    DeleteVersion,
    Touch,
    Mark,
    MarkVersion,
}

impl StatementCache {
    pub(crate) fn get(&self, key: Key, build: impl FnOnce() -> String) -> Arc<str> {
        if let Some(sql) = self.sql.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(sql);
        }
        let sql: Arc<str> = build().into();
        self.sql.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&sql));
        sql
    }

    /// Returns the columns that an update sets.
    pub(crate) fn set_columns(&self, table: &Table) -> &SetColumns {
        self.updates.get_or_init(|| SetColumns::of_update(table))
    }
}
