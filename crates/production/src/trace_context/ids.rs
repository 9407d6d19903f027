//! Generates random identifiers of traces, spans and service instances.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
#[cfg(any(feature = "metrics", feature = "opentelemetry"))]
use std::sync::OnceLock;

/// A buffer of random bytes per thread. One system call fills it for many identifiers.
struct Pool {
    bytes: [u8; 1024],
    used: usize,
}

thread_local!(static POOL: RefCell<Pool> = const { RefCell::new(Pool { bytes: [0; 1024], used: 1024 }) });

/// Returns `N` hexadecimal digits that are not all zero.
pub(super) fn make<const N: usize>() -> [u8; N] {
    let mut digits = [b'0'; N];
    while digits == [b'0'; N] {
        POOL.with_borrow_mut(|pool| {
            if pool.used + N / 2 > pool.bytes.len() {
                fill(&mut pool.bytes);
                pool.used = 0;
            }
            let random = pool.bytes.get(pool.used..).unwrap_or_default();
            for (pair, byte) in digits.chunks_exact_mut(2).zip(random) {
                pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 0xf)]);
            }
            pool.used += N / 2;
        });
    }
    digits
}

/// Fills a buffer with random bytes from the system. If the system fails, uses the standard library's hasher, because
/// identifiers must be unique but not secret.
fn fill(bytes: &mut [u8]) {
    if getrandom::fill(bytes).is_err() {
        for eight in bytes.chunks_exact_mut(8) {
            eight.copy_from_slice(&RandomState::new().hash_one("trace").to_ne_bytes());
        }
    }
}

/// Returns the identifier of this service instance (`service.instance.id`), a random UUID. It is the same for traces and
/// metrics, and changes with each start of the process.
#[cfg(any(feature = "metrics", feature = "opentelemetry"))]
pub(crate) fn instance() -> &'static str {
    static INSTANCE: OnceLock<String> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let mut digits = make::<32>();
        // A UUID of version 4 and the variant of RFC 9562, section 4.
        (digits[12], digits[16]) = (b'4', b'a');
        let digits = String::from_utf8_lossy(&digits);
        let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| digits.get(group).unwrap_or_default());
        groups.join("-")
    })
}

fn digit(four_bits: u8) -> u8 {
    if four_bits < 10 { b'0' + four_bits } else { b'a' + four_bits - 10 }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn identifiers_differ() {
        let made: BTreeSet<[u8; 32]> = (0..1_000).map(|_| make()).collect();
        assert_eq!(made.len(), 1_000);
        let digits: BTreeSet<_> = made.into_iter().flatten().collect();
        assert_eq!(digits.into_iter().collect::<Vec<_>>(), b"0123456789abcdef");
    }
}
