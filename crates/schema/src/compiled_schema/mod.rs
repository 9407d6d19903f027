//! [`CompiledSchema`]: a schema that is ready to read with.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::checks::Checks;
use crate::code::Code;
use crate::guide::{self, GuidedValue};
use crate::json::Json;
use crate::node::{Compiled, Form};
use crate::normal::{Unknown, normalised};
use crate::number_tokens::NumberTokens;
use crate::schema::Schema;
use crate::text;
use crate::violation::{Violation, Violations};
use crate::walk::walk;

/// A schema that is ready to read and check JSON texts, parameters and values.
///
/// Cloning is cheap. Reading takes time linear in the text, nests to 128 levels with the innermost
/// value, and never panics on what a client sends.
#[derive(Clone)]
pub struct CompiledSchema(Arc<Compiled>);

/// The error of a text that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadError {
    /// It is not JSON (RFC 8259) in UTF-8, or nested deeper than 128 levels with the innermost value.
    Syntax {
        /// From 1.
        line: usize,
        /// From 1, in bytes.
        column: usize,
        /// The reason.
        message: String,
    },
    /// It is JSON, but does not fit the schema.
    Violations(Violations),
}

impl CompiledSchema {
    pub(crate) fn new(compiled: Arc<Compiled>) -> Self {
        Self(compiled)
    }

    /// Reads a JSON text into a type.
    ///
    /// The values are checked on the wire while the type reads them; only when something is wrong, the text is walked again to report everything.
    /// The type's own checks run last, on a value that holds.
    ///
    /// # Errors
    /// [`ReadError::Syntax`] when the text is not JSON; else at most `max_violations` violations.
    pub fn read<T: DeserializeOwned + Schema>(&self, json: &[u8], max_violations: usize) -> Result<T, ReadError> {
        let text = utf8(json)?;
        if self.0.guided
            && let Some(GuidedValue { value, deferred }) = guide::read(&self.0, text)
        {
            if deferred {
                self.walk(text, max_violations)?;
            }
            return self.checked(value, max_violations);
        }
        let value = self.walked(text, max_violations, Unknown::Keep)?;
        let value = guide::read_value(&self.0, &value).map_err(ReadError::Violations)?;
        self.checked(value, max_violations)
    }

    /// Reads a JSON text into a normalised value: integers as such, defaults filled in, unknown properties left out.
    ///
    /// # Errors
    /// As [`CompiledSchema::read`].
    pub fn read_value(&self, json: &[u8], max_violations: usize) -> Result<Value, ReadError> {
        self.walked(utf8(json)?, max_violations, Unknown::Drop)
    }

    /// Reads a parameter from its texts: a scalar from the only one, an array from each.
    ///
    /// Pointers start at the parameter: empty for a scalar, `/0` for the first item.
    ///
    /// # Errors
    /// At most `max_violations` violations.
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

    /// Reads a parameter from its texts into a value; see [`CompiledSchema::read_text`].
    ///
    /// # Errors
    /// At most `max_violations` violations.
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

    /// Checks a value with the complete walk.
    ///
    /// # Errors
    /// At most `max_violations` violations.
    pub fn check_value(&self, value: &Value, max_violations: usize) -> Result<(), Violations> {
        let mut violations = Violations::with_limit(max_violations);
        walk(&self.0, &Json::of(value), &mut violations);
        violations.into_result()
    }

    /// Returns what the schema has of a value: integers as such, defaults filled in, and no properties that it does not name.
    #[must_use]
    pub fn project_value(&self, value: &Value) -> Value {
        normalised(&self.0, Json::of(value), Unknown::Drop)
    }

    /// Returns the verdict of the guided read alone, or none where the complete walk decides. For this crate's tests.
    #[doc(hidden)]
    #[must_use]
    pub fn guided_verdict<T: DeserializeOwned>(&self, json: &[u8]) -> Option<bool> {
        let text = utf8(json).ok()?;
        let value = self.0.guided.then(|| guide::read::<T>(&self.0, text))?;
        let verdict = value.is_some_and(|value| !value.deferred || self.walk(text, 1).is_ok());
        let is_simple = |(_, token): (usize, &str)| token.parse::<i64>().is_ok();
        (verdict || !self.0.hides && NumberTokens::new(text).all(is_simple)).then_some(verdict)
    }

    /// Returns true if a parameter of this schema takes several texts.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self.0.resolve(&self.0.root).form, Form::Array(_))
    }

    /// Returns true if a parameter may have this schema: a scalar, or a list of scalars.
    #[must_use]
    pub fn fits_text(&self) -> bool {
        let root = self.0.resolve(&self.0.root);
        let node = if let Form::Array(array) = &root.form { self.0.resolve(&array.items) } else { root };
        matches!(node.form, Form::Scalar(_) | Form::Any)
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
        ReadError::Syntax { line, column, message: "the text is not UTF-8".to_owned() }
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

/// The type rejects what its schema admits.
pub(crate) fn unreadable(pointer: String, error: &serde_json::Error) -> Violation {
    Violation::new(pointer, Code::UNREADABLE, format!("cannot be read: {}", without_place(error)))
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod parameter_tests;
#[cfg(test)]
mod tests;
