//! The shapes of an operation that are declared at run time.

use http::StatusCode;
use restwright_schema::{Property, PropertyCollection};

use super::ParameterLocation;

/// The parts of an operation whose shapes are declared at run time, so that code reads and writes them as bags. Typed code is
/// written from it.
///
/// Whatever reads or writes a bag adds to it where it describes itself.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct RunTimeShapes {
    /// The parameters of an [`Input`](crate::Input), whose body is that of the operation; `None` for another request.
    pub input: Option<Vec<(ParameterLocation, String)>>,
    /// The statuses with which an [`Output`](crate::Output) may respond; `None` for another response.
    pub output: Option<Vec<StatusCode>>,
    /// The fields that a list can be filtered by.
    pub filters: Vec<Property>,
    /// The names of the fields that a list can be sorted by.
    pub sort_fields: Vec<String>,
    /// The shape of an entity in its store, for an operation of a resource that is declared at run time. The path, the body and the
    /// successful responses of the operation are declared at run time, too.
    pub entity: Option<PropertyCollection>,
}
