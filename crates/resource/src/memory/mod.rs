//! Defines [`MemoryStore`], a complete store in memory.

mod changes;
mod joined_row;
mod parents;
mod statements;
mod tables;
mod view;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::{Expression, ListSlice, Uncounted, Value};

use self::changes::Changes;
use self::tables::Tables;
use crate::definition::{EntityDefinition, FieldDefinition};
use crate::entity::{Entity, Version, Versioned};
use crate::store::{ListQuery, Repository, Statement, Store, StoreError};

/// Stores entities of every type in memory, for tests and prototypes. The entities are lost when the last clone is dropped.
///
/// It supports transactions, uniqueness and references. All other stores must behave in the same way. Finds and checks of uniqueness take
/// logarithmic time. A list reads every entity of its kind. A delete reads every entity that may refer to the deleted entity.
///
/// Transactions are serializable. The result of a committed transaction is the same as if only this transaction had run at its commit.
/// Otherwise the transaction fails with [`StoreError::TransactionConflict`]. Transactions never wait for each other.
///
/// ```
/// # #[derive(Clone)]
/// # struct Pet { id: i64, name: String }
/// # impl restwright_list::Record for Pet {
/// #     fn has_field(field: &str) -> bool { matches!(field, "id" | "name") }
/// #     fn value(&self, field: &str) -> restwright_list::Value<'_> {
/// #         if field == "id" { (&self.id).into() } else { (&self.name).into() }
/// #     }
/// # }
/// # impl restwright_resource::Entity for Pet {
/// #     fn set_value(&mut self, field: &str, value: restwright_list::Value<'static>) -> bool {
/// #         match value { restwright_list::Value::Integer(id) if field == "id" => { self.id = id as i64; true } _ => false }
/// #     }
/// # }
/// use restwright_list::ValueType;
/// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, MemoryStore, Repository, Statement};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), restwright_resource::StoreError> {
/// let pets = EntityDefinition::new("pets", "id", IdentifierKind::Integer)
///     .field(FieldDefinition::new("name", ValueType::Text).unique());
/// let store = MemoryStore::new();
/// let rex = store.insert(Statement::new(&pets), Pet { id: 0, name: "Rex".to_owned() }).await?;
/// let found: Pet = store.find(Statement::new(&pets), &rex.entity.id.into()).await?.unwrap().entity;
/// assert_eq!(found.name, "Rex");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MemoryStore {
    tables: Arc<Mutex<Tables>>,
}

/// A transaction of a [`MemoryStore`].
#[derive(Default)]
pub struct MemoryTransaction {
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

    /// Locks the tables of committed entities. The entities are consistent even after a panic, because only the code of entity types can
    /// panic, and this code runs before any change.
    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    type Transaction = MemoryTransaction;
    type Connection = MemoryTransaction;

    fn connection(transaction: &mut MemoryTransaction) -> &mut MemoryTransaction {
        transaction
    }

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

    async fn begin(&self) -> Result<MemoryTransaction, StoreError> {
        Ok(MemoryTransaction { tables: Arc::clone(&self.tables), ..MemoryTransaction::default() })
    }

    fn retries_inserts(&self) -> bool {
        false
    }

    async fn commit(&self, transaction: MemoryTransaction) -> Result<(), StoreError> {
        transaction.check(self)?;
        let mut tables = self.lock();
        transaction.changes.check(&tables)?;
        let replaced = tables.apply(transaction.changes);
        drop(tables);
        drop(replaced);
        Ok(())
    }

    async fn exists(
        &self,
        mut statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        condition: &Expression,
    ) -> Result<bool, StoreError> {
        let exists = self.exists_now(&mut statement, identifier, condition);
        noted(&mut statement, exists)
    }

    async fn any(&self, mut statement: Statement<'_, Self>, condition: &Expression) -> Result<bool, StoreError> {
        let found = self.any_now(&mut statement, condition);
        noted(&mut statement, found)
    }
}

impl<R: Entity + Clone> Repository<R> for MemoryStore {
    async fn find(
        &self,
        mut statement: Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> Result<Option<Versioned<R>>, StoreError> {
        let found = self.find_now(&mut statement, identifier);
        noted(&mut statement, found)
    }

    async fn list(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>, Uncounted>, StoreError> {
        let listed = self.list_now(&mut statement, query);
        noted(&mut statement, listed).map(ListSlice::without_total)
    }

    async fn list_counted(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>>, StoreError> {
        let listed = self.list_now(&mut statement, query);
        noted(&mut statement, listed)
    }

    async fn list_per_key(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> Result<Vec<Versioned<R>>, StoreError> {
        let listed = self.list_per_key_now(&mut statement, query, fields, keys);
        noted(&mut statement, listed)
    }

    async fn count(&self, mut statement: Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        let counted = self.count_now(&mut statement, filter);
        noted(&mut statement, counted)
    }

    async fn insert(&self, mut statement: Statement<'_, Self>, entity: R) -> Result<Versioned<R>, StoreError> {
        let inserted = self.insert_now(&mut statement, entity);
        noted(&mut statement, inserted)
    }

    async fn update(
        &self,
        mut statement: Statement<'_, Self>,
        entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        let updated = self.update_now(&mut statement, entity, expected);
        noted(&mut statement, updated)
    }

    async fn delete(
        &self,
        mut statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let deleted = self.delete_now::<R>(&mut statement, identifier, expected);
        noted(&mut statement, deleted)
    }
}

/// Records in the statement's transaction that the statement failed.
fn noted<T>(statement: &mut Statement<'_, MemoryStore>, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
    if let (Err(_), Some(transaction)) = (&outcome, statement.transaction()) {
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
