use std::sync::{Arc, Mutex, MutexGuard};

use restwright_resource::{Change, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture, Versioned};

/// Entities of every definition.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapStore(Arc<Mutex<Vec<Versioned<Row>>>>);

impl MapStore {
    fn rows(&self) -> Result<MutexGuard<'_, Vec<Versioned<Row>>>, StoreError> {
        self.0.lock().map_err(|error| StoreError::failed(error.to_string()))
    }
}

impl Store for MapStore {
    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move { statement.read_rows(read, &self.rows()?) })
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move { statement.write_rows(change, &mut *self.rows()?) })
    }
}
