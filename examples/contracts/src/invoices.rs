//! Invoices below their contract: also several at once, and once for each idempotency key.

use jiff::Timestamp;
use jiff::civil::Date;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::contracts::Contract;

/// An invoice of a contract.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/contracts/{contract_id}/invoices", pagination = cursor(max = 50), batch, require_preconditions)]
pub struct Invoice {
    /// Given by the server; later ones are greater.
    #[property(id)]
    pub id: Uuid,
    /// The tenant, which clients do not see.
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    /// The contract.
    #[property(parent = Contract)]
    pub contract_id: Uuid,
    /// The number on the paper, of which a contract has one invoice at most.
    #[property(pattern = "^[A-Z0-9-]{1,20}$", unique, filter(eq, starts_with), sort)]
    pub number: String,
    /// The day on which it has to be paid.
    #[property(filter(gte, lte), sort)]
    pub due_on: Date,
    /// Whether it is paid.
    #[property(filter(eq))]
    #[serde(default)]
    pub paid: bool,
    /// The lines on the paper.
    #[property(min_items = 1, max_items = 100)]
    pub lines: Vec<Line>,
    /// The time at which it was made.
    #[property(created_at, sort(default = desc))]
    pub created_at: Timestamp,
}

/// One line of an invoice.
#[derive(Clone, Serialize, Deserialize, Schema)]
pub struct Line {
    /// The thing or work.
    #[property(min_length = 1, max_length = 200)]
    pub text: String,
    /// The number of pieces.
    #[property(minimum = 1, maximum = 10_000)]
    pub quantity: u32,
    /// The price of one, in cents.
    #[property(minimum = 0)]
    pub cents: i64,
}
