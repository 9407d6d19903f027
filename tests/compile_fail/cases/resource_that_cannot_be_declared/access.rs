//! Fields whose access makes no sense.

use restwright::prelude::*;
use serde::Serialize;

/// A member of the staff.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/{team_id}/staff")]
struct Member {
    #[property(id, read = "hr")]
    id: i64,
    #[property(version, read = "hr")]
    version: i64,
    #[property(scope = "tenant", write = "hr")]
    tenant: String,
    #[property(parent(Team), read = "hr")]
    team_id: i64,
    #[property(created_at, write = "hr")]
    created_at: jiff::Timestamp,
    #[property(read_only, write = "hr")]
    count: i64,
    #[property(write_only, read = "hr")]
    password: String,
    #[property(read = "")]
    salary: Option<i64>,
    #[property(read)]
    grade: Option<i64>,
    #[property(read = 7)]
    room: Option<i64>,
    #[property(read(role = "hr"))]
    phone: Option<String>,
    #[property(read(scope = "hr", claim = "roles"))]
    mobile: Option<String>,
    #[property(write(scop = "hr"))]
    mail: Option<String>,
    #[property(read = "hr", read = "boss")]
    name: Option<String>,
    #[property(reed = "hr")]
    nick: Option<String>,
}

/// A team.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/teams")]
struct Team {
    #[property(id)]
    id: i64,
}

/// A body, which is not a resource.
#[derive(Schema)]
struct Body {
    #[property(read = "hr")]
    salary: i64,
}

fn main() {}
