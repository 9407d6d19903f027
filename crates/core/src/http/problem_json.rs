//! Writes problems as JSON (RFC 9457).

use bytes::Bytes;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{RequestId, to_json};
use crate::problem::ProblemParts;

/// Serializes a problem as JSON in the standard form (RFC 9457).
///
/// This function is in the same crate as the JSON writer, so the compiler can inline the writer.
#[must_use]
pub fn problem_json(problem: &ProblemParts, request_id: &RequestId, type_base: Option<&str>) -> Bytes {
    to_json(&Wire { problem, request_id, type_base }, None).unwrap_or_default().into()
}

/// The JSON object of a problem, with its members in a readable order.
struct Wire<'a> {
    problem: &'a ProblemParts,
    request_id: &'a RequestId,
    type_base: Option<&'a str>,
}

impl Serialize for Wire<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ProblemParts { kind, detail, members, violations, .. } = self.problem;
        let mut map = serializer.serialize_map(None)?;
        match self.type_base {
            Some(base) => map.serialize_entry("type", &format_args!("{base}{}", kind.code))?,
            None => map.serialize_entry("type", "about:blank")?,
        }
        map.serialize_entry("title", &kind.title)?;
        map.serialize_entry("status", &kind.status.as_u16())?;
        if let Some(detail) = detail {
            map.serialize_entry("detail", detail)?;
        }
        map.serialize_entry("code", &kind.code)?;
        map.serialize_entry("request_id", self.request_id.as_str())?;
        if !violations.is_empty() {
            map.serialize_entry("errors", violations)?;
        }
        members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}
