//! The guided read: serde reads the user's type, through a deserializer that checks each value on the wire first.
//!
//! Its error says only that something is wrong: the complete walk reports what. It allocates nothing of its own unless the text has
//! properties that the schema does not name. Little of it is generic: all types share the code that reads and checks, so that each costs
//! an application little to build.

use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Error, Value};

use crate::compiled_schema::unreadable;
use crate::node::{Compiled, Node};
use crate::path::{Path, push_name};
use crate::reader::Reader;
use crate::violation::Violations;

mod deserializer;
mod enums;
mod items;
mod keys;
mod properties;

use deserializer::Guided;

/// A value that was read, unless the complete walk finds something wrong where `deferred` is true.
pub(crate) struct GuidedValue<T> {
    pub(crate) value: T,
    pub(crate) deferred: bool,
}

/// Reads the text; none when anything at all is wrong with it.
pub(crate) fn read<T: DeserializeOwned>(compiled: &Compiled, text: &str) -> Option<GuidedValue<T>> {
    let mut reading = Reading { compiled, reader: Reader::new(text), deferred: false, trace: None };
    let value = T::deserialize(Guided::new(&mut reading, &compiled.root)).ok()?;
    let deferred = reading.deferred;
    reading.reader.is_at_end().then_some(GuidedValue { value, deferred })
}

/// Reads a value in which nothing is wrong; when the type rejects it nevertheless, the same deserializer reports where.
///
/// It is read as a text, so that a type's deserializer is compiled once for both.
pub(crate) fn read_value<T: DeserializeOwned>(compiled: &Compiled, value: &Value) -> Result<T, Violations> {
    // Not by its `Display`, which writes through a formatter. No value fails to be written.
    let text = serde_json::to_string(value).unwrap_or_default();
    let mut reading = Reading { compiled, reader: Reader::new(&text), deferred: false, trace: Some(Vec::new()) };
    T::deserialize(Guided::new(&mut reading, &Node::ANY))
        .map_err(|error| Violations::one(unreadable(reading.pointer(), &error)))
}

/// The state that every deserializer within one read shares.
#[derive(Debug)]
struct Reading<'g, 'de> {
    compiled: &'g Compiled,
    reader: Reader<'de>,
    /// A check was left to the complete walk.
    deferred: bool,
    /// The place at which the type rejected the value, from the inside out. Kept only when nothing is left to check.
    trace: Option<Vec<Segment>>,
}

#[derive(Debug)]
enum Segment {
    Name(String),
    Index(usize),
}

impl Reading<'_, '_> {
    fn is_tracing(&self) -> bool {
        self.trace.is_some()
    }

    #[cold]
    fn refused_at(&mut self, segment: impl FnOnce() -> Segment) {
        if let Some(trace) = &mut self.trace {
            trace.push(segment());
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.trace.iter().flatten().rev() {
            match segment {
                Segment::Name(name) => push_name(&mut pointer, name),
                Segment::Index(index) => pointer.push_str(&Path::Index(&Path::Root, *index).pointer()),
            }
        }
        pointer
    }
}

/// Says nothing, since the complete walk will.
#[cold]
fn refused() -> Error {
    Error::custom("refused")
}
