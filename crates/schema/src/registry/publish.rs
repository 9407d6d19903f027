//! Publishing: from declarations to JSON Schema 2020-12.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Registry;
use crate::collection::PropertyCollection;
use crate::mode::{Mode, SchemaSide};
use crate::property::{Documentation, Property};
use crate::schema_type::{OneOf, SchemaType, SchemaTypeRepr};

/// What a component stands for; its mode and its face only where they make a difference.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meaning {
    shape: String,
    mode: Option<Mode>,
    face: Option<SchemaSide>,
}

impl Registry {
    /// The JSON Schema (2020-12) of a kind; a named shape is a `$ref` to its component.
    pub fn json_schema(&mut self, kind: &SchemaType, face: SchemaSide, mode: Option<Mode>) -> Value {
        let kind = self.settle(kind);
        Value::Object(self.kind_schema(&kind, face, mode))
    }

    /// The JSON Schema (2020-12) of a property: with its description, default and examples, and null where it may be.
    pub fn property_schema(&mut self, property: &Property, face: SchemaSide, mode: Option<Mode>) -> Value {
        let property = Property { kind: self.settle(&property.kind), ..property.clone() };
        self.settled_property_schema(&property, face, mode)
    }

    /// Every named shape that the schemas made so far refer to, by the name of its component.
    ///
    /// A shape whose faces are equal has one component, `Name`; otherwise what is read is `NameInput`. A mode that leaves something out is
    /// named after it: `NameCreate`, `NameCreateInput`.
    #[must_use]
    pub fn components(&self) -> BTreeMap<String, Value> {
        self.components.clone()
    }

    /// The name of a named shape's component in a face and a mode; none for a kind without a name.
    pub fn component_name(&mut self, kind: &SchemaType, face: SchemaSide, mode: Option<Mode>) -> Option<String> {
        let kind = self.settle(kind);
        match &kind.0 {
            SchemaTypeRepr::Reference(name) => Some(self.component(name, face, mode)),
            _ => None,
        }
    }

    fn settled_property_schema(&mut self, property: &Property, face: SchemaSide, mode: Option<Mode>) -> Value {
        let mut schema = self.kind_schema(&property.kind, face, mode);
        if let Some(constant) = &property.constant {
            schema.insert("const".to_owned(), constant.clone());
        }
        if property.nullable {
            schema = nullable(schema);
        }
        document(&mut schema, &property.documentation);
        if let Some(default) = &property.default {
            schema.insert("default".to_owned(), default.clone());
        }
        if property.read_only {
            schema.insert("readOnly".to_owned(), true.into());
        }
        if property.write_only {
            schema.insert("writeOnly".to_owned(), true.into());
        }
        Value::Object(schema)
    }

    fn kind_schema(&mut self, kind: &SchemaType, face: SchemaSide, mode: Option<Mode>) -> Map<String, Value> {
        match &kind.0 {
            SchemaTypeRepr::Scalar(scalar) => scalar.schema(),
            SchemaTypeRepr::Any => Map::new(),
            SchemaTypeRepr::Array(array) => {
                let mut schema = typed_as("array");
                schema.insert("items".to_owned(), self.settled_property_schema(&array.items, face, mode));
                array.rules.publish(&mut schema);
                schema
            }
            SchemaTypeRepr::Map(map) => {
                let mut schema = typed_as("object");
                let values = self.settled_property_schema(&map.values, face, mode);
                schema.insert("additionalProperties".to_owned(), values);
                map.count.publish(&mut schema);
                schema
            }
            SchemaTypeRepr::Object(collection) => self.collection_schema(collection, face, mode),
            SchemaTypeRepr::OneOf(one_of) => self.one_of_schema(one_of, face, mode),
            SchemaTypeRepr::Reference(name) => {
                let component = self.component(name, face, mode);
                Map::from_iter([("$ref".to_owned(), reference_to(&component))])
            }
            SchemaTypeRepr::OfType(_) => {
                let settled = self.settle(kind);
                self.kind_schema(&settled, face, mode)
            }
        }
    }

