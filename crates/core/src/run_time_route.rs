//! Declares the parameters and bodies of an `Input`, and the responses of an `Output`, at run time.

use std::collections::BTreeMap;

use restwright_schema::{Property, SchemaObject};

use crate::declared_route::Route;
use crate::operation::ParameterLocation;

impl Route {
    /// Declares a parameter of an [`Input`](crate::Input) at run time.
    #[must_use]
    pub fn parameter(mut self, location: ParameterLocation, property: impl Into<Property>) -> Self {
        self.declaration.parameters.push((location, property.into()));
        self
    }

    /// Declares the body of an [`Input`](crate::Input) at run time.
    #[must_use]
    pub fn body(mut self, body: impl Into<SchemaObject>) -> Self {
        self.declaration.body = Some(body.into());
        self.declaration.optional_body = false;
        self
    }

    /// Declares an optional body of an [`Input`](crate::Input) at run time. A missing body is read as null, so the
    /// schema must be nullable.
    #[must_use]
    pub fn optional_body(mut self, body: impl Into<SchemaObject>) -> Self {
        self.declaration.body = Some(body.into());
        self.declaration.optional_body = true;
        self
    }

    /// Declares a response with a body at run time, for an endpoint that returns an [`Output`](crate::Output).
    #[must_use]
    pub fn response(mut self, status: u16, body: impl Into<SchemaObject>) -> Self {
        self.declaration.responses.insert(status, Some(body.into()));
        self
    }

    /// Declares a response without a body at run time, for an endpoint that returns an [`Output`](crate::Output).
    #[must_use]
    pub fn empty_response(mut self, status: u16) -> Self {
        self.declaration.responses.insert(status, None);
        self
    }

    /// Declares a response header at run time, for an endpoint that returns an [`Output`](crate::Output). The name of
    /// the property is the name of the header.
    #[must_use]
    pub fn response_header(mut self, status: u16, header: impl Into<Property>) -> Self {
        self.declaration.response_headers.push((status, header.into()));
        self
    }

    /// Returns the parameters that an [`Input`](crate::Input) reads.
    pub fn declared_parameters(&self) -> &[(ParameterLocation, Property)] {
        &self.declaration.parameters
    }

    /// Returns the schema of the body of an [`Input`](crate::Input), or `None` if no body is declared.
    #[must_use]
    pub fn declared_body(&self) -> Option<&SchemaObject> {
        self.declaration.body.as_ref()
    }

    /// Returns `true` if the body of an [`Input`](crate::Input) is optional.
    #[must_use]
    pub fn is_body_optional(&self) -> bool {
        self.declaration.optional_body
    }

    /// Returns the responses of an [`Output`](crate::Output), by status.
    #[must_use]
    pub fn declared_responses(&self) -> &BTreeMap<u16, Option<SchemaObject>> {
        &self.declaration.responses
    }

    /// Returns the headers of the responses of an [`Output`](crate::Output), each with its status.
    pub fn declared_response_headers(&self) -> &[(u16, Property)] {
        &self.declaration.response_headers
    }
}
