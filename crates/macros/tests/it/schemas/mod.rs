//! `#[derive(Schema)]`: what is published, and what is read.

use restwright::Schema;
use restwright::schema::{ReadError, Registry, SchemaSide};
use serde::de::DeserializeOwned;
use serde_json::Value;

mod changes;
mod checks;
mod enums;
mod foreign;
mod generics;
mod serde_attributes;
mod structs;
mod unions;
mod validator;
mod values;

/// The schema of a face; the named schemas that it refers to are under their names.
pub(crate) fn published<T: Schema>(face: SchemaSide) -> Value {
    let mut registry = Registry::new();
    let kind = T::schema_type(&mut registry);
    registry.json_schema(&kind, face, None);
    assert_eq!(registry.errors(), [""; 0]);
    serde_json::to_value(registry.components()).unwrap()
}

/// Reads a text, and returns the value or what is wrong with it.
pub(crate) fn read<T: Schema + DeserializeOwned>(json: &str) -> Result<T, Vec<String>> {
    let mut registry = Registry::new();
    let kind = T::schema_type(&mut registry);
    let shape = registry.compile(&kind, SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);
    shape.read(json.as_bytes(), 100).map_err(|error| match error {
        ReadError::Violations(violations) => {
            violations.iter().map(|violation| format!("{} {}", violation.pointer, violation.code.as_str())).collect()
        }
        error => panic!("not JSON: {error}"),
    })
}

/// The mistakes that show when the shape is compiled.
pub(crate) fn start_errors<T: Schema>() -> Vec<String> {
    let mut registry = Registry::new();
    let kind = T::schema_type(&mut registry);
    registry.compile(&kind, SchemaSide::Input, None);
    registry.errors().to_vec()
}
