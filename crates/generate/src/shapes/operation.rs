//! Generates types for the requests and responses of one operation.

use restwright_runtime::core::operation::{
    HeaderObject, MediaTypeObject, Operation, ParameterLocation, ParameterObject, ResponseObject, RunTimeShapes,
};
use restwright_runtime::core::schema::{Registry, SchemaSide};
use serde_json::{Map, Value, json};

use super::UsedSchema;
use super::docs::{code, comment};
use super::item::{ItemKind, RustItem, RustType, StructField, StructOf};
use super::names;
use super::types::{RustTypes, SchemaPlace};

/// An operation with the JSON Schemas that the application declares at run time.
#[derive(Debug)]
pub(super) struct DeclaredOperation {
    id: String,
    /// The schemas of the parameters, as one object schema per location such as `query`.
    parameters: Vec<(&'static str, Value)>,
    /// The schema of the request body, and `true` if the body is optional.
    body: Option<(Value, bool)>,
    responses: Vec<DeclaredResponse>,
    /// An object schema whose properties are the filter fields.
    filters: Value,
    sort_fields: Vec<String>,
}

#[derive(Debug)]
struct DeclaredResponse {
    status: u16,
    description: Option<String>,
    /// An object schema whose properties are the response headers.
    headers: Value,
    body: Option<Value>,
}

const PARTS: [(ParameterLocation, &str); 4] = [
    (ParameterLocation::Path, "path"),
    (ParameterLocation::Query, "query"),
    (ParameterLocation::Header, "headers"),
    (ParameterLocation::Cookie, "cookies"),
];

impl DeclaredOperation {
    pub(super) fn new(operation: &Operation, registry: &mut Registry) -> Self {
        let RunTimeShapes { input, output, filters, sort_fields, entity, .. } = &operation.run_time;
        let rendered = operation.render(&mut |used, _| registry.json_schema(&used.schema, used.side, used.mode));
        let in_path = rendered.parameters.iter().filter(|parameter| parameter.location == ParameterLocation::Path);
        let in_path = || in_path.map(|parameter| (parameter.location, parameter.name.clone())).collect();
        let input = input.clone().or_else(|| entity.as_ref().map(|_| in_path()));
        let parameters = input.iter().flat_map(|names| {
            let is_declared = |parameter: &&ParameterObject<Value>| {
                names.iter().any(|(location, name)| *location == parameter.location && *name == parameter.name)
            };
            let declared: Vec<_> = rendered.parameters.iter().filter(is_declared).collect();
            PARTS.map(|(location, part)| {
                let of_location = declared.iter().filter(|parameter| parameter.location == location);
                (part, object(of_location.map(|parameter| parameter_property(parameter))))
            })
        });
        let parameters = parameters.filter(|(_, object)| !is_empty(object)).collect();
        let body = rendered.request_body.as_ref().filter(|_| input.is_some());
        let body = body.and_then(|body| Some((json_schema(&body.content)?, !body.required)));
        let responses = rendered.inline_responses().filter(|response| match output {
            Some(statuses) => statuses.contains(&response.status),
            None => entity.is_some() && response.status.is_success(),
        });
        let responses = responses.map(DeclaredResponse::new).collect();
        let filters = object(filters.iter().map(|property| {
            // Filter conditions never compare with null, so the schema does not allow null.
            let schema = registry.json_schema(property.schema_type(), SchemaSide::Input, None);
            (property.name().to_owned(), described(&schema, property.description_text()), true)
        }));
        Self { id: operation.id.clone(), parameters, body, responses, filters, sort_fields: sort_fields.clone() }
    }

    /// Returns all schemas of the operation, each marked as the schema of a request or of a response.
    pub(super) fn schemas(&self) -> impl Iterator<Item = UsedSchema<'_>> {
        let parameters = self.parameters.iter().map(|(_, schema)| schema);
        let input = parameters.chain(self.body.iter().map(|(schema, _)| schema)).chain([&self.filters]);
        let output = self.responses.iter().flat_map(|response| response.body.iter().chain([&response.headers]));
        input.map(|schema| (schema, SchemaSide::Input)).chain(output.map(|schema| (schema, SchemaSide::Output)))
    }

    /// Generates the types of the operation and the types that they refer to.
    pub(super) fn items(&self, types: &mut RustTypes) -> Vec<RustItem> {
        let mut items = self.request(types);
        for response in &self.responses {
            items.extend(self.response(response, types));
        }
        items.extend(self.filters(types));
        items.extend(self.sort(types));
        items
    }

    fn request(&self, types: &mut RustTypes) -> Vec<RustItem> {
        if self.parameters.is_empty() && self.body.is_none() {
            return Vec::new();
        }
        let mut parts = Vec::new();
        let mut fields = Vec::new();
        let name = types.take_name(&format!("{}-Request", self.id));
        for (part, object) in &self.parameters {
            let docs = comment(None, &[format!("The values of {} in {}.", code(&self.id), place(part))]);
            let item = self.part(part, docs, object, SchemaSide::Input, types);
            fields.push(part_field(
                part,
                &format!("The values in {}.", place(part)),
                RustType::Named(item.name.clone()),
            ));
            parts.push(item);
        }
        if let Some((schema, is_optional)) = &self.body {
            let rust_type = types.rust_type(schema, &SchemaPlace::new(self.name("Body"), SchemaSide::Input));
            let rust_type = if *is_optional { rust_type.optional() } else { rust_type };
            fields.push(part_field("body", "The body.", rust_type));
        }
        let docs = comment(None, &[format!("A request of {}.", code(&self.id))]);
        let request = RustItem { name, docs, kind: ItemKind::Struct { fields, of: StructOf::Request } };
        [request].into_iter().chain(parts).collect()
    }

