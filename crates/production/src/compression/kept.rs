//! Caches compressed bodies for routes that serve a file from memory.

use std::ptr;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use super::encoder::compress;
use super::{CompressionLevel, ContentCoding};

/// The compressed bodies of a file that a route serves from memory, one per content coding.
#[derive(Debug, Default)]
pub(super) struct KeptBodies(Mutex<Vec<KeptBody>>);

#[derive(Debug)]
struct KeptBody {
    coding: ContentCoding,
    original: Bytes,
    /// The compressed body, or `None` if compression does not make the body smaller.
    compressed: Option<Bytes>,
}

impl KeptBodies {
    /// Returns the compressed body for a coding. Only the first call for a coding compresses the body, unless the body
    /// has changed.
    pub(super) fn get(&self, coding: ContentCoding, level: CompressionLevel, body: &Bytes) -> Option<Bytes> {
        // Further requests wait for the first request, which takes less time than compressing again.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|known| known.coding == coding && is_same(&known.original, body)) {
            return known.compressed.clone();
        }
        let compressed = compress(coding, level, body).ok().filter(|compressed| compressed.len() < body.len());
        let compressed = compressed.map(Bytes::from);
        kept.retain(|known| known.coding != coding);
        kept.push(KeptBody { coding, original: body.clone(), compressed: compressed.clone() });
        compressed
    }
}

/// Returns `true` if two bodies refer to the same memory. The cache keeps the original body alive, so another body
/// cannot reuse its address.
fn is_same(one: &Bytes, other: &Bytes) -> bool {
    ptr::eq(one.as_ptr(), other.as_ptr()) && one.len() == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_compressed_once_for_each_coding() {
        let kept = KeptBodies::default();
        let get = |coding, body: &Bytes| kept.get(coding, CompressionLevel::Balanced, body);
        let body = Bytes::from("Rex is a dog. ".repeat(100));
        for coding in [ContentCoding::Gzip, ContentCoding::Brotli, ContentCoding::Zstd] {
            let first = get(coding, &body).unwrap();
            assert!(is_same(&get(coding, &body.clone()).unwrap(), &first), "{coding:?}");
        }
        let other = Bytes::from("Mia is a cat. ".repeat(100));
        let expected = compress(ContentCoding::Gzip, CompressionLevel::Balanced, &other).unwrap();
        assert_eq!(get(ContentCoding::Gzip, &other).unwrap(), expected);
        assert_eq!(get(ContentCoding::Gzip, &Bytes::from_static(b"Rex")), None);
        assert_eq!(kept.0.lock().unwrap().len(), 3);
    }
}
