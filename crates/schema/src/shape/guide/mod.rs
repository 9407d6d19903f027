//! Implements the guided read, which deserializes a JSON text and checks it against the schema. It is the first read of
//! the text. serde deserializes the user's type, and each value is checked before serde receives it.
//!
//! The guided read fails without details at the first invalid value. The complete walk then reads the text again and
//! reports all violations. The guided read allocates only if the text has properties that the schema does not declare.
//! Little of the code is generic: all types share the code that reads and checks, so each type adds little compile
//! time.

use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Error, Value};

use crate::path::{Path, push_name};
use crate::reader::JsonTokenizer;
use crate::shape::compiled_schema::unreadable;
use crate::shape::node::{CompiledNodes, Node};
use crate::violation::Violations;

mod deserializer;
mod enums;
mod items;
mod keys;
mod properties;

use deserializer::Guided;

/// A deserialized value. `deferred` is `true` if the complete walk must still check the JSON text, and `apart` if the text has members that
/// are returned apart from the value.
pub(in crate::shape) struct GuidedValue<T> {
    pub(in crate::shape) value: T,
    pub(in crate::shape) deferred: bool,
    pub(in crate::shape) apart: bool,
}

/// Deserializes a JSON text and checks it against the schema. Returns `None` if any value is invalid.
pub(in crate::shape) fn read<T: DeserializeOwned>(compiled: &CompiledNodes, text: &str) -> Option<GuidedValue<T>> {
    let mut reading = GuidedRead::new(compiled, text, None);
    let value = T::deserialize(Guided::new(&mut reading, &compiled.root)).ok()?;
    let (deferred, apart) = (reading.deferred, reading.apart);
    reading.reader.is_at_end().then_some(GuidedValue { value, deferred, apart })
}

/// Deserializes a JSON value that was already checked against the schema. If the Rust type rejects the value, the
/// violation contains its path.
///
/// The value is read as JSON text, so the deserializer of a type is compiled only once.
pub(in crate::shape) fn read_value<T: DeserializeOwned>(
    compiled: &CompiledNodes,
    value: &Value,
) -> Result<T, Violations> {
    // `Display` would write through a formatter. Serializing a value cannot fail.
    let text = serde_json::to_string(value).unwrap_or_default();
    let mut reading = GuidedRead::new(compiled, &text, Some(Vec::new()));
    T::deserialize(Guided::new(&mut reading, &Node::ANY))
        .map_err(|error| Violations::one(unreadable(reading.pointer(), &error)))
}

/// The state of a guided read, shared by all its deserializers.
#[derive(Debug)]
struct GuidedRead<'g, 'de> {
    compiled: &'g CompiledNodes,
    reader: JsonTokenizer<'de>,
    /// `true` inside an object that rejects undeclared properties recursively.
    within_closed: bool,
    /// `true` if an expensive check was skipped, so the complete walk must run.
    deferred: bool,
    /// `true` if a member was read that is returned apart from the value.
    apart: bool,
    /// The path of the rejected value, with the innermost segment first. It is recorded only for values that are
    /// already checked.
    trace: Option<Vec<PointerSegment>>,
}

#[derive(Debug)]
enum PointerSegment {
    Name(String),
    Index(usize),
}

impl<'g, 'de> GuidedRead<'g, 'de> {
    fn new(compiled: &'g CompiledNodes, text: &'de str, trace: Option<Vec<PointerSegment>>) -> Self {
        let reader = JsonTokenizer::new(text);
        Self { compiled, reader, within_closed: false, deferred: false, apart: false, trace }
    }

    fn is_tracing(&self) -> bool {
        self.trace.is_some()
    }

    #[cold]
    fn refused_at(&mut self, segment: impl FnOnce() -> PointerSegment) {
        if let Some(trace) = &mut self.trace {
            trace.push(segment());
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.trace.iter().flatten().rev() {
            match segment {
                PointerSegment::Name(name) => push_name(&mut pointer, name),
                PointerSegment::Index(index) => pointer.push_str(&Path::Index(&Path::Root, *index).pointer()),
            }
        }
        pointer
    }
}

/// Returns an error without details, because the second read (the complete walk) reports them.
#[cold]
fn refused() -> Error {
    Error::custom("refused")
}
