//! Relations with wrong filters and sort fields.

use restwright::prelude::*;
use serde::Serialize;

/// A customer.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/customers")]
struct Customer {
    #[property(id)]
    id: i64,
    name: String,
}

/// A ticket.
#[derive(Clone, Serialize, Resource)]
#[resource(
    path = "/tickets",
    include(
        customer(filter(name), sort(name = "asc")),
        buyer(by = "customer_id", filter(name(like)), filters(name(eq))),
        comments(max = 5, sort(text))
    )
)]
struct Ticket {
    #[property(id)]
    id: i64,
    #[property(references(Customer))]
    customer_id: Option<i64>,
}

fn main() {}
