//! The connection or transaction on which a statement runs, and how long it runs.

#[cfg(feature = "idempotency")]
mod keyed_change;
mod lease;
mod of_statement;
mod transaction;
mod watched;

#[cfg(feature = "idempotency")]
pub(crate) use keyed_change::{KeyedChange, KeyedState, Postponed};
pub(crate) use lease::{Failure, Lease};
#[cfg(feature = "idempotency")]
pub(crate) use transaction::is_taken;
pub(crate) use transaction::{SqlTransaction, begin_for_update_sql, begin_sql, with_limits};
pub(crate) use watched::{Watched, plan_elsewhere, plan_within};
