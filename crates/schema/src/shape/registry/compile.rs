//! Compiles declared schemas to a [`CompiledSchema`].

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use super::Registry;
use crate::mode::{Mode, SchemaSide};
use crate::shape::collection::PropertyCollection;
use crate::shape::compiled_schema::CompiledSchema;
use crate::shape::node::{
    ArrayNode, CompiledNodes, MapNode, Node, NodeForm, ObjectNode, OneOfNode, PropertyNode, TupleNode,
};
use crate::shape::property::Property;
use crate::shape::schema_object::SchemaObject;
use crate::shape::schema_type::{OneOf, ScalarType, SchemaType, SchemaTypeRepr};

impl Registry {
    /// Compiles a schema to a [`CompiledSchema`], which reads and checks values. `side` selects requests or responses,
    /// and `mode` selects an operation.
    ///
    /// Errors in the declarations are added to [`Registry::errors`]. The compiled schema then checks only the valid
    /// declarations.
    pub fn compile(&mut self, schema: impl Into<SchemaObject>, side: SchemaSide, mode: Option<Mode>) -> CompiledSchema {
        self.compile_named("", &schema.into(), side, mode)
    }

    /// Compiles the schema of a property, such as a parameter. Errors in the declaration contain the name of the
    /// property.
    pub fn compile_property(&mut self, property: &Property, side: SchemaSide, mode: Option<Mode>) -> CompiledSchema {
        self.compile_named(&property.name, &property.schema, side, mode)
    }

    fn compile_named(
        &mut self,
        name: &str,
        schema: &SchemaObject,
        side: SchemaSide,
        mode: Option<Mode>,
    ) -> CompiledSchema {
        let schema = self.settle_schema(schema);
        let key = bare_reference(&schema).map(|name| (name.to_owned(), side, mode));
        if let Some(known) = key.as_ref().and_then(|key| self.compiled.get(key)) {
            return known.clone();
        }
        let compiled = self.compiled(name, &schema, side, mode);
        if schema.default.is_some() || schema.constant.is_some() {
            let bare = self.compiled(name, &schema.without_declared_values(), side, mode);
            self.check_declared_values("", name, &schema, &bare);
        }
        if let Some(key) = key {
            self.compiled.insert(key, compiled.clone());
        }
        compiled
    }

    fn compiled(&mut self, name: &str, schema: &SchemaObject, side: SchemaSide, mode: Option<Mode>) -> CompiledSchema {
        let mut compiler = Compiler {
            registry: self,
            side,
            mode,
            owner: String::new(),
            named: Vec::new(),
            indexes: HashMap::new(),
            guided: true,
            hides: false,
            open: Vec::new(),
            around_union: 0,
        };
        let root = compiler.schema(name, schema);
        let named: Arc<[_]> =
            std::mem::take(&mut compiler.named).into_iter().map(|node| node.unwrap_or(Node::ANY)).collect();
        let (guided, hides) = (compiler.guided, compiler.hides);
        let indexes = std::mem::take(&mut compiler.indexes);
        let unions = if guided { HashMap::new() } else { self.unions(&named, &indexes) };
        let mut compiled = CompiledNodes {
            root,
            named,
            guided,
            hides,
            has_files: false,
            unions: unions.into(),
            apart: Arc::default(),
        };
        compiled.has_files = compiled.finds_file(&compiled.root);
        for (name, index) in indexes {
            if matches!(
                compiled.resolve(&Node { form: NodeForm::Reference(index), ..Node::ANY }).form,
                NodeForm::Reference(_)
            ) {
                self.error(format!("The schema `{name}` refers only to itself; declare its type."));
            }
        }
        CompiledSchema::new(Arc::new(compiled))
    }

    /// Returns the indexes of the nodes that are untagged unions of Rust types.
    fn unions(&mut self, named: &[Node], indexes: &HashMap<String, usize>) -> HashMap<TypeId, usize> {
        let index_of = |name: &str| indexes.get(name).copied();
        let is_union = |index: &usize| named.get(*index).is_some_and(|node| matches!(node.form, NodeForm::AnyOf(_)));
        if !named.iter().any(|node| matches!(node.form, NodeForm::AnyOf(_))) {
            return HashMap::new();
        }
        for items in self.sets.clone() {
            if let Some(name) = self.union_in(&items) {
                self.error(format!(
                    "The untagged union `{name}` is in a set, whose items lose their order, so their variants cannot be \
                     checked; use a list with `unique_items`."
                ));
            }
        }
        self.types.iter().filter_map(|(id, name)| Some((*id, index_of(name).filter(is_union)?))).collect()
    }

    /// Checks that the default and the constant of a schema satisfy its other constraints.
    fn check_declared_values(&mut self, owner: &str, name: &str, schema: &SchemaObject, bare: &CompiledSchema) {
        let declared = [("default", &schema.default), ("constant", &schema.constant)];
        for (what, value) in declared.into_iter().filter_map(|(what, value)| Some((what, value.as_deref()?))) {
            if let Err(violations) = bare.check_value(value, 1) {
                let place = place(owner, name);
                self.error(format!("The {what} of {place} violates its constraints: {violations}."));
            }
        }
    }
}

