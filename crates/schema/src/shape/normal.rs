//! Defines [`normalised`], which fills in defaults, converts `1.0` to `1` for integer types, and adds missing seconds to
//! local times.

use serde_json::{Map, Value};

use crate::json::Json;
use crate::shape::closest;
use crate::shape::node::{CompiledNodes, Node, NodeForm, ObjectNode, PresentProperties};
use crate::shape::schema_type::Scalar;

/// Determines whether a normalised value contains undeclared properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unknown {
    /// Undeclared properties are kept, because the user's type may collect them.
    Keep,
    /// Undeclared properties are dropped.
    Drop,
}

/// Returns the normalised form of a value that has no violations.
pub(super) fn normalised(compiled: &CompiledNodes, json: Json<'_>, unknown: Unknown) -> Value {
    normalised_node(compiled, &compiled.root, json, unknown)
}

/// Returns the normalised form of a nested value.
pub(super) fn normalised_node(compiled: &CompiledNodes, node: &Node, json: Json<'_>, unknown: Unknown) -> Value {
    Normal { compiled, unknown }.node(node, json)
}

struct Normal<'n> {
    compiled: &'n CompiledNodes,
    unknown: Unknown,
}

impl Normal<'_> {
    fn node(&self, node: &Node, json: Json<'_>) -> Value {
        let node = self.compiled.resolve(node);
        match (&node.form, json) {
            (NodeForm::Scalar(_), Json::Text(text)) => {
                node.completed(&text).unwrap_or_else(|| text.into_owned()).into()
            }
            (NodeForm::Scalar(kind), Json::Number(number)) => {
                let number = number.read_as(kind.reads_integers()).unwrap_or(number.value);
                kind.normal(Scalar::Number(number)).to_value()
            }
            (NodeForm::Array(array), Json::Array(items)) => {
                items.into_iter().map(|item| self.node(&array.items, item)).collect()
            }
            (NodeForm::Tuple(tuple), Json::Array(items)) => {
                tuple.items.iter().zip(items).map(|(node, item)| self.node(node, item)).collect()
            }
            (NodeForm::AnyOf(variants), json) => match closest::matching(self.compiled, variants, &json) {
                Some(variant) => self.node(variant, json),
                None => any(json),
            },
            (NodeForm::Map(map), Json::Object(properties)) => {
                properties.into_iter().map(|(name, value)| (name.into_owned(), self.node(&map.values, value))).collect()
            }
            (NodeForm::Object(object), Json::Object(properties)) => self.object(object, properties),
            (NodeForm::OneOf(one_of), Json::Object(properties)) => {
                let value = properties.iter().find(|(name, _)| *name == one_of.discriminator);
                let variant = match value {
                    Some((_, Json::Text(value))) => one_of.variant(value),
                    _ => None,
                };
                match variant.map(|node| &node.form) {
                    Some(NodeForm::Object(object)) => self.object(object, properties),
                    _ => any(Json::Object(properties)),
                }
            }
            (_, json) => any(json),
        }
    }

    fn object(&self, object: &ObjectNode, properties: Vec<(std::borrow::Cow<'_, str>, Json<'_>)>) -> Value {
        let mut result = Map::new();
        let mut seen = PresentProperties::default();
        for (position, (name, value)) in properties.into_iter().enumerate() {
            match object.find(&name, position) {
                Some((index, property)) => {
                    seen.mark(index);
                    result.insert(property.name.to_string(), self.node(&property.node, value));
                }
                None if self.unknown == Unknown::Keep && !object.hides(&name) => {
                    result.insert(name.into_owned(), any(value));
                }
                None => {}
            }
        }
        for (index, property) in object.properties.iter().enumerate() {
            if let Some(default) = &property.default
                && !seen.contains(index)
            {
                result.insert(property.name.to_string(), default.clone());
            }
        }
        for (name, default) in object.withheld_defaults() {
            result.insert(name.to_string(), default.clone());
        }
        Value::Object(result)
    }
}

fn any(json: Json<'_>) -> Value {
    match json {
        // The walk rejects huge numbers.
        Json::Null | Json::Huge { .. } => Value::Null,
        Json::Boolean(value) => value.into(),
        Json::Number(number) => number.value.to_value(),
        Json::Text(text) => text.into_owned().into(),
        Json::Array(items) => items.into_iter().map(any).collect(),
        Json::Object(properties) => {
            properties.into_iter().map(|(name, value)| (name.into_owned(), any(value))).collect()
        }
    }
}
