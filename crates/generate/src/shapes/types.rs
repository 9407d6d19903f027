//! Converts JSON Schemas to Rust types.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use restwright_runtime::core::schema::{Mode, SchemaSide};
use serde_json::Value;

use super::docs::{code, comment};
use super::facts::facts;
use super::item::{ANY, ItemKind, RustItem, RustType, StructField, StructOf, UnionVariant};
use super::names::{self, TypeNames, type_name};

/// Converts JSON Schemas to Rust types, and collects the types that must be generated.
#[derive(Debug)]
pub(super) struct RustTypes {
    components: BTreeMap<String, Arc<Value>>,
    /// Defines whether requests, responses or both use a component, by component name.
    sides: BTreeMap<String, BTreeSet<SchemaSide>>,
    names: TypeNames,
    /// The names of the generated types, by component name.
    component_names: BTreeMap<String, String>,
    /// The Rust types of all components converted so far, by component name and discriminator. The type of a variant
    /// omits the discriminator.
    known: BTreeMap<(String, Option<String>), RustType>,
    items: Vec<RustItem>,
    /// The indexes of generated types in `items`, by the name of their [`SchemaPlace`].
    by_place: BTreeMap<String, Vec<usize>>,
}

/// The place in the document where a schema is used, such as a property. If the schema needs a separate type, the type
/// is named after the place.
#[derive(Debug, Clone)]
pub(super) struct SchemaPlace {
    name: String,
    /// `true` if the place is a component. Component names are unique.
    is_own: bool,
    /// `true` if requests use the schema. Missing properties receive their defaults, so they are always present.
    fills_defaults: bool,
}

impl SchemaPlace {
    pub(super) fn new(name: impl Into<String>, side: SchemaSide) -> Self {
        Self { name: name.into(), is_own: false, fills_defaults: side == SchemaSide::Input }
    }

    /// Returns the place of a nested schema, such as a property or the items of an array. It determines the name of the
    /// nested type. The name omits the suffix `Input` and the mode, because most nested schemas are the same in
    /// requests and responses and in all modes.
    fn within(&self, part: &str) -> Self {
        let shape = if self.is_own { without_side_and_mode(&self.name) } else { &self.name };
        Self { name: format!("{shape}{part}"), is_own: false, ..*self }
    }
}

impl RustTypes {
    /// Creates a converter, and assigns a type name to each component that the schemas refer to.
    pub(super) fn new<'s>(
        components: BTreeMap<String, Arc<Value>>,
        schemas: impl IntoIterator<Item = (&'s Value, SchemaSide)>,
    ) -> Self {
        let mut sides = BTreeMap::new();
        for (schema, side) in schemas {
            collect(schema, side, &components, &mut sides);
        }
        let mut names = TypeNames::new();
        let own = sides.keys().filter(|name| components.get(*name).is_some_and(|schema| has_type_of_its_own(schema)));
        let component_names = own.map(|name| (name.clone(), names.take(name))).collect();
        Self {
            components,
            sides,
            names,
            component_names,
            known: BTreeMap::new(),
            items: Vec::new(),
            by_place: BTreeMap::new(),
        }
    }

    /// Returns a unique type name and reserves it.
    pub(super) fn take_name(&mut self, name: &str) -> String {
        self.names.take(name)
    }

    /// Returns the generated types, sorted by name.
    pub(super) fn into_items(mut self) -> Vec<RustItem> {
        self.items.sort_by(|left, right| left.name.cmp(&right.name));
        self.items
    }

    /// Returns the Rust type for the values of a schema.
    pub(super) fn rust_type(&mut self, schema: &Value, place: &SchemaPlace) -> RustType {
        if let Some(name) = referred(schema) {
            return self.component(name, None);
        }
        if let Some(variants) = schema.get("oneOf") {
            return self.union(schema, variants, place);
        }
        if let Some(Value::Array(several)) = schema.get("anyOf") {
            return match several.as_slice() {
                [one, null] if is_null(null) => self.rust_type(one, place).optional(),
                _ => ANY,
            };
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.of_type(name, schema, place),
            Some(Value::Array(names)) => match names.as_slice() {
                [Value::String(name), null] if null == "null" => self.of_type(name, schema, place).optional(),
                _ => ANY,
            },
            _ => ANY,
        }
    }