struct Compiler<'r> {
    registry: &'r mut Registry,
    side: SchemaSide,
    mode: Option<Mode>,
    /// The name of the collection that is being compiled, for error messages.
    owner: String,
    /// The compiled nodes by index. `None` while a schema is being compiled.
    named: Vec<Option<Node>>,
    indexes: HashMap<String, usize>,
    guided: bool,
    hides: bool,
    /// The indexes of the schemas that are being compiled, from the outermost to the innermost.
    open: Vec<usize>,
    /// The number of open schemas around the innermost untagged union. A reference to one of them is a union that contains
    /// itself.
    around_union: usize,
}

impl Compiler<'_> {
    /// Compiles a schema to a node. `name` is the name of the property, for messages.
    fn schema(&mut self, name: &str, schema: &SchemaObject) -> Node {
        for mistake in &schema.mistakes {
            self.mistake(name, mistake);
        }
        let form = self.form(name, &schema.schema_type);
        let constant = schema.constant.clone();
        if constant.is_some() && !matches!(form, NodeForm::Scalar(_)) {
            self.guided = false;
        }
        Node { nullable: schema.nullable, constant, form }
    }

    fn form(&mut self, name: &str, schema_type: &SchemaType) -> NodeForm {
        match &schema_type.0 {
            SchemaTypeRepr::Scalar(scalar) => {
                self.mistakes(name, scalar.conflicts());
                let mut scalar = scalar.clone();
                if let Err(mistake) = scalar.prepare(&mut self.registry.patterns) {
                    self.mistake(name, &mistake);
                }
                NodeForm::Scalar(scalar)
            }
            SchemaTypeRepr::Array(array) => {
                self.mistakes(name, array.rules.conflicts());
                self.guided &= !array.rules.unique;
                let items = self.schema(&format!("{name}[]"), &array.items);
                NodeForm::Array(Box::new(ArrayNode { items, rules: array.rules.clone() }))
            }
            SchemaTypeRepr::Tuple(tuple) => {
                let items = tuple.items.iter().enumerate();
                let items = items.map(|(index, item)| self.schema(&format!("{name}[{index}]"), item)).collect();
                NodeForm::Tuple(Box::new(TupleNode { items, rules: tuple.rules() }))
            }
            SchemaTypeRepr::Map(map) => {
                self.mistakes(name, map.count.conflicts());
                let keys = map.keys.as_ref().and_then(|keys| self.keys(name, keys));
                let values = self.schema(&format!("{name}{{}}"), &map.values);
                NodeForm::Map(Box::new(MapNode { keys, values, count: map.count.clone() }))
            }
            SchemaTypeRepr::AnyOf(any_of) => {
                self.guided = false;
                let outer = std::mem::replace(&mut self.around_union, self.open.len());
                let variants = any_of.variants.iter().map(|variant| self.schema(name, variant)).collect();
                self.around_union = outer;
                NodeForm::AnyOf(variants)
            }
            SchemaTypeRepr::Object(collection) => {
                self.mistakes(name, collection.count.conflicts());
                NodeForm::Object(Box::new(self.collection(collection)))
            }
            SchemaTypeRepr::OneOf(one_of) => {
                self.guided = false;
                NodeForm::OneOf(Box::new(self.one_of(one_of)))
            }
            SchemaTypeRepr::Any => NodeForm::Any,
            SchemaTypeRepr::Reference(target) => NodeForm::Reference(self.reference(name, target)),
            SchemaTypeRepr::OfType(_) => {
                let settled = self.registry.settle(schema_type);
                self.form(name, &settled)
            }
        }
    }

    fn reference(&mut self, from: &str, target: &str) -> usize {
        if let Some(index) = self.indexes.get(target).copied() {
            if self.open.iter().take(self.around_union).any(|open| *open == index) {
                self.mistake(from, UNION_IN_ITSELF);
            }
            return index;
        }
        let index = self.named.len();
        self.indexes.insert(target.to_owned(), index);
        self.named.push(None);
        self.open.push(index);
        let node = match self.registry.definition(target).cloned() {
            Some(definition) => {
                let outer = std::mem::replace(&mut self.owner, target.to_owned());
                let node = self.schema("", &definition.0);
                self.owner = outer;
                node
            }
            None => {
                let place = place(&self.owner, from);
                let sentence =
                    format!("{place} refers to `{target}`, which is not defined; define it, or correct the name.");
                self.registry.error(capitalised(&sentence));
                Node::ANY
            }
        };
        self.open.pop();
        if let Some(slot) = self.named.get_mut(index) {
            *slot = Some(node);
        }
        index
    }

    /// Returns the type of the property names of a map, or `None` if they can be any strings.
    fn keys(&mut self, name: &str, keys: &SchemaObject) -> Option<ScalarType> {
        let node = self.schema(&format!("{name}{{}}"), keys);
        let form = match node.form {
            NodeForm::Reference(index) => self.named.get(index).and_then(Option::as_ref).map(|node| &node.form),
            _ => Some(&node.form),
        };
        match form {
            Some(NodeForm::Scalar(scalar)) if scalar.fits_names() && !node.nullable => Some(scalar.clone()),
            _ => {
                self.mistake(name, KEYS);
                None
            }
        }
    }

    fn collection(&mut self, collection: &PropertyCollection) -> ObjectNode {
        let mut properties = Vec::new();
        let mut by_name: HashMap<Box<str>, usize> = HashMap::new();
        let mut hidden: Vec<Box<str>> = Vec::new();
        for property in &collection.properties {
            let name = property.name_in(self.side);
            let aliases = property.aliases_in(self.side).iter().map(AsRef::as_ref);
            let names = std::iter::once(name).chain(aliases);
            if !property.exists_in(self.side, self.mode) {
                hidden.extend(names.map(Box::from));
                continue;
            }
            for known in names {
                if by_name.insert(known.into(), properties.len()).is_some() {
                    self.mistake(known, "another property of the collection has the same name; rename one of them");
                }
            }
            let node = self.schema(&property.name, &property.schema);
            self.check_declared_values(property);
            // serde does not fill in this default. Only the normalised value contains it.
            self.guided &= property.schema.default.is_none();
            properties.push(PropertyNode {
                name: name.into(),
                node,
                required: property.is_required_in(self.side),
                default: property.schema.default().cloned(),
                has_default: property.has_default(),
            });
        }
        self.hides |= !hidden.is_empty();
        // The type has no field with such a name.
        hidden.extend(collection.response_only.iter().map(|name| Box::from(&**name)));
        let is_partial = collection.properties.iter().any(|property| property.is_patch);
        ObjectNode::new(
            properties,
            by_name,
            hidden,
            collection.unknown.on(self.side),
            collection.count.clone(),
            is_partial,
        )
    }

    fn one_of(&mut self, one_of: &OneOf) -> OneOfNode {
        let mut variants: Vec<(String, Node)> = Vec::new();
        for variant in &one_of.variants {
            let value = variant.value.to_string();
            if variants.iter().any(|(known, _)| *known == value) {
                self.mistake(&value, "another variant has the same value; change one of them");
            }
            let Some(collection) = self.registry.collection(&variant.kind) else {
                self.mistake(&value, "a variant must be an object; use a collection");
                continue;
            };
            let tagged = one_of.tagged(variant, &collection.clone());
            let form = NodeForm::Object(Box::new(self.collection(&tagged)));
            variants.push((value, Node { nullable: false, constant: None, form }));
        }
        OneOfNode { discriminator: one_of.discriminator.to_string(), variants }
    }

    /// Checks the default and the constant of a property, unless they were already checked. In a recursive schema, the
    /// check would otherwise repeat without end.
    fn check_declared_values(&mut self, property: &Property) {
        let key = (self.owner.clone(), property.name.to_string());
        let Property { name, schema, .. } = property;
        let declares = schema.default.is_some() || schema.constant.is_some();
        if declares && self.registry.checked_values.insert(key) {
            let bare = self.registry.compile_named(name, &schema.without_declared_values(), self.side, self.mode);
            self.registry.check_declared_values(&self.owner, name, schema, &bare);
        }
    }

    fn mistakes(&mut self, name: &str, mistakes: Vec<String>) {
        for mistake in mistakes {
            self.mistake(name, &mistake);
        }
    }

    fn mistake(&mut self, name: &str, mistake: &str) {
        let sentence = format!("{}: {mistake}.", place(&self.owner, name));
        self.registry.error(capitalised(&sentence));
    }
}

const KEYS: &str =
    "the keys of a map must be strings, integers, dates, UUIDs or an enumeration of strings; use a list of objects";

const UNION_IN_ITSELF: &str = "an untagged union contains itself, and finding its variant would take exponential time; \
                               add a tag, such as `#[serde(tag = \"type\")]`";

/// Returns the name of the referenced schema, if `schema` is a reference without further settings.
fn bare_reference(schema: &SchemaObject) -> Option<&str> {
    let adds_nothing =
        !schema.nullable && schema.constant.is_none() && schema.default.is_none() && schema.mistakes.is_empty();
    schema.schema_type.referred().filter(|_| adds_nothing)
}

/// Describes a property for error messages, such as "the property `note` of `Order`".
fn place(owner: &str, property: &str) -> String {
    match (owner, property) {
        ("", "") => "the value".to_owned(),
        ("", property) => format!("the property `{property}`"),
        (owner, "") => format!("the schema `{owner}`"),
        (owner, property) => format!("the property `{property}` of `{owner}`"),
    }
}

fn capitalised(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect()
}
