//! The guided read: serde reads the user's type, through a deserializer that checks each value on the wire first.
//!
//! Its error says only that something is wrong: the complete walk reports what. It allocates nothing of its own unless the text has
//! properties that the schema does not name.

use std::cell::RefCell;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::compiled_schema::unreadable;
use crate::node::{Compiled, Node};
use crate::path::{Path, push_name};
use crate::violation::Violations;

mod deserializer;
mod items;
mod keys;
mod properties;
mod visitor;

use deserializer::Guided;

/// Reads the text; none when anything at all is wrong with it.
pub(crate) fn read<T: DeserializeOwned>(compiled: &Compiled, text: &str) -> Option<T> {
    let context = Context { compiled, trace: None };
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(Guided::new(&context, &compiled.root, &mut reader)).ok()?;
    reader.end().ok()?;
    Some(value)
}

/// Reads a value in which nothing is wrong; when the type rejects it nevertheless, the same deserializer reports where.
///
/// It is read as a text, so that a type's deserializer is compiled once for both.
pub(crate) fn read_value<T: DeserializeOwned>(compiled: &Compiled, value: &Value) -> Result<T, Violations> {
    let context = Context { compiled, trace: Some(RefCell::default()) };
    let text = value.to_string();
    let mut reader = serde_json::Deserializer::from_str(&text);
    T::deserialize(Guided::new(&context, &Node::ANY, &mut reader))
        .map_err(|error| Violations::one(unreadable(context.pointer(), &error)))
}

/// The state that every deserializer within one read shares.
#[derive(Debug)]
struct Context<'c> {
    compiled: &'c Compiled,
    /// The place at which the type rejected the value, from the inside out. Kept only when nothing is left to check.
    trace: Option<RefCell<Vec<Segment>>>,
}

#[derive(Debug)]
enum Segment {
    Name(String),
    Index(usize),
}

impl Context<'_> {
    fn is_tracing(&self) -> bool {
        self.trace.is_some()
    }

    #[cold]
    fn refused_at(&self, segment: impl FnOnce() -> Segment) {
        if let Some(trace) = &self.trace {
            trace.borrow_mut().push(segment());
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.trace.iter().flat_map(RefCell::take).rev() {
            match segment {
                Segment::Name(name) => push_name(&mut pointer, &name),
                Segment::Index(index) => pointer.push_str(&Path::Index(&Path::Root, index).pointer()),
            }
        }
        pointer
    }
}
