//! Publishes schemas as JSON Schema 2020-12.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Registry;
use super::uses::ClosedComponent;
use crate::mode::{Mode, SchemaSide};
use crate::shape::collection::PropertyCollection;
use crate::shape::schema_object::{SchemaDocumentation, SchemaObject};
use crate::shape::schema_type::{OneOf, ScalarType, SchemaType, SchemaTypeRepr, pascal_case};

/// The schema that a component publishes. Mode and side are set only if the schema depends on them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ComponentMeaning {
    name: String,
    mode: Option<Mode>,
    side: Option<SchemaSide>,
    /// `true` for the component inside a recursively closed schema.
    within_closed: bool,
}

impl Registry {
    /// Publishes a schema as JSON Schema 2020-12. A named schema becomes a `$ref` to its component.
    pub fn json_schema(&mut self, schema: impl Into<SchemaObject>, side: SchemaSide, mode: Option<Mode>) -> Value {
        let mut schema = schema.into();
        schema.schema_type = self.settle(&schema.schema_type);
        self.published_schema(&schema, side, mode).into()
    }

    /// Returns the published schema of each component, by component name. The map includes every named schema that a
    /// published schema refers to. Copies of the registry share the schemas.
    ///
    /// A schema that is equal on both sides has one component, `Name`. Otherwise, the component of the input side is
    /// `NameInput`; see [`note_use`](Self::note_use). Inside a recursively closed schema, the component of a schema that is
    /// also used elsewhere is `NameInput`, or `NameClosedInput` if the other requests use `NameInput`. If a mode omits properties, the name of the mode is appended:
    /// `NameCreate`, `NameCreateInput`.
    #[must_use]
    pub fn components(&self) -> &BTreeMap<String, Arc<Value>> {
        &self.components
    }

    /// Consumes the registry and returns its [`components`](Self::components).
    #[must_use]
    pub fn into_components(self) -> BTreeMap<String, Arc<Value>> {
        self.components
    }

    /// Publishes a named schema for one side (requests or responses) and one mode, and returns the name of its
    /// component. Returns `None` for a type without a name.
    pub fn component_name(&mut self, schema_type: &SchemaType, side: SchemaSide, mode: Option<Mode>) -> Option<String> {
        let settled = self.settle(schema_type);
        settled.referred().map(|name| self.component(name, side, mode))
    }

    fn published_schema(&mut self, schema: &SchemaObject, side: SchemaSide, mode: Option<Mode>) -> Map<String, Value> {
        let mut published = self.published_type(&schema.schema_type, side, mode);
        if let Some(constant) = &schema.constant {
            published.insert("const".to_owned(), (**constant).clone());
        }
        if schema.nullable {
            published = nullable(published);
        }
        if let Some(documentation) = &schema.documentation {
            document(&mut published, documentation);
        }
        if let Some(default) = &schema.default {
            published.insert("default".to_owned(), (**default).clone());
        }
        published
    }

    fn published_type(&mut self, schema_type: &SchemaType, side: SchemaSide, mode: Option<Mode>) -> Map<String, Value> {
        match &schema_type.0 {
            SchemaTypeRepr::Scalar(scalar) => scalar.schema(),
            SchemaTypeRepr::Any => Map::new(),
            SchemaTypeRepr::Array(array) => {
                let mut schema = typed_as("array");
                schema.insert("items".to_owned(), self.published_schema(&array.items, side, mode).into());
                array.rules.publish(&mut schema);
                schema
            }
            SchemaTypeRepr::Tuple(tuple) => {
                let mut schema = typed_as("array");
                let items = tuple.items.iter().map(|item| self.published_schema(item, side, mode).into());
                tuple.publish(items.collect(), &mut schema);
                schema
            }
            SchemaTypeRepr::AnyOf(any_of) => {
                let variants = any_of.variants.iter().map(|variant| self.published_schema(variant, side, mode).into());
                Map::from_iter([("anyOf".to_owned(), Value::Array(variants.collect()))])
            }
            SchemaTypeRepr::Map(map) => {
                let mut schema = typed_as("object");
                let names = map.keys.as_ref().and_then(|keys| self.schema_of_names(keys, side, mode));
                schema.extend(names.map(|names| ("propertyNames".to_owned(), names)));
                let values = self.published_schema(&map.values, side, mode);
                schema.insert("additionalProperties".to_owned(), values.into());
                map.count.publish(&mut schema);
                schema
            }
            SchemaTypeRepr::Object(collection) => self.collection_schema(collection, side, mode),
            SchemaTypeRepr::OneOf(one_of) => self.one_of_schema(one_of, side, mode),
            SchemaTypeRepr::Reference(name) => {
                let component = self.component(name, side, mode);
                Map::from_iter([("$ref".to_owned(), reference_to(&component))])
            }
            SchemaTypeRepr::OfType(_) => {
                let settled = self.settle(schema_type);
                self.published_type(&settled, side, mode)
            }
        }
    }

