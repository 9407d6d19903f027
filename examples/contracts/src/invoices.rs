//! Invoices, nested below contracts, with batches and idempotency keys.

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
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    pub id: Uuid,
    /// The tenant. Clients do not see it.
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    /// The contract.
    #[property(parent = Contract)]
    pub contract_id: Uuid,
    /// The invoice number, which is unique within the contract.
    #[property(pattern = "^[A-Z0-9-]{1,20}$", unique, filter(eq, starts_with), sort)]
    pub number: String,
    /// The due date.
    #[property(filter(gte, lte), sort)]
    pub due_on: Date,
    /// The first and the last day that the invoice is for.
    pub period: Option<(Date, Date)>,
    /// `true` if the invoice is paid.
    #[property(filter(eq))]
    #[serde(default)]
    pub paid: bool,
    /// The lines of the invoice.
    #[property(min_items = 1, max_items = 100)]
    pub lines: Vec<Line>,
    /// The time of creation.
    #[property(created_at, sort(default = desc))]
    pub created_at: Timestamp,
}

/// One line of an invoice.
#[derive(Clone, Serialize, Deserialize, Schema)]
pub struct Line {
    /// The product or service.
    #[property(min_length = 1, max_length = 200)]
    pub text: String,
    /// The quantity.
    #[property(minimum = 1, maximum = 10_000)]
    pub quantity: u32,
    /// The price per unit, in cents.
    #[property(minimum = 0)]
    pub cents: i64,
}