    fn of_type(&mut self, name: &str, schema: &Value, place: &SchemaPlace) -> RustType {
        match name {
            "boolean" => RustType::Plain("bool"),
            // `f64` for both precisions, so a number is written as it was read.
            "number" => RustType::Plain("f64"),
            "integer" => RustType::Plain(match schema.get("format").and_then(Value::as_str) {
                Some("int32") => "i32",
                _ => "i64",
            }),
            "string" => match schema.get("enum").and_then(Value::as_array) {
                Some(values) => self.enumeration(schema, values, place),
                None => RustType::Plain("String"),
            },
            "array" => {
                let items = schema.get("items").map_or(ANY, |items| self.rust_type(items, &place.within("Item")));
                RustType::List(Box::new(items))
            }
            "object" if schema.get("properties").is_some() || (place.is_own && !is_map(schema)) => {
                self.object(schema, None, place)
            }
            "object" => {
                let values = schema.get("additionalProperties").filter(|_| is_map(schema));
                let values = values.map_or(ANY, |values| self.rust_type(values, &place.within("Value")));
                RustType::Map(Box::new(values))
            }
            _ => ANY,
        }
    }

    /// Returns the Rust type of a component. If `tag` is a discriminator, the type omits this property.
    fn component(&mut self, name: &str, tag: Option<&str>) -> RustType {
        let key = (name.to_owned(), tag.map(str::to_owned));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let Some(schema) = self.components.get(name).cloned() else { return ANY };
        let fills_defaults = self.sides.get(name).is_some_and(|sides| !sides.contains(&SchemaSide::Output));
        let Some(own) = self.component_names.get(name).cloned() else {
            // If a component refers only to itself, its type is any value.
            self.known.insert(key.clone(), ANY);
            let rust_type =
                self.rust_type(&schema, &SchemaPlace { name: type_name(name), is_own: false, fills_defaults });
            self.known.insert(key, rust_type.clone());
            return rust_type;
        };
        let is_taken = self.known.keys().any(|(known, _)| known == name);
        let own = if is_taken { self.names.take(&own) } else { own };
        // The name is stored before the parts are visited, because the parts may refer to it.
        self.known.insert(key, RustType::Named(own.clone()));
        let place = SchemaPlace { name: own.clone(), is_own: true, fills_defaults };
        if tag.is_none() {
            return self.rust_type(&schema, &place);
        }
        self.object(&schema, tag, &place)
    }

    fn enumeration(&mut self, schema: &Value, values: &[Value], place: &SchemaPlace) -> RustType {
        let texts: Vec<_> = values.iter().filter_map(Value::as_str).collect();
        if texts.is_empty() || texts.len() < values.len() {
            return ANY;
        }
        let variants = names::variants(texts.iter().copied()).into_iter().zip(texts.iter().map(ToString::to_string));
        let kind = ItemKind::Enumeration(variants.collect());
        self.add(schema, kind, place)
    }

    fn union(&mut self, schema: &Value, variants: &Value, place: &SchemaPlace) -> RustType {
        let tag = schema.pointer("/discriminator/propertyName").and_then(Value::as_str);
        let mapping = schema.pointer("/discriminator/mapping").and_then(Value::as_object);
        let (Some(tag), Some(mapping)) = (tag, mapping.filter(|mapping| !mapping.is_empty())) else { return ANY };
        if variants.as_array().is_none_or(|variants| variants.len() != mapping.len()) {
            return ANY;
        }
        let identifiers = names::variants(mapping.keys().map(String::as_str));
        let variants = identifiers.into_iter().zip(mapping).map(|(identifier, (value, uri))| {
            let rust_type = uri.as_str().map_or(ANY, |uri| self.component(component_of(uri), Some(tag)));
            UnionVariant { identifier, value: value.clone(), rust_type }
        });
        let kind = ItemKind::Union { variants: variants.collect(), tag: tag.to_owned() };
        self.add(schema, kind, place)
    }

