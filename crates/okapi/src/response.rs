//! Converts responses with their headers and links to okapi's types.

use okapi::openapi3::{self, Object, ParameterValue, Ref, RefOr};
use restwright_runtime::core::operation::{HeaderObject, LinkObject, OrReference, ResponseObject};
use serde_json::Value;

use super::media_type::content;
use super::schema;

pub(crate) fn responses(responses: &[OrReference<ResponseObject<Value>>]) -> openapi3::Responses {
    let responses = responses.iter().map(|one| (one.key().to_owned(), or_reference(one, response)));
    openapi3::Responses { responses: responses.collect(), ..openapi3::Responses::default() }
}

pub(crate) fn response(response: &ResponseObject<Value>) -> openapi3::Response {
    openapi3::Response {
        description: response.description.clone().unwrap_or_default(),
        headers: response.headers.iter().map(|one| (one.key().to_owned(), or_reference(one, header))).collect(),
        content: content(&response.content),
        links: response.links.iter().map(|one| (one.name.clone(), RefOr::Object(link(one)))).collect(),
        extensions: Object::default(),
    }
}

pub(crate) fn header(header: &HeaderObject<Value>) -> openapi3::Header {
    openapi3::Header {
        description: header.description.clone(),
        required: header.required,
        deprecated: false,
        allow_empty_value: false,
        value: ParameterValue::Schema {
            style: None,
            explode: None,
            allow_reserved: false,
            schema: schema::object(&header.schema),
            example: None,
            examples: None,
        },
        extensions: Object::default(),
    }
}

fn link(link: &LinkObject) -> openapi3::Link {
    openapi3::Link {
        operation_id: Some(link.operation_id.clone()),
        parameters: link.parameters.clone().into_iter().collect(),
        description: link.description.clone(),
        ..openapi3::Link::default()
    }
}

fn or_reference<T, U>(object: &OrReference<T>, convert: impl FnOnce(&T) -> U) -> RefOr<U> {
    match object {
        OrReference::Inline(object) => RefOr::Object(convert(object)),
        OrReference::Reference(reference) => RefOr::Ref(Ref { reference: reference.uri().to_owned() }),
    }
}
