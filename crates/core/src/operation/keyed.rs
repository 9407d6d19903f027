//! Lists that OpenAPI writes as maps.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// An element of a list that OpenAPI writes as a map.
pub(super) trait Keyed {
    /// The key of the element.
    fn key(&self) -> &str;
}

/// Writes a list as a map in the order of its keys. Of two elements with one key the later is written.
pub(super) fn by_key<T: Keyed + Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for position in order(list.iter().map(Keyed::key).collect()) {
        if let Some(element) = list.get(position) {
            map.serialize_entry(element.key(), element)?;
        }
    }
    map.end()
}

/// Returns the positions of the keys in their order. It is of no generic type, since a map of one is much to compile.
fn order(keys: Vec<&str>) -> Vec<usize> {
    let mut order = BTreeMap::new();
    order.extend(keys.into_iter().zip(0..));
    order.into_values().collect()
}
