//! Customers, and their addresses as a nested resource.

use jiff::Timestamp;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A company or person that has contracts.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/customers", put)]
pub struct Customer {
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    pub id: Uuid,
    /// The tenant. Clients do not see it.
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    /// The name of the company or person.
    #[property(min_length = 1, max_length = 200, filter(eq, contains), sort(default = asc))]
    pub name: String,
    /// The email address, which is unique.
    #[property(format = "email", unique, filter(eq))]
    pub email: String,
    /// A contact for questions.
    pub contact: Option<Contact>,
    /// The time of creation.
    #[property(created_at)]
    pub created_at: Timestamp,
}

/// A telephone number, or a person.
#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Contact {
    Phone(#[property(pattern = "^[+0-9 ]{5,30}$")] String),
    Person {
        /// The name of the person, without control characters.
        #[property(pattern = r"^[^\x00-\x1F]{1,200}$")]
        name: String,
        /// The email address of the person.
        #[property(format = "email")]
        email: String,
    },
}

/// An address of a customer. It is deleted with the customer.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/customers/{customer_id}/addresses")]
pub struct Address {
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    pub id: Uuid,
    /// The tenant. Clients do not see it.
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    /// The customer.
    #[property(parent(Customer, on_delete = cascade))]
    pub customer_id: Uuid,
    /// The purpose of the address.
    #[property(filter(eq, in))]
    pub usage: Usage,
    /// The street and house number.
    #[property(min_length = 1, max_length = 200)]
    pub street: String,
    /// The town.
    #[property(min_length = 1, max_length = 100, filter(eq), sort)]
    pub city: String,
}

/// The purpose of an address.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum Usage {
    Invoices,
    Visits,
}
