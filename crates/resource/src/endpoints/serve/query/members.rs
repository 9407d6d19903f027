//! [`Members`], the members of the body of a `QUERY` request.

use restwright_core::http::Query;
use restwright_core::operation::{Operation, ParameterLocation, ParameterObject, ParameterStyle};
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{
    Code, CompiledSchema, Property, PropertyCollection, Registry, SchemaObject, SchemaSide, Violation, pointer_to,
};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::endpoints::read::parameter_text::parameter_text;

const FILTER: &str = "filter";

/// The members of a body, except `filter`. Each is a query parameter of the same list in a `GET`.
pub(super) struct Members {
    list: Vec<Member>,
    object: CompiledSchema,
}

struct Member {
    name: String,
    /// The schema of the value. It accepts any name in an array, because the known names depend on the caller.
    schema: CompiledSchema,
}

/// The members of one body.
pub(super) struct ReadMembers {
    /// The members as query parameters, or `None` if the body is not an object.
    pub(super) parameters: Option<Query>,
    pub(super) is_valid: bool,
}

/// Returns the JSON text of the filter in a body, which is valid JSON. Returns `None` without a filter.
pub(super) fn filter_text(body: &[u8]) -> Option<Box<RawValue>> {
    #[derive(Deserialize)]
    struct Body {
        #[serde(default, deserialize_with = "some")]
        filter: Option<Box<RawValue>>,
    }
    /// Reads null as a filter, which is a violation.
    fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
        Deserialize::deserialize(deserializer).map(Some)
    }
    serde_json::from_slice::<Body>(body).ok()?.filter
}

/// Returns the parameters in the query string of an operation that are not filters.
fn parameters(described: &Operation) -> impl Iterator<Item = &ParameterObject> {
    let is_member =
        |parameter: &&ParameterObject| parameter.location == ParameterLocation::Query && parameter.flat.is_none();
    described.parameters.iter().filter(is_member)
}

/// Adds the members to the schema of the body.
pub(super) fn schema(
    collection: PropertyCollection,
    filter: Option<PropertyCollection>,
    described: &Operation,
) -> PropertyCollection {
    let filter = filter.map(|filter| {
        Property::new(FILTER, filter).optional().description("The conditions that the items must satisfy.")
    });
    let members = parameters(described).map(|parameter| {
        let property = Property::new(parameter.name.clone(), parameter.schema.schema.clone()).optional();
        let description = match parameter.name.as_str() {
            "order_by" => Some(
                "The order of the items: fields by precedence. A `-` before a field sorts it in descending order. Null is the smallest value.",
            ),
            "include" => Some("The related entities to embed. You need the access to read them at their own path."),
            _ => parameter.description.as_deref(),
        };
        description.into_iter().fold(property, |property, text| property.description(text))
    });
    let collection = collection.closed().description("A part of a list: its filter, order and position.");
    filter.into_iter().chain(members).fold(collection, PropertyCollection::property)
}

impl Members {
    pub(super) fn new(described: &Operation, registry: &mut Registry) -> Self {
        let members = parameters(described).map(|parameter| {
            let schema = match parameter.style {
                ParameterStyle::Comma => SchemaObject::array(SchemaObject::string()).min_items(1),
                _ => parameter.schema.schema.clone(),
            };
            Member { name: parameter.name.clone(), schema: registry.compile(schema, SchemaSide::Input, None) }
        });
        let list = members.collect();
        Self { list, object: registry.compile(PropertyCollection::new(""), SchemaSide::Input, None) }
    }

    /// Reads the members of a body, except the filter. The values are checked again when the parameters are read.
    pub(super) fn read(&self, json: &Json, has_filter: bool, violations: &mut RequestViolations) -> ReadMembers {
        let mut read = ReadMembers { parameters: None, is_valid: true };
        let Some(members) = json.as_object() else {
            let found = self.object.check_value(json, 1).err().unwrap_or_default();
            violations.extend(ViolationLocation::Body, "", found);
            return ReadMembers { is_valid: false, ..read };
        };
        let mut pairs = Vec::new();
        for (name, value) in members {
            if has_filter && name == FILTER {
                continue;
            }
            let pointer = pointer_to(name);
            let Some(member) = self.list.iter().find(|member| member.name == *name) else {
                read.is_valid = false;
                violations.push_with(ViolationLocation::Body, || {
                    let known: Vec<_> = has_filter
                        .then_some(FILTER)
                        .into_iter()
                        .chain(self.list.iter().map(|one| &*one.name))
                        .collect();
                    let message = format!("is not a known property; known properties are {}", known.join(", "));
                    Violation::new(pointer, Code::UNKNOWN_PROPERTY, message)
                });
                continue;
            };
            match (member.schema.check_value(value, violations.remaining()), value) {
                (Ok(()), Json::Array(items)) => {
                    pairs.extend(items.iter().map(|item| (&*member.name, parameter_text(item))))
                }
                (Ok(()), value) => pairs.push((&*member.name, parameter_text(&member.schema.project_value(value)))),
                (Err(found), _) => {
                    read.is_valid = false;
                    violations.extend(ViolationLocation::Body, &pointer, found);
                }
            }
        }
        read.parameters = Some(Query::from_pairs(pairs));
        read
    }
}

/// Returns the parameters without a cursor.
pub(super) fn without_cursor(parameters: &Query) -> Query {
    let mut pairs = Vec::new();
    parameters.claim_each(|name, value| {
        if name != "cursor" {
            pairs.push((name, value));
        }
        false
    });
    Query::from_pairs(pairs)
}
