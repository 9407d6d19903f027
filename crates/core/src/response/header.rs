//! Headers as typed fields of a response.

use std::fmt;
use std::marker::PhantomData;

use http::{HeaderName, HeaderValue};
use restwright_schema::{Property, Schema, SchemaSide, typed};
use serde::Serialize;
use serde_json::Value;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::HttpResponse;
use crate::operation::{HeaderObject, ResponseObject, SchemaUse};
use crate::problem::{Problem, Result};

/// The plan of one header of a response. `Option` makes it optional, a list repeats it.
pub struct HeaderPlan<T> {
    name: HeaderName,
    shown: &'static str,
    property: Property,
    value: PhantomData<fn() -> T>,
}

impl<T> HeaderPlan<T> {
    /// Plans a header by its name, in any case.
    ///
    /// # Errors
    /// `name` is not a header name (RFC 9110, section 5.1).
    pub fn new(name: &'static str, planner: &mut BuildContext<'_>) -> Result<Self, BuildErrors>
    where
        T: Schema,
    {
        let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err(BuildErrors::one(format!("`{name}` is not a header name; use letters, digits and `-`")));
        };
        let property = typed::<T>(planner.registry(), name).into_property();
        // An absent value is a header that is left out.
        let property = if T::OPTIONAL { property.optional() } else { property };
        Ok(Self { name: header, shown: name, property, value: PhantomData })
    }

    /// Adds the header to the description of the response.
    pub fn describe(&self, description: Option<&str>, response: &mut ResponseObject) {
        let mut header = HeaderObject::new(self.shown, SchemaUse::output(self.property.schema().clone().not_null()));
        header.required = self.property.is_required_in(SchemaSide::Output);
        header.description = description.map(str::to_owned);
        response.add_header(header);
    }

    /// Writes the value into the response.
    ///
    /// # Errors
    /// 500 if the value is not a header value, such as text with a line break.
    pub fn write(&self, value: &T, response: &mut HttpResponse) -> Result<()>
    where
        T: Serialize,
    {
        let value = serde_json::to_value(value).map_err(Problem::internal)?;
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
        response.headers_mut().append(self.name.clone(), value);
        Ok(())
    }
}

impl<T> fmt::Debug for HeaderPlan<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HeaderPlan").field("name", &self.shown).finish_non_exhaustive()
    }
}
