use restwright::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Misspelt {
    #[property(id)]
    id: i64,
    #[property(fliter(eq), min_lenght = 1, exclude(lists))]
    name: String,
    #[property(sort(defualt = asc))]
    label: String,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Lists {
    #[property(id)]
    id: i64,
    #[property(filter)]
    name: String,
    #[property(filter(eq, rename = "title"))]
    label: String,
    #[property(sort(default = asc, default = desc))]
    rank: i64,
    #[property(sort, sort)]
    weight: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Operators {
    #[property(id)]
    id: i64,
    #[property(filter(equals), sort(default = down))]
    height: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Revealed {
    #[property(id)]
    id: i64,
    #[property(write_only, filter(eq))]
    password: String,
    #[property(exclude(view, list), sort)]
    rank: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Roles {
    #[property(id)]
    id: i64,
    #[property(created_at, version)]
    created_at: jiff::Timestamp,
    #[property(scope, unique)]
    tenant: String,
    #[property(scope)]
    team: Option<String>,
    #[property(updated_at, write_only)]
    changed_at: jiff::Timestamp,
    #[property(updated_at)]
    updated_at: jiff::Timestamp,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Skipped {
    #[property(id)]
    id: i64,
    #[record(skip)]
    #[property(unique)]
    code: String,
    #[serde(skip)]
    cache: u8,
    #[serde(skip_serializing)]
    secret: String,
    #[serde(skip_deserializing)]
    state: String,
    #[serde(flatten)]
    details: Details,
}

#[derive(Clone, Serialize, Deserialize, Schema)]
struct Details {
    note: String,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things", put)]
struct Replaced {
    #[property(id)]
    id: i64,
    #[property(exclude(update))]
    code: String,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Renamed {
    #[property(id, renamed_from = "number")]
    id: i64,
    #[property(renamed_from = "code")]
    code: String,
    #[property(renamed_from(title))]
    name: String,
    #[serde(skip)]
    #[property(renamed_from = "store")]
    cache: String,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things", index(nmae, id), index(tenant, name), index())]
struct Indexed {
    #[property(id)]
    id: i64,
    #[property(scope = "tenant", filter(eq, index))]
    tenant: String,
    #[property(filter(contains, index))]
    name: String,
}

fn main() {}
