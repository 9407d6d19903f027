//! Generates the OpenAPI document of an Api from its operations.

mod by_name;
mod document;
mod failure;
mod header;
mod operation;
mod security;
mod used;
pub(crate) mod versions;

use restwright_runtime::Api;
use restwright_runtime::core::operation::{Operation, SchemaUse, ServerObject, TagObject};
use restwright_runtime::core::runtime::Unwatched;
use restwright_runtime::core::schema::{Registry, SchemaSide};
use serde_json::Value;

pub use by_name::ByName;
pub use document::{Components, Document, Info, PathItem};
use failure::{ErrorResponses, KnownFailures};
use header::SharedHeader;
use used::UsedSchemas;
use versions::OpenApiVersion;

/// Creates the OpenAPI document of an Api. Operations with methods that `version` does not support are omitted.
pub(crate) fn document(api: &Api, version: OpenApiVersion) -> Document {
    let configuration = api.configuration();
    let values = configuration.values();
    let operations: Vec<_> = api.operations().filter(|operation| version.describes(&operation.method)).collect();
    let headers_of_all = header::of_all(&operations);
    let mut generator = Generator::new(api, version);
    let (mut known_failures, mut planned) = (KnownFailures::default(), Vec::new());
    for &declared in &operations {
        let (failures, headers) = (known_failures.of_operation(declared), header::own(declared, &headers_of_all));
        for (name, failure) in &*failures {
            let component = generator.failures.get_or_insert_with(name, Default::default);
            component.add(failure);
        }
        planned.push((declared, failures, headers));
    }
    let mut document = Document {
        openapi: if version == OpenApiVersion::V3_2 { "3.2.0" } else { "3.1.0" },
        info: Info {
            title: configuration.name().to_owned(),
            version: configuration.version().to_owned(),
            description: values.description.clone(),
            terms_of_service: values.terms_of_service.clone(),
            contact: values.contact.clone(),
            license: values.license.clone(),
        },
        external_docs: values.external_documentation.clone(),
        servers: servers(&values.servers),
        tags: tags(api, &operations),
        paths: ByName::default(),
        response_headers: ByName::default(),
        components: Components::default(),
    };
    for header in headers_of_all {
        let rendered = generator.header(header);
        document.response_headers.get_or_insert_with(&header.name, || rendered);
    }
    for (declared, failures, headers) in &planned {
        let path: &mut PathItem = document.paths.get_or_insert_with(&declared.path, PathItem::default);
        path.insert(generator.operation(declared, failures, headers));
    }
    generator.failure_components();
    document.components = generator.finish();
    document
}

/// Returns the declared servers. If no server is declared, returns `/`, which is the origin that serves the document.
fn servers(declared: &[ServerObject]) -> Vec<ServerObject> {
    if declared.is_empty() { vec![ServerObject::new("/")] } else { declared.to_vec() }
}

/// Returns the tags of operations in the order of their first use. Tags that only health checks and metrics use are last,
/// because readers look for the application. Their modules are registered first, with their middlewares.
fn tags(api: &Api, operations: &[&Operation]) -> Vec<TagObject> {
    let unwatched = api.routes().filter(|route| route.kept::<Unwatched>().is_some());
    let unwatched: Vec<_> = unwatched.map(|route| route.operation().id.as_str()).collect();
    let (last, first): (Vec<&Operation>, Vec<_>) =
        operations.iter().copied().partition(|operation| unwatched.contains(&operation.id.as_str()));
    let mut tags: Vec<TagObject> = Vec::new();
    for tag in first.into_iter().chain(last).flat_map(|operation| &operation.tags) {
        match tags.iter_mut().find(|known| known.name == tag.name) {
            Some(known) if known.description.is_none() => *known = tag.clone(),
            Some(_) => {}
            None => tags.push(tag.clone()),
        }
    }
    tags
}

/// The state of the generator while it renders the operations of an Api.
struct Generator<'a> {
    api: &'a Api,
    version: OpenApiVersion,
    registry: Registry,
    components: Components,
    shared_headers: Vec<SharedHeader>,
    failures: ErrorResponses,
    used: UsedSchemas,
}

impl<'a> Generator<'a> {
    fn new(api: &'a Api, version: OpenApiVersion) -> Self {
        Self {
            api,
            version,
            registry: api.registry().clone(),
            components: Components::default(),
            shared_headers: Vec::new(),
            failures: ErrorResponses::default(),
            used: UsedSchemas::default(),
        }
    }

    fn finish(mut self) -> Components {
        for (name, scheme) in self.api.security_schemes() {
            let scheme = security::with_scopes(scheme, &security::required_scopes(self.api, &name));
            self.components.security_schemes.get_or_insert_with(&name, || scheme);
        }
        Components { schemas: self.used.components(self.registry.into_components()), ..self.components }
    }

    /// Renders the schema of a parameter, header or body. These objects already contain `description` and `deprecated`,
    /// so the schema omits both.
    fn render(&mut self, used: &SchemaUse, description: Option<&str>) -> Value {
        let mut schema = self.registry.json_schema(&used.schema, used.side, used.mode);
        match (used.is_stored, used.side) {
            (true, SchemaSide::Input) => self.used.add_stored(&mut schema),
            // The pattern is needed only for strings that clients send.
            (true, SchemaSide::Output) => self.used.add_sent(&schema),
            (false, _) => self.used.add_other(&schema),
        }
        if let Some(schema) = schema.as_object_mut() {
            if schema.get("description").and_then(Value::as_str) == description {
                schema.remove("description");
            }
            schema.remove("deprecated");
        }
        schema
    }
}