    fn response(&self, response: &DeclaredResponse, types: &mut RustTypes) -> Vec<RustItem> {
        let DeclaredResponse { status, description, headers, body } = response;
        let mut parts = Vec::new();
        let mut fields = Vec::new();
        let name = types.take_name(&format!("{}-Response{status}", self.id));
        if !is_empty(headers) {
            let docs = comment(None, &[format!("The headers of the response {status} of {}.", code(&self.id))]);
            let item = self.part(&format!("headers{status}"), docs, headers, SchemaSide::Output, types);
            fields.push(part_field("headers", "The headers.", RustType::Named(item.name.clone())));
            parts.push(item);
        }
        if let Some(schema) = body {
            let place = SchemaPlace::new(self.name(&format!("Body{status}")), SchemaSide::Output);
            fields.push(part_field("body", "The body.", types.rust_type(schema, &place)));
        }
        let facts = [format!("The response {status} of {}.", code(&self.id))];
        let docs = comment(description.as_deref(), &facts);
        let response = RustItem { name, docs, kind: ItemKind::Struct { fields, of: StructOf::Response(*status) } };
        [response].into_iter().chain(parts).collect()
    }

    fn part(&self, part: &str, docs: Vec<String>, object: &Value, side: SchemaSide, types: &mut RustTypes) -> RustItem {
        let name = types.take_name(&format!("{}-{part}", self.id));
        let fields = types.fields(object, None, &SchemaPlace::new(name.clone(), side));
        RustItem { name, docs, kind: ItemKind::Struct { fields, of: StructOf::Bag } }
    }

    fn filters(&self, types: &mut RustTypes) -> Option<RustItem> {
        if is_empty(&self.filters) {
            return None;
        }
        let name = types.take_name(&format!("{}-Filters", self.id));
        let fields = types.fields(&self.filters, None, &SchemaPlace::new(name.clone(), SchemaSide::Input));
        let docs = comment(None, &[format!("The filters of {}.", code(&self.id))]);
        Some(RustItem { name, docs, kind: ItemKind::Filters(fields) })
    }

    fn sort(&self, types: &mut RustTypes) -> Option<RustItem> {
        if self.sort_fields.is_empty() {
            return None;
        }
        let name = types.take_name(&format!("{}-Sort", self.id));
        let variants = names::variants(self.sort_fields.iter().map(String::as_str));
        let docs = comment(None, &[format!("The fields that {} can be sorted by.", code(&self.id))]);
        Some(RustItem {
            name,
            docs,
            kind: ItemKind::Sort(variants.into_iter().zip(self.sort_fields.clone()).collect()),
        })
    }

    fn name(&self, part: &str) -> String {
        names::type_name(&format!("{}-{part}", self.id))
    }
}

impl DeclaredResponse {
    fn new(response: &ResponseObject<Value>) -> Self {
        Self {
            status: response.status.as_u16(),
            description: response.description.clone(),
            headers: object(response.inline_headers().map(header_property)),
            body: json_schema(&response.content),
        }
    }
}

fn part_field(identifier: &str, description: &str, rust_type: RustType) -> StructField {
    StructField {
        docs: comment(Some(description), &[]),
        identifier: identifier.to_owned(),
        name: identifier.to_owned(),
        rust_type,
        is_left_out: false,
    }
}

fn place(part: &str) -> &'static str {
    match part {
        "path" => "the path",
        "query" => "the query string",
        "headers" => "the headers",
        _ => "the cookies",
    }
}

/// A property of an object schema, with its name, its schema, and `true` if the property is required.
pub(super) type ObjectProperty = (String, Value, bool);

pub(super) fn object(properties: impl Iterator<Item = ObjectProperty>) -> Value {
    let (mut members, mut required) = (Map::new(), Vec::new());
    for (name, schema, is_required) in properties {
        if is_required {
            required.push(name.clone());
        }
        members.insert(name, schema);
    }
    json!({ "type": "object", "properties": members, "required": required })
}

fn is_empty(object: &Value) -> bool {
    object.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty)
}

fn parameter_property(parameter: &ParameterObject<Value>) -> ObjectProperty {
    let schema = described(&parameter.schema, parameter.description.as_deref());
    (parameter.name.clone(), schema, parameter.required)
}

fn header_property(header: &HeaderObject<Value>) -> ObjectProperty {
    (header.name.clone(), described(&header.schema, header.description.as_deref()), header.required)
}

pub(super) fn described(schema: &Value, description: Option<&str>) -> Value {
    let mut schema = schema.clone();
    if let (Some(members), Some(description)) = (schema.as_object_mut(), description) {
        members.insert("description".to_owned(), description.into());
    }
    schema
}

fn json_schema(content: &[MediaTypeObject<Value>]) -> Option<Value> {
    content.iter().find(|content| content.name == "application/json").and_then(|content| content.schema.clone())
}
