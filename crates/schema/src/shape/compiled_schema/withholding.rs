//! Compiles schemas for senders who may not set some members.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{CompiledSchema, ReadError};
use crate::shape::node::{ArrayNode, CompiledNodes, Node, NodeForm, ObjectNode, OneOfNode};
use crate::shape::withheld::{Withheld, WithheldMembers};
use crate::violation::Violations;

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
        let root = match list {
            None => compiled.node_without(&compiled.root, &members, DEEPEST_UNION)?,
            Some(list) => compiled.list_without(list, &members)?,
        };
        let mut apart: Vec<Box<str>> = Vec::new();
        compiled.for_each_object(&root, DEEPEST_UNION, &mut |object| {
            for name in object.apart() {
                if !apart.iter().any(|known| **known == *name) {
                    apart.push(name.into());
                }
            }
        });
        Some(Self::new(Arc::new(CompiledNodes {
            root,
            named: Arc::clone(&compiled.named),
            guided: compiled.guided,
            hides: true,
            has_files: compiled.has_files,
            unions: Arc::clone(&compiled.unions),
            apart: apart.into(),
        })))
    }

    /// Returns `true` if the object, or a variant of the union, declares a property with this name or alias.
    #[must_use]
    pub fn declares(&self, name: &str) -> bool {
        let mut is_declared = false;
        self.compiled().for_each_object(&self.compiled().root, DEEPEST_UNION, &mut |object| {
            is_declared |= object.find(name, usize::MAX).is_some();
        });
        is_declared
    }

    /// Returns the members of a JSON object that [`Withheld::Apart`] keeps out of its value, in the order of their declaration.
    pub(super) fn apart(&self, text: &str) -> Result<Map<String, Value>, ReadError> {
        let unreadable =
            |error: serde_json::Error| ReadError::Violations(Violations::one(super::unreadable(String::new(), &error)));
        let mut members: Map<String, Value> = serde_json::from_str(text).map_err(unreadable)?;
        Ok(self.compiled().apart.iter().filter_map(|name| members.remove_entry(&**name)).collect())
    }
}

/// The maximum nesting of unions that contain unions.
const DEEPEST_UNION: usize = 16;

impl CompiledNodes {
    fn node_without(&self, declared: &Node, withheld: &WithheldMembers, depth: usize) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        let node = self.resolve(declared);
        let form = match &node.form {
            NodeForm::Object(object) => NodeForm::Object(Box::new(object.without(withheld))),
            NodeForm::OneOf(one_of) => {
                let variant =
                    |(value, node): &(String, Node)| Some((value.clone(), self.node_without(node, withheld, depth)?));
                let variants = one_of.variants.iter().map(variant).collect::<Option<_>>()?;
                NodeForm::OneOf(Box::new(OneOfNode { discriminator: one_of.discriminator.clone(), variants }))
            }
            NodeForm::AnyOf(variants) => {
                let variants = variants.iter().map(|node| self.node_without(node, withheld, depth));
                NodeForm::AnyOf(variants.collect::<Option<_>>()?)
            }
            NodeForm::Scalar(_) | NodeForm::Array(_) | NodeForm::Tuple(_) => return Some(declared.clone()),
            // A variant without data.
            NodeForm::Any if node.constant.is_some() => return Some(declared.clone()),
            NodeForm::Map(_) | NodeForm::Any | NodeForm::Reference(_) => return None,
        };
        Some(Node { nullable: declared.nullable || node.nullable, constant: node.constant.clone(), form })
    }

    /// Calls the function for the object, or for the objects among the variants of a union.
    fn for_each_object<'n>(&'n self, node: &'n Node, depth: usize, each: &mut dyn FnMut(&'n ObjectNode)) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match &self.resolve(node).form {
            NodeForm::Object(object) => each(object),
            NodeForm::OneOf(one_of) => {
                one_of.variants.iter().for_each(|(_, variant)| self.for_each_object(variant, depth, each));
            }
            NodeForm::AnyOf(variants) => variants.iter().for_each(|variant| self.for_each_object(variant, depth, each)),
            _ => {}
        }
    }

    fn list_without(&self, list: &str, withheld: &WithheldMembers) -> Option<Node> {
        let root = self.resolve(&self.root);
        let NodeForm::Object(object) = &root.form else { return None };
        let mut object = object.clone();
        let property = object.properties.iter_mut().find(|property| *property.name == *list)?;
        let array = self.resolve(&property.node);
        let NodeForm::Array(inner) = &array.form else { return None };
        let items = self.node_without(&inner.items, withheld, DEEPEST_UNION)?;
        let form = NodeForm::Array(Box::new(ArrayNode { items, rules: inner.rules.clone() }));
        property.node = Node { form, ..array.clone() };
        Some(Node { form: NodeForm::Object(object), ..root.clone() })
    }
}
