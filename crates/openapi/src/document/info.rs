//! What the service is and where.

use serde::Serialize;

/// What the service is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// Its name.
    pub title: String,
    /// Its version.
    pub version: String,
    /// What it is for, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// An address at which clients find the service.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Server {
    /// The address, absolute or relative to that of the document.
    pub url: String,
}

/// A group of operations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tag {
    /// Its name.
    pub name: String,
}
