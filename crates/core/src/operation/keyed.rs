//! Lists that OpenAPI writes as maps.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

/// An element of a list that OpenAPI writes as a map.
pub(super) trait Keyed {
    /// The key of the element.
    fn key(&self) -> &str;
}

/// Writes a list as a map in the order of its keys. Of two elements with one key the later is written.
pub(super) fn by_key<T: Keyed + Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let map: BTreeMap<&str, &T> = list.iter().map(|element| (element.key(), element)).collect();
    serializer.collect_map(map)
}
