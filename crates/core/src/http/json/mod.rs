//! Serializes values as JSON.

mod buffer;
mod members;
mod writer;

use std::cell::Cell;

use bytes::Bytes;
use serde::Serialize;

use buffer::Buffer;
use writer::{JsonWriter, Place};

pub use members::Members;

/// The size in bytes up to which JSON is copied from the thread-local buffer. Larger JSON is returned without a copy.
const BUFFERED: usize = 16 * 1024;

/// Serializes a value as JSON. Small values are written to a thread-local buffer and copied into one allocation of the
/// exact size. If the value is an object, the places of its members are added to `places`.
///
/// # Errors
/// The value cannot be serialized, such as a map whose keys are not strings.
pub(crate) fn to_json(value: &impl Serialize, places: Option<&mut Vec<Place>>) -> Result<Bytes, serde_json::Error> {
    thread_local!(static BUFFER: Cell<Buffer> = const { Cell::new(Buffer::new()) });
    let mut buffer = BUFFER.take();
    buffer.clear();
    value.serialize(JsonWriter { target: &mut buffer, places })?;
    if buffer.as_bytes().len() > BUFFERED {
        return Ok(buffer.into_vec().into());
    }
    let json = Bytes::copy_from_slice(buffer.as_bytes());
    if buffer.capacity() <= 2 * BUFFERED {
        BUFFER.set(buffer);
    }
    Ok(json)
}

#[cfg(test)]
mod tests;
