//! The versions of OpenAPI in which a document is written.
//!
//! The model of operations is OpenAPI 3.1. [`v3_0`] converts it down; 3.2 adds the methods that 3.1 cannot describe.

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
    /// OpenAPI 3.0.3, for programs that read nothing newer. Its schemas are a dialect of an older JSON Schema.
    V3_0,
    /// OpenAPI 3.1.0, the version of the model.
    #[default]
    V3_1,
    /// OpenAPI 3.2.0. It also describes operations of `QUERY` and of methods that OpenAPI does not list.
    V3_2,
}

impl OpenApiVersion {
    /// Returns the major and minor number, such as `3.0`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
            Self::V3_2 => "3.2",
        }
    }

    /// Returns the path at which [`Documentation`](crate::Documentation) serves the document of this version: `/openapi.json` for 3.1,
    /// `/openapi-3.0.json` and `/openapi-3.2.json` for the others.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::V3_0 => "/openapi-3.0.json",
            Self::V3_1 => "/openapi.json",
            Self::V3_2 => "/openapi-3.2.json",
        }
    }

    /// Returns `true` if a document can describe operations of this method.
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

    /// Reads a major and a minor number.
    ///
    /// # Errors
    /// A message that lists the versions.
    fn from_str(text: &str) -> Result<Self, String> {
        let versions = [Self::V3_0, Self::V3_1, Self::V3_2];
        let found = versions.into_iter().find(|version| version.as_str() == text);
        found.ok_or_else(|| format!("The version of OpenAPI must be 3.0, 3.1 or 3.2, not {text:?}."))
    }
}

/// The version of a document, and restrictions of the programs that read it.
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
    /// Creates the options of a version.
    #[must_use]
    pub fn new(version: OpenApiVersion) -> Self {
        Self { version, single_types: false }
    }

    /// Leaves each operation one type of success and one type of problem, and each body one media type.
    ///
    /// Generators such as progenitor reject other documents. JSON is kept before other media types. Of responses of success with
    /// different types, the first one that has a body is kept. All problems have the schema of any problem.
    #[must_use]
    pub fn single_types(mut self) -> Self {
        self.single_types = true;
        self
    }

    #[cfg(feature = "cli")]
    pub(crate) fn file_name(self) -> &'static str {
        self.version.path().trim_start_matches('/')
    }
}

impl Document {
    /// Describes every operation that is not hidden, in a version of OpenAPI.
    ///
    /// What that version or the options cannot express is left out, and `info.description` ends with a list of it. A schema
    /// may then accept more than before. It rejects nothing that it accepted, except that an `integer` of OpenAPI 3.0 cannot be
    /// written with a fraction, such as `1.0`.
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