    /// Returns the schema of the property names of a map, or `None` if they can be any strings.
    fn schema_of_names(&mut self, keys: &SchemaObject, side: SchemaSide, mode: Option<Mode>) -> Option<Value> {
        let mut schema = match &keys.schema_type.0 {
            SchemaTypeRepr::Scalar(scalar) => scalar.schema_of_names(),
            SchemaTypeRepr::Reference(name) => match &self.definition(name)?.0.schema_type.0 {
                SchemaTypeRepr::Scalar(scalar @ ScalarType::Integer(_)) => scalar.schema_of_names(),
                _ => self.published_schema(keys, side, mode),
            },
            _ => return None,
        };
        // A name is always a string.
        schema.remove("type");
        (!schema.is_empty()).then(|| schema.into())
    }

    fn collection_schema(
        &mut self,
        collection: &PropertyCollection,
        side: SchemaSide,
        mode: Option<Mode>,
    ) -> Map<String, Value> {
        let mut schema = typed_as("object");
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut required_by_any_name = Vec::new();
        let unknown = collection.unknown.on(side);
        let outer = self.within_closed;
        self.within_closed |= unknown.are_rejected_recursively();
        for property in collection.properties.iter().filter(|property| property.exists_in(side, mode)) {
            let name = property.name_in(side);
            let aliases = property.aliases_in(side);
            let mut published = self.published_schema(&property.schema, side, mode);
            if property.read_only {
                published.insert("readOnly".to_owned(), true.into());
            }
            if property.write_only {
                published.insert("writeOnly".to_owned(), true.into());
            }
            for alias in aliases {
                properties.insert(alias.to_string(), another_name(published.clone(), name).into());
            }
            properties.insert(name.to_owned(), published.into());
            match (self.requires(&self.publishing, property, side), aliases) {
                (true, []) => required.push(Value::from(name)),
                (true, aliases) => {
                    let names = std::iter::once(name).chain(aliases.iter().map(AsRef::as_ref));
                    let one: Vec<_> = names.map(|name| json!({ "required": [name] })).collect();
                    required_by_any_name.push(json!({ "anyOf": one }));
                }
                (false, _) => {}
            }
        }
        self.within_closed = outer;
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), properties.into());
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        if !required_by_any_name.is_empty() {
            schema.insert("allOf".to_owned(), required_by_any_name.into());
        }
        if unknown.are_rejected(outer) {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        collection.count.publish(&mut schema);
        schema
    }

    fn one_of_schema(&mut self, one_of: &OneOf, side: SchemaSide, mode: Option<Mode>) -> Map<String, Value> {
        let mut variants = Vec::new();
        let mut mapping = Map::new();
        for variant in &one_of.variants {
            let Some(collection) = self.collection(&variant.kind).cloned() else { continue };
            let tagged = one_of.tagged(variant, &collection);
            let defined = self.define_collection(&tagged);
            if let Some(name) = self.component_name(&defined, side, mode) {
                variants.push(json!({ "$ref": reference_to(&name) }));
                mapping.insert(variant.value.to_string(), reference_to(&name));
            }
        }
        Map::from_iter([
            ("oneOf".to_owned(), variants.into()),
            ("discriminator".to_owned(), json!({ "propertyName": one_of.discriminator, "mapping": mapping })),
        ])
    }

    /// Returns the name of the component for a named schema, side and mode. Publishes the component if it is new.
    fn component(&mut self, name: &str, side: SchemaSide, mode: Option<Mode>) -> String {
        let difference = self.difference(name, mode);
        let mode = mode.filter(|_| difference.by_mode);
        let within_closed = self.within_closed && difference.by_closed;
        let has_two_components = !within_closed && difference.by_side && self.may_have_two_components(name);
        let named_side = has_two_components.then_some(side);
        let mode_suffix = mode.map_or("", Mode::name);
        let side_suffix = match within_closed.then(|| self.closed_component(name, difference.by_side)) {
            Some(ClosedComponent::Input) => "Input",
            Some(ClosedComponent::ClosedInput) => "ClosedInput",
            Some(ClosedComponent::Only) => "",
            None if named_side == Some(SchemaSide::Input) => "Input",
            None => "",
        };
        let component = format!("{name}{mode_suffix}{side_suffix}");

        let meaning = ComponentMeaning { name: name.to_owned(), mode, side: named_side, within_closed };
        match self.published.get(&component) {
            Some(known) if *known == meaning => return component,
            Some(ComponentMeaning { name: known, .. }) => {
                let sentence = format!(
                    "The schemas `{known}` and `{name}` both have the component `{component}`; rename one of them."
                );
                self.error(sentence);
                return component;
            }
            None => self.published.insert(component.clone(), meaning),
        };
        if let Some(definition) = self.definition(name).cloned() {
            let outer = std::mem::replace(&mut self.publishing, name.to_owned());
            let mut schema = self.published_schema(&definition.0, side, mode);
            self.publishing = outer;
            if let Some(Value::Array(values)) = schema.get("enum") {
                let constants: Vec<_> = values.iter().map(|value| constant_name(&component, value)).collect();
                let has_repeated =
                    constants.iter().enumerate().any(|(end, one)| constants.iter().take(end).any(|known| known == one));
                if !has_repeated {
                    schema.insert("x-enum-varnames".to_owned(), constants.into());
                }
            }
            self.components.insert(component.clone(), Arc::new(schema.into()));
        }
        component
    }
}

