//! `#[schema(validator)]`: the failures of `validator::Validate` as violations.

use restwright::Schema;
use restwright::schema::{ReadError, Registry, SchemaSide, Violations};
use serde::de::DeserializeOwned;

mod codes;
mod http;
mod places;

/// Reads a text, and returns its violations: pointer, code, params and message.
fn violations<T: Schema + DeserializeOwned>(json: &str) -> Vec<String> {
    let mut registry = Registry::new();
    let kind = T::schema_type(&mut registry);
    let schema = registry.compile(&kind, SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);
    match schema.read::<T>(json.as_bytes(), 100) {
        Ok(_) => Vec::new(),
        Err(ReadError::Violations(violations)) => written(&violations),
        Err(error) => panic!("not JSON: {error}"),
    }
}

fn written(violations: &Violations) -> Vec<String> {
    let written = violations.iter().map(|found| {
        let params = serde_json::to_string(&found.params).unwrap();
        format!("{} {} {params} {}", found.pointer, found.code.as_str(), found.message)
    });
    written.collect()
}
