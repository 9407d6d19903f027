//! Writing JSON.

mod buffer;
mod writer;

use std::cell::Cell;

use bytes::Bytes;
use serde::Serialize;

use buffer::Buffer;
use writer::JsonWriter;

/// The largest text that is written in the thread's buffer and copied out of it, in bytes.
const BUFFERED: usize = 16 * 1024;

/// A value as JSON. Small texts are written in a buffer that the thread keeps, and copied out in one allocation of their
/// size.
///
/// # Errors
/// The value cannot be written, such as a map whose keys are not text.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Bytes, serde_json::Error> {
    thread_local!(static BUFFER: Cell<Buffer> = const { Cell::new(Buffer::new()) });
    let mut buffer = BUFFER.take();
    buffer.clear();
    value.serialize(JsonWriter(&mut buffer))?;
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