/// Returns the constant name for a value of an enumeration (`x-enum-varnames`). It starts with the component name,
/// because Go has one scope for the constants of all types.
fn constant_name(component: &str, value: &Value) -> String {
    let value = value.as_str().map_or_else(|| value.to_string().replace('-', "Minus"), pascal_case);
    format!("{component}{value}")
}

fn typed_as(name: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), name.into())])
}

/// Returns the schema for an alias of a property. The alias is deprecated and has no default.
fn another_name(mut schema: Map<String, Value>, name: &str) -> Map<String, Value> {
    schema.remove("default");
    schema.insert("description".to_owned(), format!("An alias of `{name}`.").into());
    schema.insert("deprecated".to_owned(), true.into());
    schema
}

fn reference_to(component: &str) -> Value {
    format!("#/components/schemas/{component}").into()
}

/// Returns a schema that also allows null.
fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    // A schema without keywords allows any value.
    if schema.is_empty() {
        return schema;
    }
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        variants.push(json!({ "type": "null" }));
        return schema;
    }
    let simple = ["enum", "const", "$ref", "oneOf"].iter().all(|keyword| !schema.contains_key(*keyword));
    if simple && let Some(one) = schema.get_mut("type") {
        *one = json!([one.clone(), "null"]);
        return schema;
    }
    Map::from_iter([("anyOf".to_owned(), json!([schema, { "type": "null" }]))])
}

fn document(schema: &mut Map<String, Value>, documentation: &SchemaDocumentation) {
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
