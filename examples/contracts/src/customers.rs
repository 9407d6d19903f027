//! Customers, and their addresses below them.

use jiff::Timestamp;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Somebody with whom contracts are made.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/customers", put)]
pub struct Customer {
    /// Given by the server; later ones are greater.
    #[property(id)]
    pub id: Uuid,
    /// The tenant, which clients do not see.
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    /// The name of the company or person.
    #[property(min_length = 1, max_length = 200, filter(eq, contains), sort(default = asc))]
    pub name: String,
    /// The mail address, of which there is one customer at most.
    #[property(format = "email", unique, filter(eq))]
    pub email: String,
    /// The time at which it was made.
    #[property(created_at)]
    pub created_at: Timestamp,
}

/// An address of a customer, deleted with the customer.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/customers/{customer_id}/addresses")]
pub struct Address {
    /// Given by the server; later ones are greater.
    #[property(id)]
    pub id: Uuid,
    /// The tenant, which clients do not see.
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    /// The customer.
    #[property(parent(Customer, on_delete = cascade))]
    pub customer_id: Uuid,
    /// The letters that are sent there.
    #[property(filter(eq, in))]
    pub usage: Usage,
    /// The street, with the number of the house.
    #[property(min_length = 1, max_length = 200)]
    pub street: String,
    /// The town.
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
