//! Splits the names of fields, such as `lines[0][name]`, and finds their schemas.

use std::borrow::Cow;

use crate::path::push_name;
use crate::shape::node::{CompiledNodes, Node, NodeForm};

/// The maximum number of brackets in the name of a field, such as `a[b][c]`.
pub(super) const DEEPEST_NAME: usize = 16;

/// Splits a name such as `lines[0][name]` into `lines`, `0` and `name`. Brackets that are not balanced are part of the
/// name. Returns `None` if there are too many brackets.
pub(super) fn segments(name: &str) -> Option<Vec<Cow<'static, str>>> {
    let whole = || vec![Cow::Owned(name.to_owned())];
    let Some((first, rest)) = name.split_once('[').filter(|(first, _)| !first.is_empty()) else { return Some(whole()) };
    let Some(inner) = rest.strip_suffix(']') else { return Some(whole()) };
    if inner.matches("][").count() >= DEEPEST_NAME {
        return None;
    }
    let inner: Vec<_> = inner.split("][").collect();
    if inner.iter().any(|segment| segment.contains(['[', ']'])) {
        return Some(whole());
    }
    Some(std::iter::once(first).chain(inner).map(|segment| Cow::Owned(segment.to_owned())).collect())
}

/// Returns the node of the field with a name such as `photos[0]`, and whether the field is a list. Returns `None` if the
/// schema has no such field.
pub(in crate::shape) fn node_of<'c>(compiled: &'c CompiledNodes, name: &str) -> Option<(&'c Node, bool)> {
    let mut node = compiled.resolve(&compiled.root);
    for segment in segments(name)? {
        node = match &node.form {
            NodeForm::Object(object) => &object.find(&segment, usize::MAX)?.1.node,
            NodeForm::Map(map) => &map.values,
            NodeForm::Array(array) => &array.items,
            NodeForm::Tuple(tuple) => tuple.items.get(segment.parse::<usize>().ok()?)?,
            _ => return None,
        };
        node = compiled.resolve(node);
    }
    match &node.form {
        NodeForm::Array(array) => Some((compiled.resolve(&array.items), true)),
        _ => Some((node, name.ends_with("[]"))),
    }
}

/// Returns the JSON Pointer of the field with a name such as `photos[0]`.
pub(in crate::shape) fn pointer_of(name: &str) -> String {
    let segments = segments(name).unwrap_or_else(|| vec![Cow::Owned(name.to_owned())]);
    segments.iter().filter(|segment| !segment.is_empty()).fold(String::new(), |mut pointer, segment| {
        push_name(&mut pointer, segment);
        pointer
    })
}
