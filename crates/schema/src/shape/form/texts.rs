//! Reads booleans and times as browsers and data tools write them.

use std::borrow::Cow;

use crate::shape::node::{CompiledNodes, Node, NodeForm};
use crate::shape::schema_type::date::is_full_date;
use crate::shape::schema_type::{Scalar, ScalarType};

/// The types of the scalars that a schema accepts.
#[derive(Clone, Copy, Default)]
pub(in crate::shape) struct Scalars {
    has_boolean: bool,
    has_time: bool,
    pub(in crate::shape) has_decimal: bool,
    pub(in crate::shape) has_number: bool,
    /// `true` if the schema accepts strings without a fixed form.
    has_text: bool,
    /// `true` if the schema accepts other strings, such as dates.
    has_other: bool,
}

impl Scalars {
    pub(in crate::shape) fn of(compiled: &CompiledNodes, node: &Node) -> Self {
        let mut found = Self::default();
        found.add(compiled, node);
        found
    }

    fn add(&mut self, compiled: &CompiledNodes, node: &Node) {
        match &compiled.resolve(node).form {
            NodeForm::Scalar(kind) => match kind {
                ScalarType::Boolean(_) => self.has_boolean = true,
                ScalarType::DateTime(_) => self.has_time = true,
                ScalarType::String(kind) if kind.is_local_date_time() => self.has_time = true,
                #[cfg(feature = "rust_decimal")]
                ScalarType::Decimal(_) => self.has_decimal = true,
                ScalarType::Date(_) | ScalarType::Uuid(_) | ScalarType::File(_) => self.has_other = true,
                _ if kind.is_numeric() => self.has_number = true,
                _ => self.has_text = true,
            },
            NodeForm::Any => (self.has_number, self.has_text) = (true, true),
            NodeForm::AnyOf(variants) => variants.iter().for_each(|variant| self.add(compiled, variant)),
            _ => {}
        }
    }

    fn are_booleans(self) -> bool {
        let Self { has_boolean, has_time, has_decimal, has_number, has_text, has_other } = self;
        has_boolean && !(has_time || has_decimal || has_number || has_text || has_other)
    }
}

/// Returns the boolean or the number of a text, or `None` if the text is a string.
pub(super) fn scalar<'t>(compiled: &CompiledNodes, node: &Node, text: &'t str) -> Option<Scalar<'t>> {
    if Scalars::of(compiled, node).are_booleans() {
        return boolean(text).map(Scalar::Boolean);
    }
    match &node.form {
        NodeForm::Scalar(kind) => kind.read_text(text),
        NodeForm::AnyOf(variants) => variants.iter().find_map(|variant| match &compiled.resolve(variant).form {
            NodeForm::Scalar(kind) => kind.read_text(text),
            _ => None,
        }),
        _ => None,
    }
}

/// Returns a string. A time with a space instead of `T`, or with an offset such as `+00` or `+0000`, gets the form of RFC 3339.
pub(in crate::shape) fn string<'t>(compiled: &CompiledNodes, node: &Node, text: &'t str) -> Cow<'t, str> {
    // Most strings do not begin with a date.
    let Some(written) = rfc_3339(text) else { return Cow::Borrowed(text) };
    let scalars = Scalars::of(compiled, node);
    if scalars.has_time && !scalars.has_text { Cow::Owned(written) } else { Cow::Borrowed(text) }
}

/// Returns the boolean of a text, as browsers, Python, R and PostgreSQL write it.
fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" | "t" | "1" | "on" => Some(true),
        "false" | "False" | "FALSE" | "f" | "0" | "off" => Some(false),
        _ => None,
    }
}

/// The maximum length of a time that is rewritten.
const LONGEST_TIME: usize = 40;

/// Returns the form of RFC 3339 of a time that a data tool writes. Returns `None` if the text already has this form, or if it is
/// no time.
fn rfc_3339(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked(10).filter(|_| text.len() <= LONGEST_TIME)?;
    let time = rest.strip_prefix([' ', 'T']).filter(|_| is_full_date(date.as_bytes()))?;
    let (time, offset) = time.rfind(['+', '-']).and_then(|start| time.split_at_checked(start)).unwrap_or((time, ""));
    let (hours, minutes) = match (offset.len(), offset.split_at_checked(3)) {
        (3, _) => (offset, ":00"),
        (5, Some((hours, minutes))) => return Some(format!("{date}T{time}{hours}:{minutes}")),
        _ if rest.starts_with('T') => return None,
        _ => (offset, ""),
    };
    Some(format!("{date}T{time}{hours}{minutes}"))
}

#[cfg(test)]
mod tests {
    use super::rfc_3339;

    #[test]
    fn times_of_data_tools_get_the_form_of_rfc_3339() {
        for (text, expected) in [
            // PostgreSQL and DuckDB, polars, pyarrow, pandas.
            ("2026-01-31 10:00:00.123456+00", Some("2026-01-31T10:00:00.123456+00:00")),
            ("2026-01-31T10:00:00.123456+0000", Some("2026-01-31T10:00:00.123456+00:00")),
            ("2026-01-31 10:00:00.123456Z", Some("2026-01-31T10:00:00.123456Z")),
            ("2026-01-31 10:00:00+05:30", Some("2026-01-31T10:00:00+05:30")),
            ("2026-01-31 10:00:00-0330", Some("2026-01-31T10:00:00-03:30")),
            ("2026-01-31 10:00:00-08", Some("2026-01-31T10:00:00-08:00")),
            ("2026-01-31 10:00:00", Some("2026-01-31T10:00:00")),
            ("2026-01-31T10:00:00Z", None),
            ("2026-01-31T10:00:00+00:00", None),
            ("2026-01-31T10:00:00", None),
            ("2026-01-31", None),
            ("2026-02-30 10:00:00Z", None),
            ("31.01.2026 10:00", None),
            ("2026-01-3\u{e9} 10:00", None),
            ("", None),
        ] {
            assert_eq!(rfc_3339(text).as_deref(), expected, "{text}");
        }
        assert_eq!(rfc_3339(&format!("2026-01-31 {}", "0".repeat(1_000))), None);
        assert_eq!(rfc_3339("2026-01-31 10:00+\u{e9}\u{e9}").as_deref(), Some("2026-01-31T10:00+\u{e9}:\u{e9}"));
    }
}
