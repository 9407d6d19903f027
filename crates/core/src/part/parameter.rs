//! Reads parameters from the path, the query string, headers and cookies.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use http::HeaderName;
use http::header::COOKIE;
use restwright_schema::{CompiledSchema, Property, SchemaSide, Violations, pointer_to};
use serde_json::Value;

use super::{ParameterValue, RequestHead};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::{Operation, ParameterLocation, ParameterObject, SchemaUse};
use crate::problem::{Problem, RequestViolations, catalogue};

/// Reads and validates one parameter of a request. Create the plan with [`BuildContext::parameter`].
pub struct ParameterPlan<T> {
    source: ParameterSource,
    pointer: String,
    property: Property,
    shape: CompiledSchema,
    value: PhantomData<fn() -> T>,
}

enum ParameterSource {
    /// The index of the parameter in the list of path parameters.
    Path(usize),
    /// The other name of a list, such as `ids[]`, which axios and PHP send.
    Query(Option<String>),
    Header(HeaderName),
    Cookie,
}

impl ParameterSource {
    /// Checks the name of a parameter and compiles its schema. The function is not generic, so it is compiled once.
    fn plan(
        location: ParameterLocation,
        property: &Property,
        context: &mut BuildContext<'_>,
    ) -> Result<(Self, CompiledSchema), BuildErrors> {
        let name = property.name().to_owned();
        let source = match location {
            ParameterLocation::Path => {
                context.declare_path(&name);
                let Some(position) = context.template().position_of(&name) else {
                    return Err(BuildErrors::one(format!(
                        "the request declares the path parameter `{name}`, but the path `{}` has no {{{name}}}; add it to the path, or rename the field",
                        context.template()
                    )));
                };
                if !property.is_required_in(SchemaSide::Input) {
                    return Err(BuildErrors::one(format!(
                        "the path parameter `{name}` is optional, but path parameters are always present; remove `Option`"
                    )));
                }
                Self::Path(position)
            }
            ParameterLocation::Query => Self::Query(None),
            ParameterLocation::Header => match HeaderName::from_bytes(name.to_ascii_lowercase().as_bytes()) {
                Ok(header) => Self::Header(header),
                Err(_) => {
                    return Err(BuildErrors::one(format!(
                        "`{name}` is not a header name (RFC 9110, section 5.1); use letters, digits and `-`"
                    )));
                }
            },
            // Cookie names allow the same characters as header names (RFC 6265, section 4.1.1).
            ParameterLocation::Cookie if HeaderName::from_bytes(name.as_bytes()).is_err() => {
                return Err(BuildErrors::one(format!(
                    "`{name}` is not a cookie name; use letters, digits, `-` and `_`"
                )));
            }
            ParameterLocation::Cookie => Self::Cookie,
        };
        let shape = context.registry().compile_property(property, SchemaSide::Input, None);
        if !shape.fits_text() {
            return Err(BuildErrors::one(format!(
                "the parameter `{name}` must be a scalar or a list of scalars; move it into the body, or derive `Part` for its type and remove the attribute, so its fields become parameters"
            )));
        }
        match source {
            Self::Query(_) if shape.is_array() => Ok((Self::Query(Some(format!("{name}[]"))), shape)),
            source => Ok((source, shape)),
        }
    }
}

impl<T: ParameterValue> ParameterPlan<T> {
    /// Reads the parameter from a request. If the value is invalid, reports violations and returns `None`.
    pub fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<T> {
        let outcome = match &self.source {
            ParameterSource::Path(position) => match head.request().capture(*position) {
                // Each integer has one path, because caches and the rules of proxies compare paths.
                Some(text) if self.shape.is_integer() && (text.contains(['.', 'e', 'E']) || text == "-0") => {
                    self.read_texts(&[Cow::Borrowed("")], violations)
                }
                text => self.read_simple(text.as_slice(), violations),
            },
            ParameterSource::Query(other_name) => {
                let is_date_time = self.shape.is_date_time();
                let named = other_name.iter().flat_map(|name| head.query().values(name));
                let mut values =
                    head.query().values(self.property.name()).chain(named).map(|text| match is_date_time {
                        // The `+` of a UTC offset is decoded as a space, which no date-time contains.
                        true => Cow::Owned(text.replace(' ', "+")),
                        false => Cow::Borrowed(text),
                    });
                match (values.next(), values.next()) {
                    (text, None) => self.read_texts(text.as_slice(), violations),
                    (first, second) => {
                        let texts: Vec<_> = first.into_iter().chain(second).chain(values).collect();
                        self.read_texts(&texts, violations)
                    }
                }
            }
            ParameterSource::Header(name) => {
                let values = head.request().header_values(name).into_iter();
                match values.map(|value| String::from_utf8(value).map(Cow::Owned)).collect::<Result<Vec<_>, _>>() {
                    Ok(texts) => self.read_simple(&texts, violations),
                    Err(_) => return violations.reject(wrong_encoding(name)),
                }
            }
            ParameterSource::Cookie => {
                match head.request().cookies(self.property.name()).0.map(std::str::from_utf8).transpose() {
                    Ok(text) => self.read_texts(text.map(Cow::Borrowed).as_slice(), violations),
                    Err(_) => return violations.reject(wrong_encoding(&COOKIE)),
                }
            }
        };
        outcome.map_err(|found| violations.extend(self.location().into(), &self.pointer, found)).ok()
    }

