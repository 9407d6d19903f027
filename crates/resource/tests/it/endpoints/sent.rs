//! Requests to the resources of the test of noninterference.

use serde_json::Value;

/// A use of something that the resources accept with `reveals`, or of a right that no policy mentions. It must be found as a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Revealed {
    /// Hidden notes have the unique codes of `bob`.
    Codes,
    /// Hidden pages have the identifiers that `bob` chooses.
    Slugs,
    /// Hidden receipts take integers of the store.
    Numbers,
    /// Hidden notes refer to folders of `bob`.
    References,
    /// `bob` loses a right that changes responses, but not what he sees.
    Rights,
}

/// A kind of rows, whose identifiers responses contain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Folder,
    Note,
    Line,
    Page,
    Receipt,
    Member,
    Task,
}

/// The number of kinds.
pub(super) const KINDS: usize = Kind::Task as usize + 1;

/// A request.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) method: &'static str,
    pub(super) kind: Kind,
    pub(super) path: String,
    pub(super) body: Option<String>,
    pub(super) headers: Vec<(&'static str, String)>,
}

impl Sent {
    pub(super) fn new(kind: Kind, method: &'static str, path: impl Into<String>) -> Self {
        Self { method, kind, path: path.into(), body: None, headers: Vec::new() }
    }

    pub(super) fn json(self, body: &Value) -> Self {
        Self { body: Some(body.to_string()), ..self }
    }
}
