//! Defines OpenAPI parameters in the path, the query string, a header or a cookie.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::keyed::by_key;
use super::{ExampleObject, SchemaUse};
use crate::problem::ViolationLocation;

/// The location of a parameter in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ParameterLocation {
    /// The parameter is a segment of the path.
    Path,
    /// The parameter is in the query string.
    Query,
    /// The parameter is a header.
    Header,
    /// The parameter is a cookie.
    Cookie,
}

impl ParameterLocation {
    /// Returns the value of the OpenAPI field `in`, such as `path` or `query`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        ViolationLocation::from(self).as_str()
    }
}

impl fmt::Display for ParameterLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<ParameterLocation> for ViolationLocation {
    fn from(location: ParameterLocation) -> Self {
        match location {
            ParameterLocation::Path => Self::Path,
            ParameterLocation::Query => Self::Query,
            ParameterLocation::Header => Self::Header,
            ParameterLocation::Cookie => Self::Cookie,
        }
    }
}

/// A parameter in the path, the query string, a header or a cookie (OpenAPI 3.1, Parameter Object).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ParameterObject<S = SchemaUse> {
    /// The name of the parameter. Header names are case-insensitive.
    pub name: String,
    /// Another name of a filter, such as `age[gte]` for the query parameter `filter[age][gte]` or `age__gte`.
    ///
    /// The alias reserves `filter` and the part before the first bracket in both names. Building the Api
    /// fails if a query parameter without an alias has a name that starts with a reserved part.
    #[serde(skip)]
    pub flat: Option<String>,
    /// The location of the parameter in the request.
    #[serde(rename = "in")]
    pub location: ParameterLocation,
    /// The description of the parameter, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `true` if a request without the parameter is rejected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// `true` if clients should stop sending the parameter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// The serialization style of the value.
    #[serde(flatten)]
    pub style: ParameterStyle,
    /// The schema of the value.
    pub schema: S,
    /// Examples of the value.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_key")]
    pub examples: Vec<ExampleObject>,
}

/// The serialization style of a parameter value (the OpenAPI fields `style` and `explode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ParameterStyle {
    /// The default style that OpenAPI defines for the location of the parameter.
    ///
    /// This style is `simple` for the path and headers, and `form` with `explode` for the query string and cookies. An
    /// exploded array repeats the parameter for each item.
    #[default]
    Standard,
    /// The style `form` without `explode`. An array is one comma-separated value.
    Comma,
}

impl Serialize for ParameterStyle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if *self == Self::Comma {
            map.serialize_entry("style", "form")?;
            map.serialize_entry("explode", &false)?;
        }
        map.end()
    }
}

impl<S> ParameterObject<S> {
    /// Creates a required parameter without a description.
    #[must_use]
    pub fn new(location: ParameterLocation, name: impl Into<String>, schema: S) -> Self {
        Self {
            name: name.into(),
            flat: None,
            location,
            description: None,
            required: true,
            deprecated: false,
            style: ParameterStyle::Standard,
            schema,
            examples: Vec::new(),
        }
    }

    pub(super) fn render<T>(&self, render: &mut dyn FnMut(&S, Option<&str>) -> T) -> ParameterObject<T> {
        ParameterObject {
            flat: self.flat.clone(),
            description: self.description.clone(),
            required: self.required,
            deprecated: self.deprecated,
            style: self.style,
            examples: self.examples.clone(),
            ..ParameterObject::new(self.location, self.name.clone(), render(&self.schema, self.description.as_deref()))
        }
    }
}
