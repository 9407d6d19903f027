//! Converts the OpenAPI document of an Api to the types of the crate okapi. okapi can then merge it with another
//! document.

mod media_type;
mod operation;
mod response;
mod schema;
mod security;

use okapi::Map;
use okapi::openapi3;
use restwright_openapi::{ByName, Document, Info, PathItem};
use restwright_runtime::core::operation::{ExternalDocumentationObject, ServerObject, TagObject};

/// Converts a document to the types of the crate okapi 0.7. A program can then merge the document with another
/// document.
///
/// Create the document in [version 3.0](restwright_openapi::OpenApiVersion::V3_0), which is the version that okapi models. As
/// JSON, the value of okapi equals `document`, except for limits of okapi's types:
///
/// - Bounds and steps of numbers are 64-bit floats: `1` is written as `1.0`, and integers beyond 2^53 are rounded.
/// - `required` is a set, so its names are in alphabetical order.
/// - Limits on lengths, items or properties above 4,294,967,295 are omitted.
/// - An OAuth 2.0 scheme has one flow. The first declared flow in this order is kept: `authorizationCode`,
///   `clientCredentials`, `implicit`, `password`.
///
/// The types of okapi contain exclusive bounds as numbers, as in OpenAPI 3.1. This function writes them as booleans,
/// as in OpenAPI 3.0, in the `extensions` of the schema.
///
/// ```
/// use restwright_okapi::to_okapi;
/// use restwright_openapi::{Document, DocumentOptions, OpenApiVersion};
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
/// let document = Document::with_options(&api, &DocumentOptions::new(OpenApiVersion::V3_0));
/// assert_eq!(to_okapi(&document).info.title, "animals");
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[must_use]
pub fn to_okapi(document: &Document) -> openapi3::OpenApi {
    let components = &document.components;
    let components = openapi3::Components {
        schemas: components.schemas.iter().map(|(name, schema)| (name.clone(), schema::object(schema))).collect(),
        responses: by_name(&components.responses, |response| response::response(response).into()),
        headers: by_name(&components.headers, |header| response::header(header).into()),
        security_schemes: by_name(&components.security_schemes, |scheme| security::scheme(scheme).into()),
        ..openapi3::Components::default()
    };
    openapi3::OpenApi {
        openapi: document.openapi.to_owned(),
        info: info(&document.info),
        servers: document.servers.iter().map(server).collect(),
        paths: by_name(&document.paths, path_item),
        components: (!document.components.is_empty()).then_some(components),
        tags: document.tags.iter().map(tag).collect(),
        security: Vec::new(),
        external_docs: document.external_docs.as_ref().map(external_docs),
        extensions: extensions(document),
    }
}

fn extensions(document: &Document) -> openapi3::Object {
    let headers = (!document.response_headers.is_empty()).then_some(&document.response_headers);
    let headers = headers.and_then(|headers| serde_json::to_value(headers).ok());
    headers.into_iter().map(|headers| ("x-response-headers".to_owned(), headers)).collect()
}

fn by_name<T, U>(objects: &ByName<T>, convert: impl Fn(&T) -> U) -> Map<String, U> {
    objects.iter().map(|(name, object)| (name.to_owned(), convert(object))).collect()
}

fn info(info: &Info) -> openapi3::Info {
    openapi3::Info {
        title: info.title.clone(),
        description: info.description.clone(),
        terms_of_service: info.terms_of_service.clone(),
        contact: info.contact.as_ref().map(|contact| openapi3::Contact {
            name: Some(contact.name.clone()),
            url: contact.url.clone(),
            email: contact.email.clone(),
            ..openapi3::Contact::default()
        }),
        license: info.license.as_ref().map(|license| openapi3::License {
            name: license.name.clone(),
            url: license.url.clone(),
            ..openapi3::License::default()
        }),
        version: info.version.clone(),
        ..openapi3::Info::default()
    }
}

fn external_docs(documentation: &ExternalDocumentationObject) -> openapi3::ExternalDocs {
    openapi3::ExternalDocs {
        description: documentation.description.clone(),
        url: documentation.url.clone(),
        ..openapi3::ExternalDocs::default()
    }
}

fn server(server: &ServerObject) -> openapi3::Server {
    openapi3::Server { url: server.url.clone(), description: server.description.clone(), ..openapi3::Server::default() }
}

fn tag(tag: &TagObject) -> openapi3::Tag {
    openapi3::Tag {
        name: tag.name.clone(),
        description: tag.description.clone(),
        external_docs: tag.external_docs.as_ref().map(external_docs),
        ..openapi3::Tag::default()
    }
}

fn path_item(item: &PathItem) -> openapi3::PathItem {
    let [get, head, post, put, patch, delete, options, trace] =
        [&item.get, &item.head, &item.post, &item.put, &item.patch, &item.delete, &item.options, &item.trace]
            .map(|declared| declared.as_ref().map(operation::operation));
    openapi3::PathItem { get, head, post, put, patch, delete, options, trace, ..openapi3::PathItem::default() }
}
