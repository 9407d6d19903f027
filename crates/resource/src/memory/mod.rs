//! Defines [`MemoryStore`], a complete store in memory.

mod changes;
mod joined_row;
mod parents;
mod statements;
mod tables;
mod view;

use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::changes::Changes;
use self::tables::Tables;
use crate::definition::{EntityDefinition, FieldDefinition};
use crate::entity::Versioned;
use crate::row::Row;
use crate::store::{Change, Read, ReadResult, Statement, Store, StoreError, StoreFuture, Transaction};
use restwright_core::{ApiState, BuildContext, BuildErrors};

/// Stores entities of every type in memory, for tests and prototypes. The entities are lost when the last clone is dropped.
///
/// It supports transactions, uniqueness and references. All other stores must behave in the same way. Finds and checks of uniqueness take
/// logarithmic time. A list reads every entity of its kind. A delete reads every entity that may refer to the deleted entity.
///
/// Transactions are serializable. The result of a committed transaction is the same as if only this transaction had run at its commit.
/// Otherwise the transaction fails with [`StoreError::TransactionConflict`]. Transactions never wait for each other.
///
/// ```
/// use restwright_list::{Record, ValueType};
/// use restwright_resource::{Change, EntityDefinition, FieldDefinition, IdentifierKind, MemoryStore, Read, Row, Statement, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), restwright_resource::StoreError> {
/// let pets = EntityDefinition::new("pets", "id", IdentifierKind::Integer)
///     .field(FieldDefinition::new("name", ValueType::Text).unique());
/// let store = MemoryStore::new();
/// store.write(Statement::new(&pets), Change::Insert(Row::new(&pets).with("name", "Rex"))).await?;
/// let found = store.read(Statement::new(&pets), Read::Find(&1.into())).await?;
/// assert_eq!(found.rows.items[0].value("name"), "Rex".into());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MemoryStore {
    tables: Arc<Mutex<Tables>>,
}

/// A transaction of a [`MemoryStore`].
#[derive(Default)]
struct MemoryTransaction {
    changes: Changes,
    /// The tables of the store that began the transaction.
    tables: Arc<Mutex<Tables>>,
    has_failed: bool,
}

impl MemoryStore {
    /// Creates an empty store in memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares an entity definition that no resource uses. Other entities can then refer to its entities.
    ///
    /// # Errors
    /// The store has another definition of the same name.
    pub fn declare(&self, definition: &EntityDefinition) -> Result<(), StoreError> {
        for parent in definition.fields().filter_map(FieldDefinition::parent_definition) {
            self.declare(parent)?;
        }
        self.lock().declare(definition).map(drop)
    }

    fn commit_now(&self, transaction: MemoryTransaction) -> Result<(), StoreError> {
        transaction.check(self)?;
        let mut tables = self.lock();
        transaction.changes.check(&tables)?;
        let replaced = tables.apply(transaction.changes);
        drop(tables);
        drop(replaced);
        Ok(())
    }

    /// Locks the tables of committed entities.
    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        parents::check(self, definition, context);
        self.declare(definition).map_err(|error| BuildErrors::one(error.to_string()))
    }

    fn sorts_by_related(&self) -> bool {
        true
    }

    fn has_definition(&self, name: &str) -> Option<bool> {
        Some(self.lock().get(name).is_some())
    }

    fn definition(&self, name: &str) -> Option<EntityDefinition> {
        self.lock().get(name).map(|table| table.definition.clone())
    }

    fn has_transactions(&self) -> bool {
        true
    }

    fn begin(&self) -> StoreFuture<'_, Transaction> {
        let transaction = MemoryTransaction { tables: Arc::clone(&self.tables), ..MemoryTransaction::default() };
        Box::pin(ready(Ok(Transaction::new(transaction))))
    }

    fn retries_inserts(&self) -> bool {
        false
    }

    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        let store = self.clone();
        Box::pin(async move { store.commit_now(transaction.into_inner()?) })
    }

    fn read<'a>(&'a self, mut statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move {
            let result = self.read_now(&mut statement, read);
            noted(&mut statement, result)
        })
    }

    fn write<'a>(&'a self, mut statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let written = match change {
                Change::Insert(row) => self.insert_now(&mut statement, row).map(Some),
                Change::Update { row, expected } => self.update_now(&mut statement, row, expected).map(Some),
                Change::Delete { identifier, expected } => {
                    self.delete_now(&mut statement, &identifier, expected).map(|()| None)
                }
            };
            noted(&mut statement, written)
        })
    }
}

/// Records in the statement's transaction that the statement failed.
fn noted<T>(statement: &mut Statement<'_>, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
    if let (Err(_), Ok(Some(transaction))) = (&outcome, statement.transaction::<MemoryTransaction>()) {
        transaction.has_failed = true;
    }
    outcome
}

impl MemoryTransaction {
    /// Checks that the transaction belongs to a store, and that none of its statements failed.
    fn check(&self, store: &MemoryStore) -> Result<(), StoreError> {
        if !Arc::ptr_eq(&self.tables, &store.tables) {
            return Err(StoreError::failed(
                "the transaction belongs to another store; begin it on the store that runs the statement",
            ));
        }
        if self.has_failed {
            return Err(StoreError::failed("a statement of the transaction has failed; begin a new transaction"));
        }
        Ok(())
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl fmt::Debug for MemoryTransaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MemoryTransaction").field("has_failed", &self.has_failed).finish_non_exhaustive()
    }
}
