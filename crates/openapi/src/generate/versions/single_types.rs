//! Restricts each operation in a document to one success type and one problem type, and each body to one media type.

use std::collections::BTreeMap;
use std::sync::Arc;

use restwright_runtime::Api;
use restwright_runtime::core::Problem;
use restwright_runtime::core::operation::{MediaTypeObject, OrReference, ResponseObject};
use restwright_runtime::core::problem::define_shape;
use restwright_runtime::core::runtime::SharedErrorForm;
use restwright_runtime::core::schema::SchemaSide;
use serde_json::Value;

use super::losses::Losses;
use crate::generate::{ByName, Document};

/// Simplifies a document for client generators that support only one type per operation.
pub(super) fn apply(api: &Api, document: &mut Document, losses: &mut Losses) {
    let Document { paths, components, .. } = document;
    let problem = &any_problem(api, &mut components.schemas);
    for (_, response) in components.responses.iter_mut() {
        simplify(response, problem, losses);
    }
    for operation in paths.iter_mut().flat_map(|(_, item)| item.operations_mut()) {
        if let Some(body) = &mut operation.request_body {
            keep_one(&mut body.content, losses);
        }
        for response in operation.responses.iter_mut().filter_map(OrReference::inline_mut) {
            simplify(response, problem, losses);
        }
        keep_one_success(&mut operation.responses, &components.responses, losses);
        keep_problems(&mut operation.responses, &components.responses, &problem.name, losses);
    }
    // The schemas of individual problems are no longer used.
    let all = std::mem::take(&mut components.schemas);
    let rest = serde_json::to_value(&*document).unwrap_or_default();
    add_referenced(&rest, &all, &mut document.components.schemas);
}

/// Adds the general problem schema to the components, and returns a response body with this schema.
fn any_problem(api: &Api, components: &mut BTreeMap<String, Arc<Value>>) -> MediaTypeObject<Value> {
    let form = api.configuration().configured_error_form();
    let mut registry = api.registry().clone();
    let schema = match form {
        Some(form) => form.define(&mut registry),
        None => define_shape(&mut registry),
    };
    let schema = registry.json_schema(&schema, SchemaSide::Output, None);
    for (name, component) in registry.into_components() {
        components.entry(name).or_insert(component);
    }
    MediaTypeObject::new(form.map_or(Problem::MEDIA_TYPE, SharedErrorForm::media_type)).schema(schema)
}

/// Copies the components that `part` refers to, directly or indirectly, from `all` to `added`.
fn add_referenced(part: &Value, all: &BTreeMap<String, Arc<Value>>, added: &mut BTreeMap<String, Arc<Value>>) {
    match part {
        Value::String(uri) => {
            let component = uri.strip_prefix("#/components/schemas/").and_then(|name| all.get_key_value(name));
            if let Some((name, component)) = component.filter(|(name, _)| !added.contains_key(*name)) {
                added.insert(name.clone(), component.clone());
                add_referenced(component, all, added);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_referenced(item, all, added)),
        Value::Object(members) => members.values().for_each(|member| add_referenced(member, all, added)),
        _ => {}
    }
}

fn simplify(response: &mut ResponseObject<Value>, problem: &MediaTypeObject<Value>, losses: &mut Losses) {
    keep_one(&mut response.content, losses);
    for content in response.content.iter_mut().filter(|content| content.name == problem.name) {
        if content.schema != problem.schema {
            content.schema.clone_from(&problem.schema);
            losses.add("status and codes in the schema of a problem");
        }
    }
}

/// Removes all media types of a body except for JSON. If the body has no JSON, keeps the first media type.
fn keep_one(content: &mut Vec<MediaTypeObject<Value>>, losses: &mut Losses) {
    let kept = content.iter().position(|one| one.name == "application/json").unwrap_or(0);
    for _ in 1..content.len() {
        losses.add("media types of a body after the first");
    }
    *content = content.drain(..).skip(kept).take(1).collect();
}

type ResponseOrReference = OrReference<ResponseObject<Value>>;

/// Removes success responses whose type differs from the first success response with a body.
fn keep_one_success(
    responses: &mut Vec<ResponseOrReference>,
    components: &ByName<ResponseObject<Value>>,
    losses: &mut Losses,
) {
    let types: Vec<_> =
        responses.iter().filter(|one| one.key().starts_with('2')).map(|one| content(one, components)).collect();
    let Some(kept) = types.iter().find(|content| !content.is_empty()).or(types.first()).map(|kept| kept.to_vec())
    else {
        return;
    };
    retain(
        responses,
        |one| !one.key().starts_with('2') || same_type(content(one, components), &kept),
        || {
            losses.add("responses of success with another type");
        },
    );
}

/// Removes all error responses whose body is not a problem.
fn keep_problems(
    responses: &mut Vec<ResponseOrReference>,
    components: &ByName<ResponseObject<Value>>,
    media_type: &str,
    losses: &mut Losses,
) {
    let is_problem =
        |one: &ResponseOrReference| content(one, components).iter().any(|content| content.name == media_type);
    retain(
        responses,
        |one| !one.key().starts_with(['4', '5']) || is_problem(one),
        || {
            losses.add("responses of failure that are not a problem");
        },
    );
}

fn retain(
    responses: &mut Vec<ResponseOrReference>,
    keep: impl Fn(&ResponseOrReference) -> bool,
    mut lose: impl FnMut(),
) {
    responses.retain(|one| {
        let kept = keep(one);
        if !kept {
            lose();
        }
        kept
    });
}

fn same_type(left: &[MediaTypeObject<Value>], right: &[MediaTypeObject<Value>]) -> bool {
    let types = |content: &[MediaTypeObject<Value>]| content.first().map(|one| (one.name.clone(), one.schema.clone()));
    types(left) == types(right)
}

/// Returns the media types of a response, which may be a reference to a component.
fn content<'r>(
    response: &'r ResponseOrReference,
    components: &'r ByName<ResponseObject<Value>>,
) -> &'r [MediaTypeObject<Value>] {
    let component = |uri: &str| components.get(uri.rsplit('/').next()?);
    match response {
        OrReference::Inline(response) => &response.content,
        OrReference::Reference(reference) => component(reference.uri()).map_or(&[], |response| &response.content),
    }
}
