//! From the operations of an Api to its document.

mod by_name;
mod document;
mod failure;
mod header;
mod operation;
mod security;

use restwright_runtime::Api;
use restwright_runtime::core::operation::SchemaUse;
use restwright_runtime::core::problem::define_shape;
use restwright_runtime::core::schema::{Registry, SchemaSide};
use serde_json::Value;

pub use by_name::ByName;
pub use document::{Components, Document, Info, PathItem, Server, Tag};
use failure::FailureComponents;
use header::CommonHeader;

fn document(api: &Api) -> Document {
    let configuration = api.configuration();
    let mut generator = Generator::new(api);
    let mut document = Document {
        openapi: "3.1.0",
        info: Info {
            title: configuration.name().to_owned(),
            version: configuration.version().to_owned(),
            description: configuration.values().description.clone(),
        },
        servers: servers(&configuration.values().servers),
        tags: Vec::new(),
        paths: ByName::default(),
        components: Components::default(),
    };
    for declared in api.operations() {
        for name in &declared.tags {
            if !document.tags.iter().any(|tag| tag.name == *name) {
                document.tags.push(Tag { name: name.clone() });
            }
        }
        let path: &mut PathItem = document.paths.get_or_insert_with(&declared.path, PathItem::default);
        if let Some(place) = path.operation_mut(&declared.method) {
            *place = Some(generator.operation(declared));
        }
    }
    document.components = generator.finish(api);
    document
}

/// Without a declared address the service is where the document is.
fn servers(urls: &[String]) -> Vec<Server> {
    if urls.is_empty() {
        return vec![Server { url: "/".to_owned() }];
    }
    urls.iter().map(|url| Server { url: url.clone() }).collect()
}

/// The state that operations share while they are rendered.
struct Generator {
    registry: Registry,
    components: Components,
    common_headers: Vec<CommonHeader>,
    failures: FailureComponents,
}

impl Generator {
    fn new(api: &Api) -> Self {
        let mut registry = api.registry().clone();
        let problem = match api.configuration().configured_error_form() {
            Some(form) => form.define(&mut registry),
            None => define_shape(&mut registry),
        };
        let problem = registry.json_schema(&problem, SchemaSide::Output, None);
        Self {
            registry,
            components: Components::default(),
            common_headers: Vec::new(),
            failures: FailureComponents::new(problem, api),
        }
    }

    fn finish(mut self, api: &Api) -> Components {
        for (name, scheme) in api.security_schemes() {
            let scheme = security::with_scopes(scheme, &security::required_scopes(api, &name));
            self.components.security_schemes.get_or_insert_with(&name, || scheme);
        }
        Components { schemas: self.registry.components(), ..self.components }
    }
}

/// Renders the schema of an object that is described and marked as deprecated itself, so that its schema is not.
fn render(registry: &mut Registry, used: &SchemaUse, description: Option<&str>) -> Value {
    let mut schema = registry.json_schema(&used.schema, used.side, used.mode);
    if let Some(schema) = schema.as_object_mut() {
        if schema.get("description").and_then(Value::as_str) == description {
            schema.remove("description");
        }
        schema.remove("deprecated");
    }
    schema
}