    fn object(&mut self, schema: &Value, tag: Option<&str>, place: &SchemaPlace) -> RustType {
        let kind = ItemKind::Struct { fields: self.fields(schema, tag, place), of: StructOf::Bag };
        self.add(schema, kind, place)
    }

    /// Converts the properties of an object to struct fields. The discriminator `tag` is omitted.
    pub(super) fn fields(&mut self, schema: &Value, tag: Option<&str>, place: &SchemaPlace) -> Vec<StructField> {
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let properties: Vec<_> = properties.filter(|(name, _)| Some(name.as_str()) != tag).collect();
        let required = schema.get("required").and_then(Value::as_array);
        let required: BTreeSet<_> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        let identifiers = names::fields(properties.iter().map(|(name, _)| name.as_str()));
        let fields = identifiers.into_iter().zip(properties).map(|(identifier, (name, property))| {
            let rust_type = self.rust_type(property, &place.within(&type_name(name)));
            let is_filled = place.fills_defaults && property.get("default").is_some();
            let is_left_out = !required.contains(name.as_str()) && !is_filled;
            StructField {
                docs: docs(property, || format!("The property {}.", code(name))),
                identifier,
                name: name.clone(),
                rust_type: if is_left_out { rust_type.optional() } else { rust_type },
                is_left_out,
            }
        });
        fields.collect()
    }

    /// Adds a generated type and returns a reference to it. If an equal type was already added for a place with the
    /// same name, returns a reference to the existing type.
    fn add(&mut self, schema: &Value, kind: ItemKind, place: &SchemaPlace) -> RustType {
        let docs = docs(schema, || format!("The shape {}.", code(&place.name)));
        let mut name = place.name.clone();
        if !place.is_own {
            let known = self.by_place.entry(place.name.clone()).or_default();
            let equal = known.iter().filter_map(|position| self.items.get(*position)).find(|item| item.kind == kind);
            if let Some(equal) = equal {
                return RustType::Named(equal.name.clone());
            }
            known.push(self.items.len());
            name = self.names.take(&place.name);
        }
        self.items.push(RustItem { name: name.clone(), docs, kind });
        RustType::Named(name)
    }
}

/// Removes the suffix `Input` and the mode from a component name, so `PetCreateInput` becomes `Pet`.
fn without_side_and_mode(name: &str) -> &str {
    let name = name.strip_suffix("Input").unwrap_or(name);
    let without = Mode::ALL.iter().find_map(|mode| name.strip_suffix(mode.name()));
    without.filter(|name| !name.is_empty()).unwrap_or(name)
}

/// Generates the doc comment for the type of a schema.
pub(super) fn docs(schema: &Value, otherwise: impl FnOnce() -> String) -> Vec<String> {
    let text = |keyword| schema.get(keyword).and_then(Value::as_str);
    let found = comment(text("description").or_else(|| text("title")), &facts(schema));
    if found.is_empty() { comment(None, &[otherwise()]) } else { found }
}

/// Records each component that a schema refers to, and whether requests or responses use it.
fn collect(
    schema: &Value,
    side: SchemaSide,
    components: &BTreeMap<String, Arc<Value>>,
    sides: &mut BTreeMap<String, BTreeSet<SchemaSide>>,
) {
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        if let Some(name) = referred(schema)
            && let Some((name, component)) = components.get_key_value(name)
            && sides.entry(name.clone()).or_default().insert(side)
        {
            open.push(component);
        }
        match schema {
            Value::Object(members) => open.extend(members.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

/// Returns `true` if a schema needs a separate generated type.
fn has_type_of_its_own(schema: &Value) -> bool {
    let is_of = |name: &str| schema.get("type").is_some_and(|found| found == name);
    schema.get("discriminator").is_some()
        || (is_of("string") && schema.get("enum").is_some())
        || (is_of("object") && (!is_map(schema) || schema.get("properties").is_some()))
}

fn is_map(schema: &Value) -> bool {
    schema.get("additionalProperties").is_some_and(Value::is_object)
}

fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str).map(component_of)
}

fn component_of(uri: &str) -> &str {
    uri.strip_prefix("#/components/schemas/").unwrap_or(uri)
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|found| found == "null")
}
