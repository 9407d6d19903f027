//! Defines the file type, with the constraints `max_size`, `accept` and `check_content`.

use serde_json::{Map, Value};

use super::{Scalar, ScalarRules};
use crate::code::Code;
use crate::constraint::{Constraint, ConstraintError};
use crate::pending_violation::{PendingViolation, ViolationSink};

/// An uploaded file. In the JSON text of a form it is the number of the file in the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FileType {
    pub(in crate::shape) max_size: Option<u64>,
    /// The accepted media types, such as `image/*`. An empty list accepts all.
    pub(in crate::shape) accept: Vec<String>,
    /// `true` if the first bytes of the file must match an accepted media type.
    pub(in crate::shape) checks_content: bool,
    /// True if the file is the last part of a form, which is read in pieces.
    pub(in crate::shape) is_streamed: bool,
}

impl ScalarRules for FileType {
    const TAKES: &'static [&'static str] = &["max_size", "accept", "check_content"];

    fn name(&self) -> &'static str {
        "file"
    }

    fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        match constraint {
            Constraint::MaxSize(bytes) => self.max_size = Some(*bytes),
            Constraint::Accept(list) => self.accept = media_ranges(list).map_err(ConstraintError::Invalid)?,
            Constraint::CheckContent => self.checks_content = true,
            _ => return Err(ConstraintError::Misfit),
        }
        Ok(())
    }

    fn conflicts(&self) -> Vec<String> {
        let has_types = self.accept.iter().any(|range| range != "*/*");
        let conflict = "`check_content` compares the content with the media types of `accept`; set `accept` too";
        if self.checks_content && !has_types { vec![conflict.to_owned()] } else { Vec::new() }
    }

    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        if !matches!(value, Scalar::Number(number) if number.as_u64().is_some()) {
            sink.report(|| {
                PendingViolation::new(Code::TYPE, "must be a file, sent as `multipart/form-data`")
                    .param("expected", "file")
                    .param("actual", value.type_name())
            });
        }
    }

    fn schema(&self) -> Map<String, Value> {
        let mut schema = Map::from_iter([("type".to_owned(), "string".into()), ("format".to_owned(), "binary".into())]);
        if let Some(bytes) = self.max_size {
            schema.insert("maxLength".to_owned(), bytes.into());
        }
        schema
    }
}

/// Parses a list of media types such as `image/*, application/pdf`.
fn media_ranges(list: &str) -> Result<Vec<String>, String> {
    let is_token =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$&^_.+-".contains(c));
    list.split(',')
        .map(|range| {
            let range = range.trim().to_ascii_lowercase();
            let is_range = range.split_once('/').is_some_and(|(kind, subtype)| {
                kind == "*" && subtype == "*" || is_token(kind) && (subtype == "*" || is_token(subtype))
            });
            let instead = "write media types such as \"image/*\" or \"image/png, image/jpeg\"";
            is_range.then(|| range.clone()).ok_or_else(|| format!("`{range}` is not a media type; {instead}"))
        })
        .collect()
}

/// The constraints of a file in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRules<'s> {
    /// The maximum size of the file in bytes.
    pub max_size: Option<u64>,
    /// `true` if several files may have the name.
    pub is_list: bool,
    /// `true` if the file is the last part of the form, which the handler reads in pieces.
    pub is_streamed: bool,
    /// `true` if the first bytes of the file must match an accepted media type.
    pub checks_content: bool,
    accept: &'s [String],
}

impl<'s> FileRules<'s> {
    pub(in crate::shape) fn of(file: &'s FileType, is_list: bool) -> Self {
        Self {
            max_size: file.max_size,
            is_list,
            is_streamed: file.is_streamed,
            checks_content: file.checks_content,
            accept: &file.accept,
        }
    }

    /// Returns `true` if the file may have this media type. Parameters of the media type are ignored.
    #[must_use]
    pub fn accepts(&self, media_type: &str) -> bool {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let matches = |range: &String| match range.strip_suffix('*') {
            Some("*/") => true,
            Some(kind) => essence.get(..kind.len()).is_some_and(|start| start.eq_ignore_ascii_case(kind)),
            None => range.eq_ignore_ascii_case(essence),
        };
        self.accept.is_empty() || self.accept.iter().any(matches)
    }

    /// Returns the accepted media types as a list such as `image/png, image/jpeg`, or `None` if all are accepted.
    #[must_use]
    pub fn accepted(&self) -> Option<String> {
        (!self.accept.is_empty()).then(|| self.accept.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_accepted_by_ranges() {
        for (accept, media_type, expected) in [
            ("image/*", "image/png", true),
            ("image/*", "IMAGE/PNG; a=b", true),
            ("image/*", "imagex/png", false),
            ("image/*", "video/mp4", false),
            ("image/png, image/jpeg", "image/jpeg", true),
            ("image/png, image/jpeg", "image/gif", false),
            ("*/*", "a/b", true),
            ("image/*", "", false),
            ("image/*", "\u{e4}", false),
        ] {
            let file = FileType { accept: media_ranges(accept).unwrap(), ..FileType::default() };
            assert_eq!(FileRules::of(&file, false).accepts(media_type), expected, "{accept} {media_type}");
        }
        for list in ["", "image", "image/", "/png", "image/p ng", "*/png", "image/png,"] {
            assert!(media_ranges(list).is_err(), "{list}");
        }
    }
}
