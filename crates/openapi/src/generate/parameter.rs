//! Parameters.

use restwright_core::operation as described;
use restwright_core::operation::ParameterStyle;

use super::Writer;
use super::body::examples;
use crate::document::Parameter;

impl Writer {
    pub(super) fn parameter(&mut self, parameter: &described::ParameterObject) -> Parameter {
        let (style, explode) = match parameter.style {
            ParameterStyle::Comma => (Some("form"), Some(false)),
            _ => (None, None),
        };
        Parameter {
            name: parameter.name.clone(),
            location: parameter.location.as_str(),
            description: parameter.description.clone(),
            required: parameter.required,
            deprecated: parameter.deprecated,
            style,
            explode,
            schema: self.bare_schema(&parameter.schema, parameter.description.as_deref()),
            examples: examples(&parameter.examples),
        }
    }
}
