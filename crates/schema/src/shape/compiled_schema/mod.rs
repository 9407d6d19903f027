//! Defines [`CompiledSchema`], which reads and checks values.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::code::Code;
use crate::json::Json;
use crate::number_tokens::NumberTokens;
use crate::shape::checks::Checks;
use crate::shape::form::import;
use crate::shape::form::{self, CsvColumn, FormValue};
use crate::shape::guide::{self, GuidedValue};
use crate::shape::node::{CompiledNodes, NodeForm};
use crate::shape::normal::{Unknown, normalised};
use crate::shape::schema::Schema;
use crate::shape::schema_type::{FileRules, ScalarType};
use crate::shape::text;
use crate::shape::walk::walk;
use crate::violation::{Violation, Violations};

mod variants;
mod withholding;

use variants::Variants;

/// A compiled schema, which reads and checks JSON text, parameters and values.
///
/// It is cheap to clone. Reading takes time linear in the length of the text and never panics on client input. It
/// accepts up to 128 levels of nesting, including the innermost value.
#[derive(Clone)]
pub struct CompiledSchema(Arc<CompiledNodes>);

/// The error returned if JSON text is malformed or does not match the schema.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not valid JSON (RFC 8259) in UTF-8, or is nested deeper than 128 levels. A scalar counts as a level.
    Syntax {
        /// The line of the syntax error, starting at 1.
        line: usize,
        /// The column of the syntax error in bytes, starting at 1.
        column: usize,
        /// The message of the syntax error, in English.
        message: String,
    },
    /// The text is JSON, but does not match the schema.
    Violations(Violations),
}

impl CompiledSchema {
    pub(in crate::shape) fn new(compiled: Arc<CompiledNodes>) -> Self {
        Self(compiled)
    }

    pub(crate) fn compiled(&self) -> &CompiledNodes {
        &self.0
    }

    /// Deserializes JSON text into a Rust type, and reports all violations of the schema.
    ///
    /// Values are checked while serde reads the text. The text is read again only if something is wrong, to report all
    /// violations. The custom checks of the type run last, on a value that matches the schema.
    ///
    /// # Errors
    /// Returns [`ReadError::Syntax`] if the text is not JSON, and otherwise at most `max_violations` violations.
    pub fn read<T: DeserializeOwned + Schema>(&self, json: &[u8], max_violations: usize) -> Result<T, ReadError> {
        self.read_apart(json, max_violations).map(|(value, _)| value)
    }

    /// Deserializes JSON text like [`CompiledSchema::read`]. Also returns the members of the object that
    /// [`Withheld::Apart`](crate::Withheld::Apart) keeps out of the value.
    ///
    /// # Errors
    /// Returns the errors of [`CompiledSchema::read`].
    pub fn read_apart<T: DeserializeOwned + Schema>(
        &self,
        json: &[u8],
        max_violations: usize,
    ) -> Result<(T, Map<String, Value>), ReadError> {
        let text = utf8(json)?;
        if self.0.guided
            && let Some(GuidedValue { value, deferred, apart }) = guide::read(&self.0, text)
        {
            if deferred {
                self.walk(text, max_violations)?;
            }
            let value = self.checked(value, max_violations)?;
            return Ok((value, if apart { self.apart(text)? } else { Map::new() }));
        }
        let value = self.read_walked(text, max_violations)?;
        Ok((value, if self.0.apart.is_empty() { Map::new() } else { self.apart(text)? }))
    }

    fn read_walked<T: DeserializeOwned + Schema>(&self, text: &str, max_violations: usize) -> Result<T, ReadError> {
        let json = self.walked(text, max_violations, Unknown::Keep)?;
        let value: T = guide::read_value(&self.0, &json).map_err(ReadError::Violations)?;
        if self.0.unions.is_empty() {
            return self.checked(value, max_violations);
        }
        let mut violations = Violations::with_limit(max_violations);
        let variants = Variants { compiled: &self.0, value: &json };
        value.run_checks(&mut Checks::with_variants(&variants, &mut violations));
        violations.into_result().map(|()| value).map_err(ReadError::Violations)
    }

    /// Parses JSON text into a normalised JSON value. `1.0` becomes `1` for an integer, defaults are filled in, and
    /// unknown properties are dropped.
    ///
    /// # Errors
    /// Returns the errors of [`CompiledSchema::read`].
    pub fn read_value(&self, json: &[u8], max_violations: usize) -> Result<Value, ReadError> {
        self.walked(utf8(json)?, max_violations, Unknown::Drop)
    }

