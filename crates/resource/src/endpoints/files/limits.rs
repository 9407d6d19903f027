//! Defines [`FileLimits`], the constraints of a file.

use std::time::Duration;

use restwright_core::Route;
use restwright_core::schema::{CompiledSchema, FileRules, Property, Registry, SchemaObject, SchemaSide};

/// The deadline of an upload, without the time that its size adds.
const DEADLINE: Duration = Duration::from_secs(30);

/// The rate in bytes per second at which a client can upload the largest file before the deadline.
const RATE: u64 = 128 * 1024;

/// The constraints of a file: its maximum size and its media types.
pub(super) struct FileLimits {
    file: Property,
    schema: CompiledSchema,
}

impl FileLimits {
    /// Compiles the constraints of a file. The registry reports constraints that are wrong.
    pub(super) fn new(file: Property, registry: &mut Registry) -> Self {
        // A compiled schema finds constraints by the name of a field, such as the index of an item.
        let files = SchemaObject::array(file.schema().clone());
        Self { schema: registry.compile(files, SchemaSide::Input, None), file }
    }

    pub(super) fn rules(&self) -> Option<FileRules<'_>> {
        self.schema.file_rules("0")
    }

    /// Sets the body limit of an upload to the maximum size of the file, and its deadline to a time in which it can be uploaded.
    pub(super) fn apply(&self, route: Route) -> Route {
        let route = route.with(self.file.clone());
        let Some(most) = self.rules().and_then(|rules| rules.max_size) else { return route };
        let deadline = DEADLINE + Duration::from_secs(most / RATE);
        route.body_limit(usize::try_from(most).unwrap_or(usize::MAX)).deadline(deadline)
    }

    /// Returns the accepted media types, or `*/*` if all are accepted.
    pub(super) fn media_types(&self) -> Vec<String> {
        let accepted = self.rules().and_then(|rules| rules.accepted()).unwrap_or_else(|| "*/*".to_owned());
        accepted.split(", ").map(str::to_owned).collect()
    }
}
