//! Defines response headers as typed fields.

use std::fmt;
use std::marker::PhantomData;

use http::{HeaderName, HeaderValue};
use restwright_schema::{Property, Registry, Schema, SchemaSide, typed};
use serde::Serialize;
use serde_json::Value;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::HttpResponse;
use crate::operation::{HeaderObject, ResponseObject, SchemaUse};
use crate::problem::{Problem, Result};

/// A type that can be sent as a response header. Every type that derives `serde::Serialize` and `Schema` implements it.
/// An `Option` makes the header optional, and a list repeats it.
///
/// Building the Api fails if the type is neither a scalar nor a list of scalars.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the type of a header",
    label = "must be a scalar or a list of scalars",
    note = "for your own scalar type, derive `serde::Serialize` and `Schema`",
    note = "send several values as several fields with `#[header(\"Name\")]`, or send a struct in the body with `#[body]`"
)]
pub trait HeaderField {
    /// Returns the schema of a header of this type, as a property named `name`.
    fn property(registry: &mut Registry, name: &'static str) -> Property;

    /// Converts the value to JSON. A null header is omitted.
    ///
    /// # Errors
    /// The value cannot be serialized.
    fn to_json(&self) -> Result<Value, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Schema + Serialize> HeaderField for T {
    fn property(registry: &mut Registry, name: &'static str) -> Property {
        let property = typed::<T>(registry, name).into_property();
        // A header without a value is omitted.
        if T::OPTIONAL { property.optional() } else { property }
    }

    fn to_json(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

/// The name and the schema of one response header, prepared at build time.
pub struct HeaderPlan<T> {
    name: HeaderName,
    shown: &'static str,
    property: Property,
    value: PhantomData<fn() -> T>,
}

impl<T> HeaderPlan<T> {
    /// Checks and prepares the response header `name`. The name is case-insensitive.
    ///
    /// # Errors
    /// `name` is not a header name (RFC 9110, section 5.1), or the type is neither a scalar nor a list of scalars.
    pub fn new(name: &'static str, context: &mut BuildContext<'_>) -> Result<Self, BuildErrors>
    where
        T: HeaderField,
    {
        let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err(BuildErrors::one(format!("`{name}` is not a header name; use letters, digits and `-`")));
        };
        let property = T::property(context.registry(), name);
        if !context.registry().compile_property(&property, SchemaSide::Output, None).fits_text() {
            return Err(BuildErrors::one(format!(
                "the header `{name}` must be a scalar or a list of scalars; send its fields as separate headers, or move it into the body"
            )));
        }
        Ok(Self { name: header, shown: name, property, value: PhantomData })
    }

    /// Adds the header to the OpenAPI response.
    pub fn describe(&self, description: Option<&str>, response: &mut ResponseObject) {
        let mut header = HeaderObject::new(self.shown, SchemaUse::output(self.property.schema().clone().not_null()));
        header.required = self.property.is_required_in(SchemaSide::Output);
        header.description = description.map(str::to_owned);
        response.add_header(header);
    }

    /// Adds the header with this value to the response.
    ///
    /// # Errors
    /// 500 if the value is not a valid header value, such as a string with a line break.
    pub fn write(&self, value: &T, response: &mut HttpResponse) -> Result<()>
    where
        T: HeaderField,
    {
        let value = value.to_json().map_err(Problem::internal)?;
        match value {
            Value::Null => Ok(()),
            Value::Array(values) => values.iter().try_for_each(|value| self.append(value, response)),
            value => self.append(&value, response),
        }
    }

    fn append(&self, value: &Value, response: &mut HttpResponse) -> Result<()> {
        let value = match value {
            Value::String(text) => HeaderValue::from_str(text),
            other => HeaderValue::from_str(&other.to_string()),
        };
        let value = value.map_err(|error| Problem::internal(format!("header {}: {error}", self.shown)))?;
        response.append_header(self.name.clone(), value);
        Ok(())
    }
}

impl<T> fmt::Debug for HeaderPlan<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HeaderPlan").field("name", &self.shown).finish_non_exhaustive()
    }
}
