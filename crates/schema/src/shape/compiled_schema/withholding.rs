//! Compiles schemas for senders who may not set some members.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::CompiledSchema;
use crate::shape::node::{ArrayNode, CompiledNodes, Node, NodeForm, OneOfNode};
use crate::shape::withheld::{Withheld, WithheldMembers};

impl CompiledSchema {
    /// Returns the schema for a sender who may not set these members of the object. A name of a property withholds its aliases too.
    /// Members of objects inside the object keep their meaning.
    ///
    /// `list` names the property whose items are the objects. Without it, the object is the whole value.
    ///
    /// Returns `None` if the schema does not name the members of the object, because it is a map or accepts any value.
    ///
    /// ```
    /// use restwright_schema::{PropertyCollection, Registry, SchemaSide, Withheld, int64, string};
    ///
    /// let mut registry = Registry::new();
    /// let pet = PropertyCollection::new("Pet").closed().property(string("name")).property(int64("owner").optional());
    /// let pet = registry.compile(pet, SchemaSide::Input, None);
    ///
    /// let json = br#"{"name": "Bo", "owner": 1}"#;
    /// assert!(pet.read_value(json, 10).is_ok());
    /// let withholding = pet.withholding(None, [("owner", Withheld::Unknown)]).unwrap();
    /// assert!(withholding.read_value(json, 10).unwrap_err().to_string().contains("is not a known property"));
    /// ```
    #[must_use]
    pub fn withholding<'n>(
        &self,
        list: Option<&str>,
        members: impl IntoIterator<Item = (&'n str, Withheld)>,
    ) -> Option<Self> {
        let members = WithheldMembers::new(members);
        let compiled = self.compiled();
        let (root, apart) = match list {
            None => (compiled.node_without(&compiled.root, &members)?, members.apart()),
            Some(list) => (compiled.list_without(list, &members)?, Arc::default()),
        };
        Some(Self::new(Arc::new(CompiledNodes { root, apart, hides: true, ..compiled.clone() })))
    }

    /// Returns the members of a JSON object that [`Withheld::Apart`] keeps out of its value, in the order of their declaration.
    pub(super) fn apart(&self, text: &str) -> Map<String, Value> {
        let mut members: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        self.compiled().apart.iter().filter_map(|name| members.remove_entry(&**name)).collect()
    }
}

impl CompiledNodes {
    fn node_without(&self, declared: &Node, withheld: &WithheldMembers) -> Option<Node> {
        let node = self.resolve(declared);
        let form = match &node.form {
            NodeForm::Object(object) => NodeForm::Object(Box::new(object.without(withheld))),
            NodeForm::OneOf(one_of) => {
                let variant =
                    |(value, node): &(String, Node)| Some((value.clone(), self.node_without(node, withheld)?));
                let variants = one_of.variants.iter().map(variant).collect::<Option<_>>()?;
                NodeForm::OneOf(Box::new(OneOfNode { discriminator: one_of.discriminator.clone(), variants }))
            }
            NodeForm::AnyOf(variants) => {
                let variants = variants.iter().map(|node| self.node_without(node, withheld));
                NodeForm::AnyOf(variants.collect::<Option<_>>()?)
            }
            NodeForm::Scalar(_) | NodeForm::Array(_) | NodeForm::Tuple(_) => return Some(declared.clone()),
            NodeForm::Map(_) | NodeForm::Any | NodeForm::Reference(_) => return None,
        };
        Some(Node { nullable: declared.nullable || node.nullable, constant: node.constant.clone(), form })
    }

    fn list_without(&self, list: &str, withheld: &WithheldMembers) -> Option<Node> {
        let root = self.resolve(&self.root);
        let NodeForm::Object(object) = &root.form else { return None };
        let mut object = object.clone();
        let property = object.properties.iter_mut().find(|property| *property.name == *list)?;
        let array = self.resolve(&property.node);
        let NodeForm::Array(inner) = &array.form else { return None };
        let items = self.node_without(&inner.items, withheld)?;
        let form = NodeForm::Array(Box::new(ArrayNode { items, rules: inner.rules.clone() }));
        property.node = Node { form, ..array.clone() };
        Some(Node { form: NodeForm::Object(object), ..root.clone() })
    }
}
