//! Renders the operations of an OpenAPI document.

use restwright_runtime::core::operation::{FailureResponse, HeaderObject, MediaTypeObject, Operation, OrReference};
use serde_json::{Value, json};

use super::failure::reason;
use super::versions::OpenApiVersion;
use super::{Generator, header};

/// The extension that describes the items of a stream in documents before OpenAPI 3.2.
pub(super) const ITEM_SCHEMA: &str = "x-itemSchema";

impl Generator<'_> {
    /// Renders an operation with its schemas. Its error responses and its common headers become references to
    /// components.
    pub(super) fn operation(
        &mut self,
        declared: &Operation,
        failures: &[(String, FailureResponse)],
        own_headers: &[&HeaderObject],
    ) -> Operation<Value> {
        let mut operation = declared.render(&mut |used, description| self.render(used, description));
        operation.summary.get_or_insert_with(|| words(&declared.id));
        operation.extensions.retain(|name, _| name.starts_with("x-"));
        let bodies = operation.request_body.iter_mut().map(|body| &mut body.content);
        let responses = operation.responses.iter_mut().filter_map(OrReference::inline_mut);
        let contents = bodies.chain(responses.map(|response| &mut response.content)).flatten();
        contents.for_each(|content| {
            describe_items(content, self.version);
            describe_bytes(content);
        });
        let common: Vec<_> = own_headers.iter().map(|header| self.shared_header(header)).collect();
        for response in operation.responses.iter_mut().filter_map(OrReference::inline_mut) {
            response.description.get_or_insert_with(|| reason(response.status));
            let own = std::mem::take(&mut response.headers);
            response.headers.extend(own.into_iter().map(|header| self.component_header(header)));
            header::add(response, &common);
        }
        if !own_headers.is_empty() {
            // Success responses also list these headers themselves, because client generators read them there.
            let names = own_headers.iter().map(|header| Value::from(header.name.as_str())).collect();
            operation.extensions.insert("x-response-headers".to_owned(), names);
        }
        let references = failures.iter().map(|(name, failure)| OrReference::Reference(self.failure(name, failure)));
        operation.responses.extend(references);
        operation
    }
}

/// Writes the schema of the items of a stream as `itemSchema`, or before OpenAPI 3.2 as the extension `x-itemSchema`.
///
/// The item of server-sent events is an object with the fields of an event, whose `data` contains JSON (OpenAPI 3.2, section
/// 4.14.4.1.2).
fn describe_items(content: &mut MediaTypeObject<Value>, version: OpenApiVersion) {
    let Some(data) = content.item_schema.take() else { return };
    let item = if content.name == "text/event-stream" {
        json!({
            "type": "object",
            "required": ["data"],
            "properties": {
                "id": { "type": "string" },
                "event": { "type": "string" },
                "retry": { "type": "integer", "minimum": 0 },
                "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": data },
            },
        })
    } else {
        data
    };
    if version == OpenApiVersion::V3_2 {
        content.item_schema = Some(item);
    } else {
        content.extensions.insert(ITEM_SCHEMA.to_owned(), item);
    }
}

/// Adds a string schema to a body without a schema, because client generators expect a schema. If the media type is not
/// text, the schema contains `format: binary`. A JSON body without a schema may be any value and stays unchanged.
fn describe_bytes(content: &mut MediaTypeObject<Value>) {
    let essence = content.name.split(';').next().unwrap_or_default().trim();
    let is_json = essence.ends_with("/json") || essence.ends_with("+json");
    if content.schema.is_none() && content.item_schema.is_none() && !is_json {
        let is_text = essence.starts_with("text/") || essence.ends_with("-text") || essence.ends_with("/jsonl");
        let schema =
            if is_text { json!({ "type": "string" }) } else { json!({ "type": "string", "format": "binary" }) };
        content.schema = Some(schema);
    }
}

/// Derives a summary from an operation id, such as `Create pet` from `createPet`.
fn words(id: &str) -> String {
    id.chars().enumerate().fold(String::new(), |mut words, (position, character)| {
        if position == 0 {
            words.extend(character.to_uppercase());
        } else if character.is_uppercase() {
            words.push(' ');
            words.extend(character.to_lowercase());
        } else {
            words.push(if character == '_' { ' ' } else { character });
        }
        words
    })
}

#[cfg(test)]
mod tests {
    use restwright_runtime::core::operation::MediaTypeObject;
    use serde_json::json;

    #[test]
    fn describes_bodies_without_a_schema_as_text_or_bytes() {
        let [text, bytes] = [json!({ "type": "string" }), json!({ "type": "string", "format": "binary" })].map(Some);
        for (media_type, expected) in [
            ("application/octet-stream", bytes.clone()),
            ("*/*", bytes),
            ("text/plain; charset=utf-8", text.clone()),
            ("application/openmetrics-text; version=1.0.0", text),
            ("application/json", None),
            ("application/merge-patch+json", None),
        ] {
            let mut content = MediaTypeObject::new(media_type);
            super::describe_bytes(&mut content);
            assert_eq!(content.schema, expected, "{media_type}");
        }
    }

    #[test]
    fn derives_a_summary_from_the_id() {
        for (id, summary) in [("createPet", "Create pet"), ("list_pets", "List pets"), ("", "")] {
            assert_eq!(super::words(id), summary);
        }
    }
}
