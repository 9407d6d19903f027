//! Finds the property of a column of CSV.

use super::segments;
use crate::shape::node::{CompiledNodes, Node, NodeForm, ObjectNode, PropertyNode};

/// The property of a column of CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CsvColumn {
    /// An [empty cell](crate::FormValue::EmptyCell) is an empty text.
    Required,
    /// An [empty cell](crate::FormValue::EmptyCell) is null or absent.
    Optional,
    /// Responses contain the property, and clients cannot set it.
    ReadOnly,
    /// No property has the name.
    Unknown,
}

/// Returns the property of a column with a name such as `address[city]`.
pub(in crate::shape) fn column(compiled: &CompiledNodes, name: &str) -> CsvColumn {
    let Some(segments) = segments(name) else { return CsvColumn::Unknown };
    let mut node = compiled.resolve(&compiled.root);
    let mut found = CsvColumn::Optional;
    for segment in segments {
        let (declared, is_required) = match &node.form {
            NodeForm::Any => return CsvColumn::Optional,
            NodeForm::Scalar(_) | NodeForm::Reference(_) => return CsvColumn::Unknown,
            NodeForm::Map(map) => (&map.values, true),
            NodeForm::Array(array) if is_position(&segment) => (&array.items, true),
            NodeForm::Array(_) => return CsvColumn::Unknown,
            NodeForm::Tuple(tuple) => match segment.parse::<usize>().ok().and_then(|index| tuple.items.get(index)) {
                Some(item) => (item, true),
                None => return CsvColumn::Unknown,
            },
            NodeForm::AnyOf(variants) if !variants.iter().all(|variant| is_plain(compiled, variant)) => {
                return CsvColumn::Optional;
            }
            NodeForm::Object(_) | NodeForm::OneOf(_) | NodeForm::AnyOf(_) => match property(compiled, node, &segment) {
                Ok(property) => (&property.node, property.required),
                Err(column) => return column,
            },
        };
        node = compiled.resolve(declared);
        let is_optional = !is_required || declared.nullable || node.nullable;
        found = if is_optional { CsvColumn::Optional } else { CsvColumn::Required };
    }
    found
}

/// Returns the names of the columns that clients can send. They include the properties of objects, such as `address[city]`.
pub(in crate::shape) fn columns(compiled: &CompiledNodes) -> Vec<String> {
    let mut names = Vec::new();
    for object in objects(compiled, compiled.resolve(&compiled.root)) {
        for property in &object.properties {
            names.push(property.name.to_string());
            for inner in objects(compiled, compiled.resolve(&property.node)) {
                names.extend(inner.properties.iter().map(|inner| format!("{}[{}]", property.name, inner.name)));
            }
        }
    }
    names
}

/// Returns `true` if a variant of a union is a scalar or an object, so its columns are known.
fn is_plain(compiled: &CompiledNodes, variant: &Node) -> bool {
    matches!(&compiled.resolve(variant).form, NodeForm::Scalar(_) | NodeForm::Object(_))
}

fn is_position(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the property of an object, or of the first variant that has it.
fn property<'c>(compiled: &'c CompiledNodes, node: &'c Node, name: &str) -> Result<&'c PropertyNode, CsvColumn> {
    let objects = objects(compiled, node);
    let found = objects.iter().find_map(|object| object.find(name, usize::MAX));
    found.map(|(_, property)| property).ok_or_else(|| match objects.iter().any(|object| object.hides(name)) {
        true => CsvColumn::ReadOnly,
        false => CsvColumn::Unknown,
    })
}

/// Returns an object, or the objects among the variants of a union.
fn objects<'c>(compiled: &'c CompiledNodes, node: &'c Node) -> Vec<&'c ObjectNode> {
    match &node.form {
        NodeForm::Object(object) => vec![object],
        NodeForm::OneOf(one_of) => {
            one_of.variants.iter().filter_map(|(_, variant)| object(compiled, variant)).collect()
        }
        NodeForm::AnyOf(variants) => variants.iter().filter_map(|variant| object(compiled, variant)).collect(),
        _ => Vec::new(),
    }
}

fn object<'c>(compiled: &'c CompiledNodes, node: &'c Node) -> Option<&'c ObjectNode> {
    match &compiled.resolve(node).form {
        NodeForm::Object(object) => Some(object),
        _ => None,
    }
}
