//! Defines [`Queues`], in which operations on the same entities wait for each other after conflicts.

use std::hash::{DefaultHasher, Hash, Hasher};

use restwright_list::Value;
use tokio::sync::Mutex;

/// The number of queues. Unrelated operations may share a queue. They then wait for each other after conflicts.
const QUEUES: usize = 64;

/// The queues in which operations of this process wait after conflicts with other operations. A waiting operation holds no connection.
pub(crate) struct Queues([Mutex<()>; QUEUES]);

impl Queues {
    pub(crate) const fn new() -> Self {
        Self([const { Mutex::const_new(()) }; QUEUES])
    }

    /// Returns the queue for operations on an entity.
    pub(crate) fn of_entity(&self, identifier: &Value<'_>) -> Option<&Mutex<()>> {
        match identifier {
            Value::Integer(integer) => self.of(integer),
            Value::Text(text) => self.of(text),
            Value::Uuid(uuid) => self.of(uuid),
            _ => self.of_all(),
        }
    }

    /// Returns the queue for operations with the same key.
    pub(crate) fn of(&self, key: impl Hash) -> Option<&Mutex<()>> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        self.0.get(usize::try_from(hasher.finish() % QUEUES as u64).unwrap_or_default())
    }

    /// Returns the queue for operations that do not name an existing entity, such as creates, batches and lists.
    pub(crate) fn of_all(&self) -> Option<&Mutex<()>> {
        self.0.first()
    }
}
