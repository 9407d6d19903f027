use restwright::prelude::*;

#[derive(Clone, serde::Serialize, Resource)]
#[resource(path = "/sheets")]
struct Sheet {
    #[property(id(given))]
    slug: String,
    #[property(deleted_at)]
    deleted_at: jiff::Timestamp,
    #[property(deleted_at, filter(is_null))]
    removed_at: Option<jiff::Timestamp>,
}

#[derive(Clone, serde::Serialize, Resource)]
#[resource(path = "/tickets", search(titel, secret, deleted_at), pagination = page(total = no))]
struct Ticket {
    #[property(id)]
    id: i64,
    title: String,
    #[property(write_only)]
    secret: String,
    #[property(deleted_at)]
    deleted_at: Option<jiff::Timestamp>,
}

fn main() {}
