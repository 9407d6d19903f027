//! Implements [`Store`] for [`Infallible`], a store without entities. Idempotency stores use it if their keys are not in a database of
//! entities.

use std::convert::Infallible;

use super::{Store, StoreError};

impl Store for Infallible {
    type Transaction = Self;
    type Connection = Self;

    fn connection(transaction: &mut Self) -> &mut Self {
        transaction
    }

    async fn begin(&self) -> Result<Self, StoreError> {
        match *self {}
    }

    async fn commit(&self, transaction: Self) -> Result<(), StoreError> {
        match transaction {}
    }
}
