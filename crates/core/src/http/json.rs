//! Writing JSON.

use std::cell::Cell;

use bytes::Bytes;
use serde::Serialize;

/// The largest text that is written in the thread's buffer and copied out of it, in bytes.
const BUFFERED: usize = 16 * 1024;

/// A value as JSON. Small texts are written in a buffer that the thread keeps, and copied out in one allocation of their
/// size.
///
/// # Errors
/// The value cannot be written, such as a map whose keys are not text.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Bytes, serde_json::Error> {
    thread_local!(static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) });
    let mut buffer = BUFFER.take();
    buffer.clear();
    serde_json::to_writer(&mut buffer, value)?;
    if buffer.len() > BUFFERED {
        return Ok(buffer.into());
    }
    let json = Bytes::copy_from_slice(&buffer);
    if buffer.capacity() <= 2 * BUFFERED {
        BUFFER.set(buffer);
    }
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_size_are_whole() {
        for length in [0, 1, BUFFERED - 2, BUFFERED - 1, 3 * BUFFERED, 5] {
            let text = "x".repeat(length);
            assert_eq!(to_json(&text).unwrap(), format!("\"{text}\""));
        }
    }

    #[test]
    fn writing_inside_writing_is_apart() {
        struct Outer;
        impl Serialize for Outer {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let inner = to_json(&[1, 2]).map_err(serde::ser::Error::custom)?;
                serializer.serialize_str(&String::from_utf8_lossy(&inner))
            }
        }
        assert_eq!(to_json(&(Outer, Outer)).unwrap(), r#"["[1,2]","[1,2]"]"#);
    }
}
