//! Defines the string type, with the constraints `min_length`, `max_length`, `pattern` and `format`.

use serde_json::{Map, Value};

use super::{Scalar, ScalarRules};
use crate::code::Code;
use crate::constraint::{Constraint, ConstraintError, conflict};
use crate::format::Format;
use crate::pattern::{CompiledPatterns, Pattern};
use crate::pending_violation::{PendingViolation, ViolationSink, counted};
use crate::steps;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StringType {
    min_length: Option<usize>,
    max_length: Option<usize>,
    pattern: Option<Pattern>,
    pub(in crate::shape) format: Option<Format>,
}

impl StringType {
    pub(in crate::shape) fn is_local_date_time(&self) -> bool {
        self.format.is_some_and(|format| format.name() == "date-time-local")
    }

    pub(in crate::shape) fn is_duration(&self) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.source() == DURATION)
    }
}

impl ScalarRules for StringType {
    const TAKES: &'static [&'static str] = &["min_length", "max_length", "pattern", "format"];

    fn name(&self) -> &'static str {
        "string"
    }

    fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        match constraint {
            Constraint::MinLength(length) => self.min_length = Some(*length),
            Constraint::MaxLength(length) => self.max_length = Some(*length),
            Constraint::Pattern(source) => self.pattern = Some(Pattern::new(source).map_err(ConstraintError::Invalid)?),
            Constraint::Format(format) => self.format = Some(*format),
            _ => return Err(ConstraintError::Misfit),
        }
        Ok(())
    }

    fn conflicts(&self) -> Vec<String> {
        conflict(("min_length", self.min_length), ("max_length", self.max_length)).into_iter().collect()
    }

    fn prepare(&mut self, patterns: &mut CompiledPatterns) -> Result<(), String> {
        self.pattern.as_mut().map_or(Ok(()), |pattern| pattern.compile(patterns))
    }

    #[inline]
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        let Scalar::Text(text) = value else {
            return sink.report(|| PendingViolation::wrong_type("string", value.type_name()));
        };
        if self.min_length.is_some_and(|min| is_shorter(text, min)) {
            sink.report(|| too_short(self.min_length.unwrap_or_default()));
        }
        if self.max_length.is_some_and(|max| is_longer(text, max)) {
            sink.report(|| too_long(self.max_length.unwrap_or_default()));
        }
        // The guided read leaves expensive checks of long strings to the complete walk, so they run only once.
        if text.len() > LONG && (self.pattern.is_some() || self.format.is_some()) && sink.defers() {
            return;
        }
        steps::count(text.len());
        if let Some(pattern) = &self.pattern
            && !pattern.is_match(text)
        {
            sink.report(|| {
                PendingViolation::new(Code::PATTERN, format!("must match the pattern {}", pattern.source()))
                    .param("pattern", pattern.source())
            });
        }
        if let Some(format) = &self.format
            && !format.holds(text)
        {
            sink.report(|| bad_format(format.name()));
        }
    }

    fn schema(&self) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "string".into());
        if let Some(length) = self.min_length {
            schema.insert("minLength".to_owned(), length.into());
        }
        if let Some(length) = self.max_length {
            schema.insert("maxLength".to_owned(), length.into());
        }
        let format_pattern = self.format.and_then(|format| format.pattern());
        match (&self.pattern, format_pattern) {
            (Some(pattern), None) => {
                schema.insert("pattern".to_owned(), pattern.published().into());
            }
            (None, Some(pattern)) => {
                schema.insert("pattern".to_owned(), pattern.into());
            }
            (Some(pattern), Some(other)) => {
                schema.insert("pattern".to_owned(), pattern.published().into());
                schema.insert("allOf".to_owned(), serde_json::json!([{ "pattern": other }]));
            }
            (None, None) => {}
        }
        if let Some(format) = &self.format {
            schema.insert(format.keyword().to_owned(), format.name().into());
        }
        schema
    }
}

/// The pattern of durations in hours, minutes and seconds.
pub(crate) const DURATION: &str = r"^-?PT([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]{1,9})?S)?$";

/// The maximum length, in bytes, of strings whose pattern and format are checked in the first read. The second read
/// (the complete walk) checks longer strings.
const LONG: usize = 4096;

/// Returns `true` if a string has fewer than `min` characters. A character has one to four bytes, so characters are
/// counted only if the number of bytes does not decide the result.
#[inline]
fn is_shorter(text: &str, min: usize) -> bool {
    text.len().div_ceil(4) < min && text.chars().count() < min
}

#[inline]
fn is_longer(text: &str, max: usize) -> bool {
    text.len() > max && text.chars().count() > max
}

fn too_short(min: usize) -> PendingViolation {
    PendingViolation::new(Code::MIN_LENGTH, format!("must have at least {}", counted(min, "character", "characters")))
        .param("min_length", min)
}

fn too_long(max: usize) -> PendingViolation {
    PendingViolation::new(Code::MAX_LENGTH, format!("must have at most {}", counted(max, "character", "characters")))
        .param("max_length", max)
}

pub(in crate::shape) fn bad_format(name: &'static str) -> PendingViolation {
    let example = match name {
        "base64" => ", such as aGVsbG8=",
        "date" => ", such as 2024-02-29",
        "date-time" => ", such as 2024-02-29T12:00:00Z",
        "date-time-local" => ", such as 2024-02-29T12:00:00",
        "time-local" => ", such as 12:00:00",
        "uuid" => ", such as 123e4567-e89b-12d3-a456-426614174000",
        _ => "",
    };
    PendingViolation::new(Code::FORMAT, format!("must have the format {name}{example}")).param("format", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_counted_in_characters() {
        for (text, length) in [("", 0), ("abc", 3), ("äöü", 3), ("🦀🦀", 2), ("aäöü🦀", 5)] {
            for bound in 0..8 {
                assert_eq!(is_shorter(text, bound), length < bound, "{text} {bound}");
                assert_eq!(is_longer(text, bound), length > bound, "{text} {bound}");
            }
        }
        assert!(is_shorter("abc", usize::MAX));
    }
}
