//! Defines [`OpenApiVersion`] and [`DocumentOptions`], and creates the versions of a document.
//!
//! Operations are modelled as in OpenAPI 3.1. [`v3_0`] converts the document to 3.0. Version 3.2 adds the methods that
//! 3.1 cannot describe.

mod losses;
mod single_types;
mod v3_0;

use std::fmt;
use std::str::FromStr;

use restwright_runtime::Api;
use restwright_runtime::core::http::Method;

use crate::generate::Document;
use losses::Losses;

/// A version of the OpenAPI specification.
///
/// ```
/// use restwright_openapi::OpenApiVersion;
///
/// assert_eq!("3.0".parse(), Ok(OpenApiVersion::V3_0));
/// assert_eq!(OpenApiVersion::default().to_string(), "3.1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OpenApiVersion {
    /// OpenAPI 3.0.3, for tools that do not support newer versions. Its schemas use a dialect of JSON Schema Wright
    /// Draft 00 (draft 5).
    V3_0,
    /// OpenAPI 3.1.0, the default.
    #[default]
    V3_1,
    /// OpenAPI 3.2.0. In addition to 3.1, it supports `QUERY` and custom methods.
    V3_2,
}

impl OpenApiVersion {
    /// Returns the version as a major and a minor number, such as `3.0`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
            Self::V3_2 => "3.2",
        }
    }

    /// Returns the path at which [`Documentation`](crate::Documentation) serves the document of this version. The path
    /// is `/openapi.json` for 3.1, `/openapi-3.0.json` for 3.0 and `/openapi-3.2.json` for 3.2.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::V3_0 => "/openapi-3.0.json",
            Self::V3_1 => "/openapi.json",
            Self::V3_2 => "/openapi-3.2.json",
        }
    }

    /// Returns `true` if a document of this version can describe operations with the method `method`.
    pub(crate) fn describes(self, method: &Method) -> bool {
        let fixed = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
        self == Self::V3_2 || fixed.contains(&method.as_str())
    }
}

impl fmt::Display for OpenApiVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for OpenApiVersion {
    type Err = String;

    /// Parses a version of OpenAPI, such as `3.0`.
    ///
    /// # Errors
    /// Returns a message that lists the supported versions.
    fn from_str(text: &str) -> Result<Self, String> {
        let versions = [Self::V3_0, Self::V3_1, Self::V3_2];
        let found = versions.into_iter().find(|version| version.as_str() == text);
        found.ok_or_else(|| format!("The version of OpenAPI must be 3.0, 3.1 or 3.2, not {text:?}."))
    }
}

/// The options for creating a document, which are the OpenAPI version and restrictions for client generators.
///
/// ```
/// use restwright_openapi::{Document, DocumentOptions, OpenApiVersion};
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
/// let options = DocumentOptions::new(OpenApiVersion::V3_0).single_types();
/// assert_eq!(Document::with_options(&api, &options).openapi, "3.0.3");
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DocumentOptions {
    version: OpenApiVersion,
    single_types: bool,
}

impl DocumentOptions {
    /// Creates the options for a version of OpenAPI, without restrictions.
    #[must_use]
    pub fn new(version: OpenApiVersion) -> Self {
        Self { version, single_types: false }
    }

    /// Restricts each operation to one success type and one problem type, and each body to one media type.
    ///
    /// Generators such as progenitor reject other documents. JSON takes precedence over other media types. If success
    /// responses have different types, only responses with the type of the first success response with a body are kept.
    /// All problems use the general problem schema.
    #[must_use]
    pub fn single_types(mut self) -> Self {
        self.single_types = true;
        self
    }

    /// Returns the version of OpenAPI.
    #[must_use]
    pub fn version(self) -> OpenApiVersion {
        self.version
    }
}

impl Document {
    /// Creates the document of an Api in the chosen version of OpenAPI. Hidden operations are omitted.
    ///
    /// Features that the version or the options cannot express are omitted, and `info.description` ends with a list of
    /// the omissions. A converted schema may accept more values than the original. It never accepts fewer values, with
    /// one exception: an `integer` of OpenAPI 3.0 does not allow a fraction, such as `1.0`.
    #[must_use]
    pub fn with_options(api: &Api, options: &DocumentOptions) -> Self {
        let mut document = crate::generate::document(api, options.version);
        let mut losses = Losses::default();
        if options.single_types {
            single_types::apply(api, &mut document, &mut losses);
        }
        if options.version == OpenApiVersion::V3_0 {
            v3_0::convert(&mut document, &mut losses);
        }
        losses.describe(&mut document.info.description);
        document
    }
}
