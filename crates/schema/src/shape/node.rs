//! Defines [`CompiledNodes`], the compiled form of a schema as a tree of nodes. A reference is an index into a table of
//! nodes, so schemas may be recursive.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::shape::collection::UnknownProperties;
use crate::shape::schema_type::ScalarType;
use crate::shape::schema_type::array::ItemRules;
use crate::shape::schema_type::count::PropertyCount;
use crate::shape::schema_type::date_time::without_leap_second;
use crate::shape::withheld::{Withheld, WithheldMembers};

/// The compiled form of one schema.
#[derive(Clone, Debug)]
pub(crate) struct CompiledNodes {
    pub(crate) root: Node,
    /// The nodes of named schemas, which [`NodeForm::Reference`] refers to by index.
    pub(super) named: Arc<[Node]>,
    /// `true` if the guided read supports the schema. It does not support defaults, unions, and checks that need a
    /// whole value, such as `unique_items`.
    pub(super) guided: bool,
    /// `true` if an object in the schema declares properties that the compiled schema excludes because of its side or
    /// mode.
    pub(super) hides: bool,
    /// `true` if the schema contains a file.
    pub(super) has_files: bool,
    /// The nodes of untagged unions by their Rust types. The checks of a type find its union here.
    pub(super) unions: Arc<HashMap<TypeId, usize>>,
    /// The members that are returned apart from the value.
    pub(super) apart: Arc<[Box<str>]>,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(super) nullable: bool,
    pub(super) constant: Option<Box<Value>>,
    pub(crate) form: NodeForm,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeForm {
    Scalar(ScalarType),
    Array(Box<ArrayNode>),
    Tuple(Box<TupleNode>),
    Object(Box<ObjectNode>),
    Map(Box<MapNode>),
    OneOf(Box<OneOfNode>),
    AnyOf(Box<[Node]>),
    Any,
    Reference(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct ArrayNode {
    pub(super) items: Node,
    pub(super) rules: ItemRules,
}

#[derive(Clone, Debug)]
pub(crate) struct TupleNode {
    pub(super) items: Vec<Node>,
    pub(super) rules: ItemRules,
}

#[derive(Clone, Debug)]
pub(crate) struct MapNode {
    /// The type of the property names, or `None` if they can be any strings.
    pub(super) keys: Option<ScalarType>,
    pub(super) values: Node,
    pub(super) count: PropertyCount,
}

#[derive(Clone, Debug)]
pub(crate) struct OneOfNode {
    pub(super) discriminator: String,
    pub(super) variants: Vec<(String, Node)>,
}

#[derive(Clone, Debug)]
pub(crate) struct ObjectNode {
    pub(super) properties: Vec<PropertyNode>,
    /// Maps the name and the aliases of each property to its index.
    by_name: HashMap<Box<str>, usize>,
    /// The names of declared properties that the compiled schema excludes because of its side or mode. The user's type
    /// may have fields with these names, but must not receive their values.
    hidden: Vec<Box<str>>,
    unknown: UnknownProperties,
    /// `true` if objects inside the object reject undeclared properties.
    pub(super) closes_recursively: bool,
    pub(super) count: PropertyCount,
    /// `true` if the object is a partial update, whose absent properties keep their values.
    pub(crate) is_partial: bool,
    /// The set of required properties.
    required: PresentProperties,
    /// The members that the sender may not set. Boxed, because most objects have none.
    withheld: Option<Box<WithheldMembers>>,
}

#[derive(Clone, Debug)]
pub(crate) struct PropertyNode {
    pub(super) name: Box<str>,
    pub(crate) node: Node,
    pub(super) required: bool,
    pub(super) default: Option<Value>,
    /// `true` if the schema or the Rust type has a default for an absent property.
    pub(super) has_default: bool,
}

impl Node {
    pub(super) const ANY: Self = Self { nullable: true, constant: None, form: NodeForm::Any };

    /// Returns a valid string with what its format lets clients leave out, such as the seconds of a local time, and without a
    /// leap second. Returns `None` if nothing changes.
    #[inline]
    pub(super) fn completed(&self, text: &str) -> Option<String> {
        match &self.form {
            NodeForm::Scalar(ScalarType::String(string)) => string.format?.completed(text),
            NodeForm::Scalar(ScalarType::DateTime(_)) => without_leap_second(text),
            _ => None,
        }
    }
}

impl CompiledNodes {
    /// Resolves a reference, and returns any other node unchanged. A reference that refers only to itself is returned
    /// unresolved; compiling the schema already reported it as an error.
    #[inline]
    pub(crate) fn resolve<'n>(&'n self, node: &'n Node) -> &'n Node {
        match node.form {
            NodeForm::Reference(index) => self.follow(index),
            _ => node,
        }
    }

    /// Returns the form of a named schema.
    pub(super) fn named_form(&self, index: usize) -> &NodeForm {
        self.named.get(index).map_or(&ANY.form, |node| &node.form)
    }

    fn follow(&self, index: usize) -> &Node {
        let mut node = self.named.get(index).unwrap_or(&ANY);
        for _ in 0..LONGEST_CHAIN {
            match node.form {
                NodeForm::Reference(index) => node = self.named.get(index).unwrap_or(&ANY),
                _ => return node,
            }
        }
        node
    }
}

/// The maximum length of a chain of references.
const LONGEST_CHAIN: usize = 16;

static ANY: Node = Node::ANY;

impl OneOfNode {
    pub(super) fn variant(&self, value: &str) -> Option<&Node> {
        self.variants.iter().find(|(known, _)| known == value).map(|(_, node)| node)
    }
}

impl ObjectNode {
    pub(super) fn new(
        properties: Vec<PropertyNode>,
        by_name: HashMap<Box<str>, usize>,
        hidden: Vec<Box<str>>,
        unknown: UnknownProperties,
        count: PropertyCount,
        is_partial: bool,
    ) -> Self {
        let mut required = PresentProperties::default();
        for (index, _) in properties.iter().enumerate().filter(|(_, property)| property.required) {
            required.mark(index);
        }
        let closes_recursively = unknown.are_rejected_recursively();
        Self { properties, by_name, hidden, unknown, closes_recursively, count, is_partial, required, withheld: None }
    }

    /// Returns the object for a sender who may not set these members.
    pub(super) fn without(&self, withheld: &WithheldMembers) -> Self {
        let mut all = self.withheld.as_deref().cloned().unwrap_or_default();
        all.extend(withheld);
        // serde reads a property by each of its names.
        let treatments: HashMap<usize, Withheld> =
            self.by_name.iter().filter_map(|(name, index)| Some((*index, withheld.get(name)?.clone()))).collect();
        let mut by_name = HashMap::new();
        let mut properties = Vec::with_capacity(self.properties.len());
        for (index, property) in self.properties.iter().enumerate() {
            let names = self.by_name.iter().filter(|(_, known)| **known == index).map(|(name, _)| name.clone());
            match treatments.get(&index) {
                Some(treatment) => {
                    names.for_each(|name| all.insert(name, treatment.clone()));
                    all.defaults.extend(property.default.clone().map(|default| (property.name.clone(), default)));
                }
                None => {
                    by_name.extend(names.map(|name| (name, properties.len())));
                    properties.push(property.clone());
                }
            }
        }
        let (hidden, count) = (self.hidden.clone(), self.count.clone());
        let object = Self::new(properties, by_name, hidden, self.unknown, count, self.is_partial);
        Self { withheld: Some(Box::new(all)), ..object }
    }

    /// Finds a property by its JSON name. Tries the index `expected` first, because most clients send properties in the
    /// declared order.
    #[inline]
    pub(crate) fn find(&self, name: &str, expected: usize) -> Option<(usize, &PropertyNode)> {
        match self.properties.get(expected) {
            Some(property) if *property.name == *name => Some((expected, property)),
            _ => self.find_anywhere(name),
        }
    }

    fn find_anywhere(&self, name: &str) -> Option<(usize, &PropertyNode)> {
        let index = *self.by_name.get(name)?;
        Some((index, self.properties.get(index)?))
    }

    /// Returns `true` if a property with this name is declared, but excluded because of the side or mode, or withheld.
    pub(super) fn hides(&self, name: &str) -> bool {
        self.hidden.iter().any(|hidden| **hidden == *name) || self.withheld(name).is_some()
    }

    /// Returns the defaults of the properties that the sender may not set.
    pub(super) fn withheld_defaults(&self) -> &[(Box<str>, Value)] {
        self.withheld.as_ref().map(|withheld| withheld.defaults.as_slice()).unwrap_or_default()
    }

    /// Returns the names of the members that are returned apart from the value.
    pub(super) fn apart(&self) -> impl Iterator<Item = &str> {
        self.withheld.iter().flat_map(|withheld| withheld.apart())
    }

    /// Returns the treatment of a member that the sender may not set.
    pub(super) fn withheld(&self, name: &str) -> Option<&Withheld> {
        self.withheld.as_ref()?.get(name)
    }

    /// Returns `true` if an undeclared property with this name is a violation. `within` is `true` inside an object that
    /// rejects such properties recursively.
    #[inline]
    pub(super) fn rejects(&self, name: &str, within: bool) -> bool {
        match self.unknown {
            // A client that sends back what it received also sends properties that it cannot set.
            UnknownProperties::Ignored => within && (!self.hides(name) || self.withheld(name).is_some()),
            unknown => unknown.are_rejected(within),
        }
    }

    /// Returns `true` if all required properties are present.
    #[inline]
    pub(super) fn has_required(&self, seen: &PresentProperties) -> bool {
        seen.covers(&self.required)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = (usize, &PropertyNode)> {
        self.properties.iter().enumerate().filter(|(_, property)| property.required)
    }
}

/// The set of properties that are present in an object. Their number is not limited.
#[derive(Clone, Debug, Default)]
pub(super) struct PresentProperties {
    first: u64,
    /// The presence bits of all properties after the first 64. Few objects have so many properties.
    others: Option<Vec<u64>>,
}

impl PresentProperties {
    /// Marks a property as present. Returns `true` if it was already marked.
    #[inline]
    pub(super) fn mark(&mut self, index: usize) -> bool {
        let bit = 1 << (index % 64);
        let word = match index / 64 {
            0 => &mut self.first,
            word => {
                let others = self.others.get_or_insert_default();
                if others.len() < word {
                    others.resize(word, 0);
                }
                match others.get_mut(word - 1) {
                    Some(word) => word,
                    None => return false,
                }
            }
        };
        let seen = *word & bit != 0;
        *word |= bit;
        seen
    }

    #[inline]
    fn covers(&self, other: &Self) -> bool {
        let covers = |(word, other): (&u64, &u64)| word & other == *other;
        let Some(others) = &other.others else { return covers((&self.first, &other.first)) };
        let own = self.others.iter().flat_map(|others| others.iter());
        covers((&self.first, &other.first)) && own.chain(std::iter::repeat(&0)).zip(others.iter()).all(covers)
    }

    #[inline]
    pub(super) fn contains(&self, index: usize) -> bool {
        let word = match index / 64 {
            0 => self.first,
            word => self.others.as_ref().and_then(|others| others.get(word - 1)).copied().unwrap_or(0),
        };
        word & (1 << (index % 64)) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_properties_can_be_marked() {
        let mut seen = PresentProperties::default();
        for index in [0, 63, 64, 127, 128, 1000] {
            assert!(!seen.contains(index));
            assert!(!seen.mark(index));
            assert!(seen.mark(index) && seen.contains(index), "{index}");
        }
        assert!(!seen.contains(65));
    }
}
