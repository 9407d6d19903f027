//! Customers, and their addresses below them.

use jiff::Timestamp;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Somebody with whom contracts are made.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/customers", put)]
pub struct Customer {
    #[property(id)]
    pub id: Uuid,
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    #[property(min_length = 1, max_length = 200, filter(eq, contains), sort(default = asc))]
    pub name: String,
    /// The mail address, of which there is one customer at most.
    #[property(format = "email", unique, filter(eq))]
    pub email: String,
    #[property(created_at)]
    pub created_at: Timestamp,
}

/// An address of a customer, deleted with the customer.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/customers/{customer_id}/addresses")]
pub struct Address {
    #[property(id)]
    pub id: Uuid,
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    #[property(parent(Customer, on_delete = cascade))]
    pub customer_id: Uuid,
    #[property(filter(eq, in))]
    pub usage: Usage,
    #[property(min_length = 1, max_length = 200)]
    pub street: String,
    #[property(min_length = 1, max_length = 100, filter(eq), sort)]
    pub city: String,
}

/// The letters that are sent to an address.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum Usage {
    Invoices,
    Visits,
}
