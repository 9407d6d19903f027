//! Serializes values as JSON.

mod buffer;
mod members;
mod writer;

use std::cell::Cell;

use buffer::Buffer;
use writer::{JsonWriter, MemberPlace};

pub use members::Members;
pub(crate) use writer::WriteJson;

/// The size in bytes up to which JSON is copied from the thread-local buffer. Larger JSON is returned without a copy.
const BUFFERED: usize = 16 * 1024;

/// Serializes a value as JSON. If the value is an object, the places of its members are added to `places`.
///
/// # Errors
/// The value cannot be serialized, such as a map whose keys are not strings.
pub(crate) fn to_json(
    value: &dyn WriteJson,
    places: Option<&mut Vec<MemberPlace>>,
) -> Result<Vec<u8>, serde_json::Error> {
    written(|buffer| value.write(JsonWriter::new(buffer, places)))
}

/// Serializes an object whose only member `data` is the value, as JSON.
///
/// # Errors
/// The value cannot be serialized, such as a map whose keys are not strings.
pub(crate) fn to_data_json(value: &dyn WriteJson) -> Result<Vec<u8>, serde_json::Error> {
    written(|buffer| {
        buffer.put(b"{\"data\":");
        value.write(JsonWriter::new(buffer, None))?;
        buffer.put(b"}");
        Ok(())
    })
}

/// Returns the JSON that the function writes. Small values are written to a thread-local buffer and copied into one allocation of the exact
/// size.
fn written(write: impl FnOnce(&mut Buffer) -> Result<(), serde_json::Error>) -> Result<Vec<u8>, serde_json::Error> {
    thread_local!(static BUFFER: Cell<Buffer> = const { Cell::new(Buffer::new()) });
    let mut buffer = BUFFER.take();
    buffer.clear();
    write(&mut buffer)?;
    if buffer.as_bytes().len() > BUFFERED {
        return Ok(buffer.into_vec());
    }
    let json = buffer.as_bytes().to_vec();
    if buffer.capacity() <= 2 * BUFFERED {
        BUFFER.set(buffer);
    }
    Ok(json)
}

#[cfg(test)]
mod tests;