    fn collection_schema(
        &mut self,
        collection: &PropertyCollection,
        face: SchemaSide,
        mode: Option<Mode>,
    ) -> Map<String, Value> {
        let mut schema = typed_as("object");
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut required_by_any_name = Vec::new();
        for property in collection.properties.iter().filter(|property| property.exists_in(face, mode)) {
            let name = property.name_in(face);
            let aliases = property.aliases_in(face);
            let published = self.settled_property_schema(property, face, mode);
            for alias in aliases {
                properties.insert(alias.to_string(), another_name(published.clone(), name));
            }
            properties.insert(name.to_owned(), published);
            match (property.is_required_in(face), aliases) {
                (true, []) => required.push(Value::from(name)),
                (true, aliases) => {
                    let names = std::iter::once(name).chain(aliases.iter().map(AsRef::as_ref));
                    let one: Vec<_> = names.map(|name| json!({ "required": [name] })).collect();
                    required_by_any_name.push(json!({ "anyOf": one }));
                }
                (false, _) => {}
            }
        }
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), properties.into());
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        if !required_by_any_name.is_empty() {
            schema.insert("allOf".to_owned(), required_by_any_name.into());
        }
        if collection.closed {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        collection.count.publish(&mut schema);
        schema
    }

    fn one_of_schema(&mut self, one_of: &OneOf, face: SchemaSide, mode: Option<Mode>) -> Map<String, Value> {
        let mut variants = Vec::new();
        let mut mapping = Map::new();
        for variant in &one_of.variants {
            let Some(collection) = self.collection(&variant.kind).cloned() else { continue };
            let tagged = one_of.tagged(variant, &collection);
            let kind = self.define_collection(&tagged);
            if let Some(name) = self.component_name(&kind, face, mode) {
                variants.push(json!({ "$ref": reference_to(&name) }));
                mapping.insert(variant.value.to_string(), reference_to(&name));
            }
        }
        Map::from_iter([
            ("oneOf".to_owned(), variants.into()),
            ("discriminator".to_owned(), json!({ "propertyName": one_of.discriminator, "mapping": mapping })),
        ])
    }

    /// Publishes the component when it is new, and answers its name.
    fn component(&mut self, name: &str, face: SchemaSide, mode: Option<Mode>) -> String {
        let difference = self.difference(name, mode);
        let mode = mode.filter(|_| difference.by_mode);
        let named_face = difference.by_face.then_some(face);
        let mode_suffix = mode.map_or("", Mode::name);
        let face_suffix = if named_face == Some(SchemaSide::Input) { "Input" } else { "" };
        let component = format!("{name}{mode_suffix}{face_suffix}");

        let meaning = Meaning { shape: name.to_owned(), mode, face: named_face };
        match self.published.get(&component) {
            Some(known) if *known == meaning => return component,
            Some(Meaning { shape: known, .. }) => {
                let sentence = format!(
                    "The shapes `{known}` and `{name}` both have the component `{component}`; rename one of them."
                );
                self.error(sentence);
                return component;
            }
            None => self.published.insert(component.clone(), meaning),
        };
        if let Some(definition) = self.definition(name).cloned() {
            let schema = self.settled_property_schema(&definition.0, face, mode);
            self.components.insert(component.clone(), schema);
        }
        component
    }
}

fn typed_as(name: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), name.into())])
}

/// What is published of a property under another name that it is read by.
fn another_name(mut schema: Value, name: &str) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("default");
        schema.insert("description".to_owned(), format!("Another name of `{name}`.").into());
        schema.insert("deprecated".to_owned(), true.into());
    }
    schema
}

fn reference_to(component: &str) -> Value {
    format!("#/components/schemas/{component}").into()
}

/// Null beside what the schema admits.
fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    // Without keywords it admits null already.
    if schema.is_empty() {
        return schema;
    }
    let simple = ["enum", "const", "$ref", "oneOf"].iter().all(|keyword| !schema.contains_key(*keyword));
    if simple && let Some(one) = schema.get_mut("type") {
        *one = json!([one.clone(), "null"]);
        return schema;
    }
    Map::from_iter([("anyOf".to_owned(), json!([schema, { "type": "null" }]))])
}

fn document(schema: &mut Map<String, Value>, documentation: &Documentation) {
    if let Some(title) = &documentation.title {
        schema.insert("title".to_owned(), title.as_str().into());
    }
    if let Some(description) = &documentation.description {
        schema.insert("description".to_owned(), description.as_str().into());
    }
    if documentation.deprecated {
        schema.insert("deprecated".to_owned(), true.into());
    }
    if !documentation.examples.is_empty() {
        schema.insert("examples".to_owned(), documentation.examples.clone().into());
    }
}
