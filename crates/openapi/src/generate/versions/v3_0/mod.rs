//! Converts a document from OpenAPI 3.1 to OpenAPI 3.0.3.

mod keywords;
mod rules;
mod schema;
#[cfg(test)]
mod tests;

use restwright_runtime::core::operation::{
    LicenseObject, MessagesObject, Operation, OrReference, Reference, ResponseObject, SecurityRequirement,
    SecurityScheme,
};
use serde_json::Value;

use super::losses::Losses;
use crate::generate::operation::ITEM_SCHEMA;
use crate::generate::{ByName, Document};
use schema::Conversion;

/// Converts a document from OpenAPI 3.1 to OpenAPI 3.0.3, and records the losses.
pub(super) fn convert(document: &mut Document, losses: &mut Losses) {
    document.openapi = "3.0.3";
    let mut conversion = Conversion::of_components(&mut document.components.schemas, losses);
    let schemes = &document.components.security_schemes;
    let mut schemas: Vec<&mut Value> = Vec::new();
    if let Some(license) = &mut document.info.license {
        without_identifier(license, conversion.losses);
    }
    for operation in document.paths.iter_mut().flat_map(|(_, item)| item.operations_mut()) {
        operation.responses.iter_mut().for_each(|response| plain(response, conversion.losses));
        without_items(operation, conversion.losses);
        schemas.extend(operation.parameters.iter_mut().map(|parameter| &mut parameter.schema));
        let bodies = operation.request_body.iter_mut().flat_map(|body| &mut body.content);
        schemas.extend(bodies.filter_map(|content| content.schema.as_mut()));
        schemas.extend(operation.responses.iter_mut().filter_map(OrReference::inline_mut).flat_map(of_response));
        schemas.extend(operation.messages.iter_mut().flat_map(MessagesObject::schemas_mut));
        without_roles(&mut operation.security, schemes, conversion.losses);
    }
    schemas.extend(document.components.responses.iter_mut().flat_map(|(_, response)| of_response(response)));
    let headers = document.components.headers.iter_mut().chain(document.response_headers.iter_mut());
    schemas.extend(headers.map(|(_, header)| &mut header.schema));
    for schema in schemas {
        conversion.replace(schema);
    }
}

/// Returns mutable references to the schemas of a response's headers and bodies.
fn of_response(response: &mut ResponseObject<Value>) -> impl Iterator<Item = &mut Value> {
    let headers = response.headers.iter_mut().filter_map(OrReference::inline_mut).map(|header| &mut header.schema);
    headers.chain(response.content.iter_mut().filter_map(|content| content.schema.as_mut()))
}

/// Replaces the SPDX identifier of a licence with its URL at spdx.org, unless the licence has a URL. Removes any other
/// SPDX expression.
fn without_identifier(license: &mut LicenseObject, losses: &mut Losses) {
    let Some(identifier) = license.identifier.take() else { return };
    let is_listed = !identifier.contains(' ') && !identifier.contains("LicenseRef-");
    if is_listed && license.url.is_none() {
        license.url = Some(format!("https://spdx.org/licenses/{identifier}.html"));
    } else if identifier != license.name {
        losses.add(format!("the SPDX expression of the licence, `{identifier}`"));
    }
}

/// Removes the schemas of the items of streams, because their `contentSchema` does not exist in OpenAPI 3.0.
fn without_items(operation: &mut Operation<Value>, losses: &mut Losses) {
    let bodies = operation.request_body.iter_mut().map(|body| &mut body.content);
    let responses = operation.responses.iter_mut().filter_map(OrReference::inline_mut);
    for content in bodies.chain(responses.map(|response| &mut response.content)).flatten() {
        if content.extensions.remove(ITEM_SCHEMA).is_some() {
            losses.add("the schema of the items of a stream");
        }
    }
}

/// Removes the description of a reference to a response, because OpenAPI 3.0 ignores members next to `$ref`.
fn plain(response: &mut OrReference<ResponseObject<Value>>, losses: &mut Losses) {
    let OrReference::Reference(reference) = &*response else { return };
    if reference.description().is_some() {
        let name = reference.uri().rsplit('/').next().unwrap_or_default();
        *response = OrReference::Reference(Reference::component(response.key(), "responses", name));
        losses.add("codes of an operation that shares a response of failure with others");
    }
}

/// Removes required scopes from security requirements, except for OAuth 2.0 and OpenID Connect schemes. In OpenAPI 3.0,
/// other schemes cannot have scopes.
fn without_roles(alternatives: &mut Vec<SecurityRequirement>, schemes: &ByName<SecurityScheme>, losses: &mut Losses) {
    for (name, scopes) in alternatives.iter_mut().flat_map(|requirement| &mut requirement.schemes) {
        let has_scopes =
            matches!(schemes.get(name), Some(SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. }));
        if !has_scopes && !scopes.is_empty() {
            scopes.clear();
            losses.add("scopes that an operation requires of a scheme other than OAuth 2.0 and OpenID Connect");
        }
    }
    // Alternatives that differed only by these scopes are now equal.
    let mut kept: Vec<SecurityRequirement> = Vec::new();
    alternatives.retain(|one| {
        let is_new = !kept.contains(one);
        kept.push(one.clone());
        is_new
    });
}