    /// Reads a parameter in OpenAPI's style `simple`, in which an array is a comma-separated string.
    fn read_simple(&self, texts: &[Cow<'_, str>], violations: &RequestViolations) -> Result<T, Violations> {
        if !self.shape.is_array() {
            return self.read_texts(texts, violations);
        }
        let items = texts.iter().flat_map(|text| text.split(','));
        // Only these characters are optional whitespace (RFC 9110, section 5.6.3).
        let items = items.map(|item| Cow::Borrowed(item.trim_matches([' ', '\t'])));
        self.read_texts(&items.collect::<Vec<_>>(), violations)
    }

    fn read_texts(&self, texts: &[Cow<'_, str>], violations: &RequestViolations) -> Result<T, Violations> {
        if texts.is_empty()
            && let Some(value) = self.absent()
        {
            return Ok(value);
        }
        T::read(&self.shape, texts, violations.remaining())
    }

    /// Returns the value to use if the request omits the parameter. It is the default value, or null for an optional
    /// parameter without a default. Returns `None` for a required parameter.
    fn absent(&self) -> Option<T> {
        match self.property.default() {
            Some(default) => T::from_json(default),
            None if self.is_required() => None,
            None => T::from_json(&Value::Null),
        }
    }
}

impl<T> ParameterPlan<T> {
    /// Adds the parameter to the OpenAPI operation.
    pub fn describe(&self, operation: &mut Operation) {
        let name = self.property.name();
        let mut parameter =
            ParameterObject::new(self.location(), name, SchemaUse::input(self.property.schema().clone().not_null()));
        parameter.required = self.is_required();
        parameter.deprecated = self.property.is_deprecated();
        parameter.description = self.property.description_text().map(str::to_owned);
        operation.parameters.push(parameter);
    }

    /// Returns `true` if the parameter is required. An array that is not sent is empty, except in the path.
    fn is_required(&self) -> bool {
        let may_be_empty = self.shape.is_array() && !matches!(self.source, ParameterSource::Path(_));
        !may_be_empty && self.property.is_required_in(SchemaSide::Input) && self.property.default().is_none()
    }

    fn location(&self) -> ParameterLocation {
        match self.source {
            ParameterSource::Path(_) => ParameterLocation::Path,
            ParameterSource::Query(_) => ParameterLocation::Query,
            ParameterSource::Header(_) => ParameterLocation::Header,
            ParameterSource::Cookie => ParameterLocation::Cookie,
        }
    }
}

impl BuildContext<'_> {
    /// Creates a [`ParameterPlan`], which reads a parameter from the path, the query string, a header or a cookie.
    ///
    /// # Errors
    /// The template does not contain the path parameter, a name is invalid, or the type is neither a scalar nor a list
    /// of scalars.
    pub fn parameter<T: ParameterValue>(
        &mut self,
        location: ParameterLocation,
        property: impl Into<Property>,
    ) -> Result<ParameterPlan<T>, BuildErrors> {
        let property = property.into();
        let (source, shape) = ParameterSource::plan(location, &property, self)?;
        Ok(ParameterPlan { source, pointer: pointer_to(property.name()), property, shape, value: PhantomData })
    }
}

impl<T> fmt::Debug for ParameterPlan<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ParameterPlan").field("pointer", &self.pointer).finish_non_exhaustive()
    }
}

fn wrong_encoding(header: &HeaderName) -> Problem {
    Problem::new(catalogue::MALFORMED_REQUEST)
        .detail(format!("The header {header} is not valid UTF-8."))
        .detail_key("malformed_request.header")
        .detail_param("header", header.as_str())
}
