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
    pub(super) media_type: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
}

impl Sent {
    pub(super) fn new(kind: Kind, method: &'static str, path: impl Into<String>) -> Self {
        Self { method, kind, path: path.into(), body: None, media_type: "application/json", headers: Vec::new() }
    }

    pub(super) fn json(self, body: &Value) -> Self {
        Self { body: Some(body.to_string()), ..self }
    }

    pub(super) fn json_patch(self, operations: &Value) -> Self {
        Self { media_type: "application/json-patch+json", ..self.json(operations) }
    }
}

/// SplitMix64.
#[derive(Clone)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    pub(super) fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}
