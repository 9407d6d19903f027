//! Serializes lists as maps where OpenAPI requires a map.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A list element that OpenAPI represents as an entry of a map.
pub(super) trait Keyed {
    /// Returns the key of the map entry.
    fn key(&self) -> &str;
}

/// Serializes a list as a map, ordered by key. If two elements have the same key, the later one is written.
pub(super) fn by_key<T: Keyed + Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for position in order(list.iter().map(Keyed::key).collect()) {
        if let Some(element) = list.get(position) {
            map.serialize_entry(element.key(), element)?;
        }
    }
    map.end()
}

/// Returns indices into `keys` in the sort order of the keys. Omits all but the last index of a repeated key. The
/// function is not generic, because a generic map is slow to compile.
fn order(keys: Vec<&str>) -> Vec<usize> {
    let mut order = BTreeMap::new();
    order.extend(keys.into_iter().zip(0..));
    order.into_values().collect()
}
