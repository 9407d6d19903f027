//! Finds out whether a store is on a database.

use std::any::Any;

use restwright_resource::Store;

use crate::dialect::Dialect;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
use crate::sql_store::SqlStore;
use crate::store::DatabaseStore;

impl<D: Dialect> DatabaseStore<D> {
    /// Checks that a store is on this database. Hooks in the SQL of one database call it in [`Hooks::check`](restwright_resource::Hooks::check).
    ///
    /// ```
    /// # #[cfg(all(feature = "postgres", feature = "sqlite"))] {
    /// use restwright_sql::{PostgresStore, SqlStore};
    ///
    /// assert!(PostgresStore::check(&SqlStore::new("postgres://localhost/shelter")).is_ok());
    /// let error = PostgresStore::check(&SqlStore::new("sqlite::memory:")).unwrap_err();
    /// assert_eq!(error, "they use PostgreSQL, but the store is not on PostgreSQL; use a store on PostgreSQL, or other hooks");
    /// # }
    /// ```
    ///
    /// # Errors
    /// The store is on another database, or is no store of this crate.
    pub fn check(store: &dyn Store) -> Result<(), String> {
        let name = D::NAME;
        Self::of(store).map(drop).ok_or_else(|| {
            format!("they use {name}, but the store is not on {name}; use a store on {name}, or other hooks")
        })
    }

    /// Returns the store on this database that `store` is or contains.
    pub(crate) fn of(store: &dyn Store) -> Option<&Self> {
        let any: &dyn Any = store;
        #[cfg(all(feature = "postgres", feature = "sqlite"))]
        let any = any.downcast_ref::<SqlStore>().map_or(any, SqlStore::inner);
        any.downcast_ref()
    }
}
