//! From the operations of an Api to its document.

mod body;
mod failure;
mod operation;
mod parameter;
mod response;
mod security;

use restwright_core::Api;
use restwright_core::operation::SchemaUse;
use restwright_core::schema::{Registry, SchemaSide};
use serde_json::Value;

use crate::document::{Components, Document, Info, PathItem, Server, Tag};
use failure::Failures;

pub(crate) fn document(api: &Api) -> Document {
    let configuration = api.configuration();
    let mut writer = Writer::new(api);
    let mut document = Document {
        openapi: "3.1.0",
        info: Info {
            title: configuration.name().to_owned(),
            version: configuration.version().to_owned(),
            description: configuration.description_text().map(str::to_owned),
        },
        servers: servers(configuration.servers()),
        tags: Vec::new(),
        paths: Default::default(),
        components: Components::default(),
    };
    for described in api.operations() {
        let operation = writer.operation(described);
        for name in &operation.tags {
            if !document.tags.iter().any(|tag| tag.name == *name) {
                document.tags.push(Tag { name: name.clone() });
            }
        }
        let path: &mut PathItem = document.paths.entry(described.path.clone()).or_default();
        if let Some(place) = path.operation_mut(described.method.as_str()) {
            *place = Some(operation);
        }
    }
    document.components = writer.finish(api);
    document
}

/// Without a declared address the service is where the document is.
fn servers(urls: &[String]) -> Vec<Server> {
    if urls.is_empty() {
        return vec![Server { url: "/".to_owned() }];
    }
    urls.iter().map(|url| Server { url: url.clone() }).collect()
}

/// What several operations share while they are written.
struct Writer {
    registry: Registry,
    components: Components,
    failures: Failures,
}

impl Writer {
    fn new(api: &Api) -> Self {
        let mut registry = api.registry().clone();
        let problem = restwright_core::problem::define_shape(&mut registry);
        let problem = registry.json_schema(&problem, SchemaSide::Output, None);
        Self { registry, components: Components::default(), failures: Failures::new(problem) }
    }

    fn schema(&mut self, used: &SchemaUse) -> Value {
        self.registry.property_schema(&used.property, used.side, used.mode)
    }

    /// The schema of something that is described and marked as deprecated beside it, not inside it.
    fn bare_schema(&mut self, used: &SchemaUse, description: Option<&str>) -> Value {
        let mut schema = self.schema(used);
        if let Some(schema) = schema.as_object_mut() {
            if schema.get("description").and_then(Value::as_str) == description {
                schema.remove("description");
            }
            schema.remove("deprecated");
        }
        schema
    }

    fn finish(self, api: &Api) -> Components {
        let schemes = api.security_schemes().into_iter().map(|(name, scheme)| {
            let required = security::required_scopes(api, &name);
            (name, security::scheme(scheme, &required))
        });
        Components { schemas: self.registry.components(), security_schemes: schemes.collect(), ..self.components }
    }
}
