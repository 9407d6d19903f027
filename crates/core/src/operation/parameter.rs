//! A parameter: a value in the path, the query string, a header or a cookie.

use std::collections::BTreeMap;

use super::{ExampleObject, SchemaUse};
use crate::problem::Location;

/// A value that travels outside the body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParameterObject {
    /// Its name; for a header, in any case.
    pub name: String,
    /// For a query parameter with brackets in its name, the flat spelling that means the same: `age[gte]` for
    /// `filter[age][gte]`. Whoever reads it takes every name that begins like either up to the first bracket, and an Api with
    /// another reader of such a name is not built.
    pub flat: Option<String>,
    /// Where it travels; never the body.
    pub location: Location,
    /// What it is.
    pub description: Option<String>,
    /// Whether a request without it is refused.
    pub required: bool,
    /// Whether clients should stop sending it.
    pub deprecated: bool,
    /// How its text becomes a value.
    pub style: ParameterStyle,
    /// Its shape.
    pub schema: SchemaUse,
    /// Examples by name.
    pub examples: BTreeMap<String, ExampleObject>,
}

/// How the text of a parameter becomes a value, as OpenAPI's `style` and `explode` say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ParameterStyle {
    /// `simple` in path and headers, `form` with `explode` in query and cookies: an array is the parameter repeated.
    #[default]
    Standard,
    /// `form` without `explode`: an array is one value with commas.
    Comma,
}

impl ParameterObject {
    /// A required parameter without a description.
    #[must_use]
    pub fn new(location: Location, name: impl Into<String>, schema: SchemaUse) -> Self {
        Self {
            name: name.into(),
            flat: None,
            location,
            description: None,
            required: true,
            deprecated: false,
            style: ParameterStyle::Standard,
            schema,
            examples: BTreeMap::new(),
        }
    }
}
