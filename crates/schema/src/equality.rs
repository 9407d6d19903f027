//! Compares JSON values for equality. `1` equals `1.0`, and the order of properties does not matter.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};

use crate::json::Json;
use crate::steps;

/// Finds the repeated items of an array. Returns the index of each repeated item with the index of the first equal
/// item, in array order.
///
/// Items with equal hashes are compared in full, so the result is exact. The time is linear in the length of the
/// array's text.
pub(crate) fn repeated(items: &[Json<'_>]) -> Vec<(usize, usize)> {
    let state = RandomState::new();
    let mut first: HashMap<u64, usize, BuildHasherDefault<PrehashedHasher>> =
        HashMap::with_capacity_and_hasher(items.len(), BuildHasherDefault::default());
    // The items whose hash equals the hash of a different item.
    let mut others: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let earlier = *first.entry(hash(item, &state)).or_insert(index);
        let is_it = |earlier: &usize| items.get(*earlier).is_some_and(|earlier| equals(earlier, item));
        if earlier == index {
            continue;
        }
        if let Some(earlier) = Some(earlier).filter(is_it).or_else(|| others.iter().copied().find(is_it)) {
            found.push((index, earlier));
        } else {
            others.push(index);
        }
    }
    found
}

/// A hasher for map keys that are already hash values. The hash function of the keys has a secret seed.
#[derive(Default)]
struct PrehashedHasher(u64);

impl Hasher for PrehashedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

pub(crate) fn equals(left: &Json<'_>, right: &Json<'_>) -> bool {
    steps::count(1);
    match (left, right) {
        (Json::Null, Json::Null) => true,
        (Json::Boolean(left), Json::Boolean(right)) => left == right,
        (Json::Number(left), Json::Number(right)) => left.exact() == right.exact(),
        (Json::Huge { negative: left }, Json::Huge { negative: right }) => left == right,
        (Json::Text(left), Json::Text(right)) => left == right,
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equals(left, right))
        }
        (Json::Object(left), Json::Object(right)) => left.len() == right.len() && equal_properties(left, right),
        _ => false,
    }
}

type ObjectProperties<'p, 'j> = &'p [(std::borrow::Cow<'j, str>, Json<'j>)];

/// Compares the properties of two objects in any order. Sorts them first, so comparing large objects is fast.
fn equal_properties(left: ObjectProperties<'_, '_>, right: ObjectProperties<'_, '_>) -> bool {
    let sorted = |properties: ObjectProperties<'_, '_>| {
        let mut order: Vec<usize> = (0..properties.len()).collect();
        order.sort_by(|a, b| properties.get(*a).map(|(name, _)| name).cmp(&properties.get(*b).map(|(name, _)| name)));
        order
    };
    sorted(left).into_iter().zip(sorted(right)).all(|(left_index, right_index)| {
        match (left.get(left_index), right.get(right_index)) {
            (Some((left_name, left)), Some((right_name, right))) => left_name == right_name && equals(left, right),
            _ => false,
        }
    })
}

fn hash(json: &Json<'_>, state: &RandomState) -> u64 {
    steps::count(1);
    let mut hasher = state.build_hasher();
    match json {
        Json::Null => 0.hash(&mut hasher),
        Json::Boolean(value) => (1, value).hash(&mut hasher),
        Json::Number(number) => match number.exact().integral() {
            Some(integer) => (2, integer).hash(&mut hasher),
            None => (3, number.exact().as_f64().to_bits()).hash(&mut hasher),
        },
        Json::Huge { negative } => (4, negative).hash(&mut hasher),
        Json::Text(text) => (5, text).hash(&mut hasher),
        Json::Array(items) => {
            (6, items.len()).hash(&mut hasher);
            for item in items {
                hash(item, state).hash(&mut hasher);
            }
        }
        Json::Object(properties) => {
            let sum = properties
                .iter()
                .fold(0_u64, |sum, (name, value)| sum.wrapping_add(state.hash_one((name, hash(value, state)))));
            (7, properties.len(), sum).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_items_are_found_by_value() {
        let value = serde_json::json!([1, 1.0, "1", {"a": 1, "b": [2]}, {"b": [2.0], "a": 1.0}, {"a": 1}, null, null, -0.0, 0, [1, 2], [2, 1]]);
        let Json::Array(items) = Json::of(&value) else { panic!("an array") };
        assert_eq!(repeated(&items), [(1, 0), (4, 3), (7, 6), (9, 8)]);
    }
}
