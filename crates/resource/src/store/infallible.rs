//! Implements [`Store`] for [`Infallible`], a store without entities. Idempotency stores use it if their keys are not in a database of
//! entities.

use std::convert::Infallible;

use super::{Change, Read, ReadResult, Statement, Store, StoreError};
use crate::entity::Versioned;
use crate::row::Row;

impl Store for Infallible {
    type Transaction = Self;
    type Connection = Self;

    fn connection(transaction: &mut Self) -> &mut Self {
        transaction
    }

    async fn begin(&self) -> Result<Self, StoreError> {
        match *self {}
    }

    async fn read(&self, _: Statement<'_, Self>, _: Read<'_>) -> Result<ReadResult, StoreError> {
        match *self {}
    }

    async fn write(&self, _: Statement<'_, Self>, _: Change) -> Result<Option<Versioned<Row>>, StoreError> {
        match *self {}
    }

    async fn commit(&self, transaction: Self) -> Result<(), StoreError> {
        match transaction {}
    }
}