    /// Deserializes a parameter from its string values. A scalar has one string, and an array has one string per item.
    ///
    /// The pointers of violations are relative to the parameter: empty for a scalar, and `/0` for the first item.
    ///
    /// # Errors
    /// Returns at most `max_violations` violations.
    pub fn read_text<T: DeserializeOwned>(
        &self,
        texts: &[Cow<'_, str>],
        max_violations: usize,
    ) -> Result<T, Violations> {
        if let Some(value) = text::read(&self.0, texts) {
            return Ok(value);
        }
        let value = self.read_text_value(texts, max_violations)?;
        guide::read_value(&self.0, &value)
    }

    /// Converts the string values of a parameter to a JSON value. See [`CompiledSchema::read_text`].
    ///
    /// # Errors
    /// Returns at most `max_violations` violations.
    pub fn read_text_value(&self, texts: &[Cow<'_, str>], max_violations: usize) -> Result<Value, Violations> {
        if let Some(scalar) = text::scalar(&self.0, texts) {
            return Ok(scalar.to_value());
        }
        let json = text::parse(&self.0, texts)?;
        let mut violations = Violations::with_limit(max_violations);
        walk(&self.0, &json, &mut violations);
        violations.into_result().map_err(text::reword)?;
        Ok(normalised(&self.0, json, Unknown::Drop))
    }

    /// Rewrites the JSON of a data tool or of an export to JSON that the schema accepts. Returns `None` if the text is not JSON or
    /// needs no change.
    ///
    /// A number becomes the string of a decimal, with its digits, if the schema accepts no number. A time may have a space instead of
    /// `T`, and an offset such as `+00` or `+0000`. Properties that clients cannot set are removed.
    #[must_use]
    pub fn import_json(&self, json: &[u8]) -> Option<String> {
        import::rewritten(&self.0, std::str::from_utf8(json).ok()?)
    }

    /// Converts the fields of a form to JSON text, which [`CompiledSchema::read`] then checks.
    ///
    /// The schema decides about the type of each text. `address[city]` is a property of an object, and `tags`, `tags[]` and
    /// `tags[0]` are items of an array. A text is JSON if the schema is an object, a map or an array of these. A boolean is also
    /// `on`, `1`, `t`, `True` or `TRUE`, and the opposites of these. A time may have a space instead of `T`, and an offset such as
    /// `+00` or `+0000`. An empty text is null if the property is nullable, and absent if it is optional, unless it is a
    /// string. Otherwise it is `[]` for an array, and `{}` for an object or a map. An array with a default is `[]` and not
    /// absent. [`FormValue`] describes the cells of CSV.
    ///
    /// # Errors
    /// Returns at most `max_violations` violations for single values that occur more than once, and for malformed
    /// [JSON](FormValue::Json).
    pub fn form_to_json<'f>(
        &self,
        fields: impl IntoIterator<Item = (Cow<'f, str>, FormValue<'f>)>,
        max_violations: usize,
    ) -> Result<String, Violations> {
        let mut violations = Violations::with_limit(max_violations);
        let json = form::to_json(&self.0, fields, &mut violations);
        violations.into_result().map(|()| json)
    }

    /// Returns the property of a column of CSV, such as `name` or `address[city]`.
    #[must_use]
    pub fn csv_column(&self, name: &str) -> CsvColumn {
        form::column(&self.0, name)
    }

    /// Returns the names of the columns of CSV that clients can send, such as `name` and `address[city]`.
    #[must_use]
    pub fn csv_columns(&self) -> Vec<String> {
        form::columns(&self.0)
    }

    /// Returns `true` if the strings of a property are decimals or durations.
    #[must_use]
    pub fn is_quantity(&self, property: &str) -> bool {
        match form::node_of(&self.0, property).map(|(node, _)| &node.form) {
            #[cfg(feature = "rust_decimal")]
            Some(NodeForm::Scalar(ScalarType::Decimal(_))) => true,
            Some(NodeForm::Scalar(ScalarType::String(kind))) => kind.is_duration(),
            _ => false,
        }
    }

    /// Returns the constraints of the file with this name in a form, such as `photo` or `photos[]`. Returns `None` if the
    /// field is not a file.
    #[must_use]
    pub fn file_rules(&self, name: &str) -> Option<FileRules<'_>> {
        let (node, is_list) = form::node_of(&self.0, name)?;
        match &node.form {
            NodeForm::Scalar(ScalarType::File(file)) => Some(FileRules::of(file, is_list)),
            _ => None,
        }
    }

    /// Returns `true` if the schema declares the field with this name in a form, such as `photo` or `address[city]`.
    #[must_use]
    pub fn has_field(&self, name: &str) -> bool {
        form::node_of(&self.0, name).is_some()
    }

    /// Returns the names of the properties that are files or lists of files, with their constraints.
    #[must_use]
    pub fn files(&self) -> Vec<(&str, FileRules<'_>)> {
        let NodeForm::Object(object) = &self.0.resolve(&self.0.root).form else { return Vec::new() };
        let names = object.properties.iter().map(|property| &*property.name);
        names.filter_map(|name| Some((name, self.file_rules(name)?))).collect()
    }

    /// Returns the names of the properties that a form contains as JSON: objects, maps, and arrays of these. A property that
    /// contains a file is left out.
    #[must_use]
    pub fn json_fields(&self) -> Vec<&str> {
        let NodeForm::Object(object) = &self.0.resolve(&self.0.root).form else { return Vec::new() };
        let fields = object.properties.iter().filter(|property| self.0.reads_json(&property.node));
        fields.map(|property| &*property.name).collect()
    }

