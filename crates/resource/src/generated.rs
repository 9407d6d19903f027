//! Generates identifiers and versions for stores.

use uuid::Uuid;

/// Generates a new identifier, which is a UUID of version 7.
pub(crate) fn identifier() -> Uuid {
    #[cfg(feature = "testing")]
    if let Some(identifier) = reproducible::identifier() {
        return identifier;
    }
    Uuid::now_v7()
}

/// Returns the random bits from which a store creates a version.
pub(crate) fn version_bits() -> u64 {
    #[cfg(feature = "testing")]
    if let Some(bits) = reproducible::bits() {
        return bits;
    }
    // The lower half contains random bits below the two bits of the UUID's variant.
    Uuid::new_v4().as_u64_pair().1
}

#[cfg(feature = "testing")]
pub(crate) mod reproducible {
    use std::cell::Cell;

    use uuid::{Builder, Uuid};

    tokio::task_local! {
        /// The seed of the current task, and the number of values that were derived from the seed.
        static SEED: (u64, Cell<u64>);
    }

    /// Runs a future with a seed that makes the identifiers and versions of stores reproducible. The same seed produces the same values.
    /// Use it in tests that compare responses byte for byte.
    ///
    /// Each request of a test needs a different seed. Identifiers of larger seeds, up to 2^48 - 1, are larger. Integers that a store generates, and
    /// tasks that the future spawns, are not affected.
    ///
    /// ```
    /// use restwright_resource::{Version, reproducible};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let first = reproducible(7, async { Version::random() }).await;
    /// assert_eq!(reproducible(7, async { Version::random() }).await, first);
    /// assert_ne!(reproducible(8, async { Version::random() }).await, first);
    /// # });
    /// ```
    pub async fn reproducible<T>(seed: u64, work: impl Future<Output = T>) -> T {
        SEED.scope((seed, Cell::new(0)), work).await
    }

    pub(super) fn identifier() -> Option<Uuid> {
        let bits = bits()?;
        let seed = SEED.try_with(|(seed, _)| *seed).ok()?;
        let mut random = [0; 10];
        random.iter_mut().zip(bits.to_be_bytes()).for_each(|(byte, bits)| *byte = bits);
        Some(Builder::from_unix_timestamp_millis(seed, &random).into_uuid())
    }

    pub(super) fn bits() -> Option<u64> {
        let next = |(seed, derived): &(u64, Cell<u64>)| {
            derived.set(derived.get() + 1);
            mixed(mixed(*seed) ^ derived.get())
        };
        SEED.try_with(next).ok()
    }

    /// Mixes the bits of a number with the last step of the SplitMix64 algorithm.
    fn mixed(bits: u64) -> u64 {
        let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}
