//! Defines [`RunTimeShapes`], the parameters, responses and list fields that an operation declares at run time.

use http::StatusCode;
use restwright_schema::{Property, PropertyCollection};

use super::ParameterLocation;

/// The parameters, responses and list fields of an operation that are declared at run time, without Rust types.
///
/// The subcommand `shapes` generates Rust types for these declarations.
///
/// At run time, code reads and writes the declared values as `Bag`s.
///
/// Each type that reads or writes a bag adds itself in its `describe` method.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct RunTimeShapes {
    /// The location and name of each parameter if the request type is [`Input`](crate::Input).
    pub input: Option<Vec<(ParameterLocation, String)>>,
    /// The possible response statuses if the response type is [`Output`](crate::Output).
    pub output: Option<Vec<StatusCode>>,
    /// The fields by which clients can filter the list.
    pub filters: Vec<Property>,
    /// The names of the fields by which clients can sort the list.
    pub sort_fields: Vec<String>,
    /// The properties of a stored entity, if the operation belongs to a resource that is declared at run time.
    ///
    /// The path, the body and the success responses of this operation are then declared at run time too.
    pub entity: Option<PropertyCollection>,
}