    /// Returns the JSON Pointer of the field with this name in a form. The pointer of `lines[0][name]` is `/lines/0/name`.
    #[must_use]
    pub fn form_pointer(name: &str) -> String {
        form::pointer_of(name)
    }

    /// Checks a JSON value against the schema and reports all violations.
    ///
    /// # Errors
    /// Returns at most `max_violations` violations.
    pub fn check_value(&self, value: &Value, max_violations: usize) -> Result<(), Violations> {
        let mut violations = Violations::with_limit(max_violations);
        walk(&self.0, &Json::of(value), &mut violations);
        violations.into_result()
    }

    /// Normalises a JSON value without checking it. `1.0` becomes `1` for an integer, defaults are filled in, and
    /// unknown properties are dropped.
    #[must_use]
    pub fn project_value(&self, value: &Value) -> Value {
        normalised(&self.0, Json::of(value), Unknown::Drop)
    }

    /// Returns `Some(true)` if the fast first read accepts the JSON text, or `Some(false)` if it rejects the text.
    /// Returns `None` if the first read cannot decide without the complete second read. Only tests of this crate use
    /// this method.
    #[doc(hidden)]
    #[must_use]
    pub fn guided_verdict<T: DeserializeOwned>(&self, json: &[u8]) -> Option<bool> {
        let text = utf8(json).ok()?;
        let value = self.0.guided.then(|| guide::read::<T>(&self.0, text))?;
        let verdict = value.is_some_and(|value| !value.deferred || self.walk(text, 1).is_ok());
        let is_simple = |(_, token): (usize, &str)| token.parse::<i64>().is_ok();
        (verdict || !self.0.hides && NumberTokens::new(text).all(is_simple)).then_some(verdict)
    }

    /// Returns `true` if the schema is an array. A parameter with this schema accepts several values.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self.0.resolve(&self.0.root).form, NodeForm::Array(_))
    }

    /// Returns `true` if the schema is an integer.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        matches!(&self.0.resolve(&self.0.root).form, NodeForm::Scalar(kind) if kind.reads_integers())
    }

    /// Returns `true` if the schema is a date-time with an offset, or an array of such.
    #[must_use]
    pub fn is_date_time(&self) -> bool {
        let root = self.0.resolve(&self.0.root);
        let item = match &root.form {
            NodeForm::Array(array) => self.0.resolve(&array.items),
            _ => root,
        };
        matches!(&item.form, NodeForm::Scalar(ScalarType::DateTime(_)))
    }

    /// Returns `true` if a parameter may use this schema. The schema must accept a scalar, any value, or an array of
    /// these.
    #[must_use]
    pub fn fits_text(&self) -> bool {
        let root = self.0.resolve(&self.0.root);
        let node = if let NodeForm::Array(array) = &root.form { self.0.resolve(&array.items) } else { root };
        matches!(node.form, NodeForm::Scalar(_) | NodeForm::Any)
    }

    fn walked(&self, text: &str, max_violations: usize, unknown: Unknown) -> Result<Value, ReadError> {
        self.walk(text, max_violations).map(|json| normalised(&self.0, json, unknown))
    }

    fn walk<'t>(&self, text: &'t str, max_violations: usize) -> Result<Json<'t>, ReadError> {
        let json = Json::parse(text).map_err(|error| syntax(&error))?;
        let mut violations = Violations::with_limit(max_violations);
        walk(&self.0, &json, &mut violations);
        violations.into_result().map_err(ReadError::Violations)?;
        Ok(json)
    }

    fn checked<T: Schema>(&self, value: T, max_violations: usize) -> Result<T, ReadError> {
        let mut violations = Violations::with_limit(max_violations);
        value.run_checks(&mut Checks::new(&mut violations));
        if violations.is_empty() { Ok(value) } else { Err(ReadError::Violations(violations)) }
    }
}

fn utf8(json: &[u8]) -> Result<&str, ReadError> {
    std::str::from_utf8(json).map_err(|error| {
        let valid = json.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + valid.iter().rev().take_while(|byte| **byte != b'\n').count();
        ReadError::Syntax { line, column, message: "the string is not UTF-8".to_owned() }
    })
}

fn syntax(error: &serde_json::Error) -> ReadError {
    ReadError::Syntax { line: error.line().max(1), column: error.column().max(1), message: without_place(error) }
}

fn without_place(error: &serde_json::Error) -> String {
    let written = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    written.strip_suffix(&place).unwrap_or(&written).to_owned()
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CompiledSchema").field("guided", &self.0.guided).finish_non_exhaustive()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, message } => write!(formatter, "line {line}, column {column}: {message}"),
            Self::Violations(violations) => fmt::Display::fmt(violations, formatter),
        }
    }
}

impl std::error::Error for ReadError {}

/// Creates the violation for a value that matches the schema but cannot be deserialized into the Rust type.
pub(in crate::shape) fn unreadable(pointer: String, error: &serde_json::Error) -> Violation {
    Violation::new(pointer, Code::UNREADABLE, format!("cannot be read: {}", without_place(error)))
}

#[cfg(test)]
mod closed_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod parameter_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod withheld_tests;
