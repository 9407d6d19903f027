//! Defines [`Transaction`], a transaction of any store.

use std::any::{Any, type_name};
use std::fmt;

use super::StoreError;

/// An open transaction of a [`Store`](crate::Store). Pass it to statements with [`Statement::within`](crate::Statement::within), and commit it with
/// [`Store::commit`](crate::Store::commit). Dropping it undoes its changes.
///
/// It contains a value of the store, such as a connection with its driver:
/// ```
/// use restwright_resource::Transaction;
///
/// struct Session(u64);
/// let mut transaction = Transaction::new(Session(7));
/// assert_eq!(transaction.get::<Session>()?.0, 7);
/// # Ok::<_, restwright_resource::StoreError>(())
/// ```
pub struct Transaction {
    value: Box<dyn Any + Send>,
    name: &'static str,
}

impl Transaction {
    /// Creates a transaction with a value that the store needs for its statements. Dropping the value must undo the changes.
    pub fn new<T: Any + Send>(value: T) -> Self {
        Self { value: Box::new(value), name: type_name::<T>() }
    }

    /// Returns the value of the transaction. A store uses it for statements, and an application for custom work on the database.
    ///
    /// # Errors
    /// The transaction belongs to a store with another type of value.
    pub fn get<T: Any>(&mut self) -> Result<&mut T, StoreError> {
        let name = self.name;
        self.value.downcast_mut().ok_or_else(|| other_type::<T>(name))
    }

    /// Returns a shared reference to the value of the transaction, or `None` if the value has another type.
    #[must_use]
    pub fn peek<T: Any>(&self) -> Option<&T> {
        self.value.downcast_ref()
    }

    /// Returns the value of the transaction, to commit it.
    ///
    /// # Errors
    /// The same as in [`get`](Self::get). The transaction is then dropped.
    pub fn into_inner<T: Any>(self) -> Result<T, StoreError> {
        match self.value.downcast() {
            Ok(value) => Ok(*value),
            Err(_) => Err(other_type::<T>(self.name)),
        }
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Transaction").field(&self.name).finish()
    }
}

#[cold]
fn other_type<T>(name: &str) -> StoreError {
    StoreError::failed(format!(
        "the transaction contains a `{name}` instead of a `{}`; use the transaction of the same store",
        type_name::<T>()
    ))
}
