//! Converts operations with their parameters and bodies to okapi's types.

use okapi::openapi3::{self, Object, ParameterValue, RefOr};
use restwright_runtime::core::operation::{Operation, ParameterObject, ParameterStyle, RequestBodyObject};
use serde_json::Value;

use super::media_type::{content, examples};
use super::{response, schema};

pub(crate) fn operation(operation: &Operation<Value>) -> openapi3::Operation {
    let security = operation.security.iter().map(|requirement| requirement.schemes.clone().into_iter().collect());
    let messages = operation.messages.as_ref().and_then(|messages| serde_json::to_value(messages).ok());
    let messages = messages.map(|messages| ("x-websocket".to_owned(), messages));
    openapi3::Operation {
        tags: operation.tags.iter().map(|tag| tag.name.clone()).collect(),
        summary: operation.summary.clone(),
        description: operation.description.clone(),
        operation_id: Some(operation.id.clone()),
        parameters: operation.parameters.iter().map(|one| RefOr::Object(parameter(one))).collect(),
        request_body: operation.request_body.as_ref().map(|body| RefOr::Object(request_body(body))),
        responses: response::responses(&operation.responses),
        deprecated: operation.deprecated,
        security: Some(security.collect()),
        extensions: operation.extensions.clone().into_iter().chain(messages).collect(),
        ..openapi3::Operation::default()
    }
}

fn parameter(parameter: &ParameterObject<Value>) -> openapi3::Parameter {
    let (style, explode) = match parameter.style {
        ParameterStyle::Comma => (Some(openapi3::ParameterStyle::Form), Some(false)),
        _ => (None, None),
    };
    openapi3::Parameter {
        name: parameter.name.clone(),
        location: parameter.location.as_str().to_owned(),
        description: parameter.description.clone(),
        required: parameter.required,
        deprecated: parameter.deprecated,
        allow_empty_value: false,
        value: ParameterValue::Schema {
            style,
            explode,
            allow_reserved: false,
            schema: schema::object(&parameter.schema),
            example: None,
            examples: examples(&parameter.examples),
        },
        extensions: Object::default(),
    }
}

fn request_body(body: &RequestBodyObject<Value>) -> openapi3::RequestBody {
    openapi3::RequestBody {
        description: body.description.clone(),
        content: content(&body.content),
        required: body.required,
        extensions: Object::default(),
    }
}
