//! Projects, which every caller of an organisation sees.

use jiff::Timestamp;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A project of an organisation.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/projects", put, reveals(tickets))] // only admins delete projects, and they see all tickets
pub struct Project {
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    pub id: Uuid,
    /// The organisation. Clients do not see it.
    #[property(scope = "organisation", exclude(view, list))]
    pub organisation: String,
    /// The key of the project, unique in the organisation.
    #[property(pattern = "^[A-Z]{2,10}$", unique, filter(eq))]
    pub key: String,
    /// The name of the project.
    #[property(min_length = 1, max_length = 200, filter(eq, contains), sort(default = asc))]
    pub name: String,
    /// The time of the deletion. Clients do not see it.
    #[property(deleted_at)]
    pub deleted_at: Option<Timestamp>,
}
