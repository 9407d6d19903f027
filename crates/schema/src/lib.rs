//! Schemas for JSON values. The schema that validates a value is also published as JSON Schema.
//!
//! A schema belongs to a Rust type that implements [`Schema`], or to a [`PropertyCollection`] that is created at run
//! time. A [`Registry`] contains both. It compiles them into [`CompiledSchema`]s for reading, and publishes them as
//! JSON Schema 2020-12.
//!
//! serde reads a JSON text once into the user's type, and each value is checked before the type receives it. If
//! something is wrong, the text is read again with the same checks, to report every [`Violation`] with its JSON
//! Pointer.
//!
//! This crate is independent of HTTP. The derives are in `restwright-macros`.

#[macro_use]
mod schema_methods;

mod bag;
mod changes;
mod checks;
mod closest;
mod code;
mod collection;
mod compiled_schema;
mod constraint;
mod constructors;
mod decimal;
mod document;
mod equality;
#[cfg(feature = "validator")]
mod failures;
#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "rust_decimal",
    feature = "time",
    feature = "url",
    feature = "uuid"
))]
mod foreign;
mod form;
mod format;
mod formats;
mod guide;
mod json;
mod json_patch;
mod map_key;
mod markers;
mod mode;
mod multiple;
mod node;
mod normal;
mod number;
mod number_tokens;
mod patch;
mod path;
mod pattern;
mod pending_violation;
mod property;
mod reader;
mod registry;
mod schema;
mod schema_object;
mod schema_type;
mod standard;
mod steps;
mod text;
mod typed;
mod violation;
mod walk;

pub use schema::Schema;

pub use collection::PropertyCollection;
#[cfg(feature = "rust_decimal")]
pub use constructors::decimal;
pub use constructors::{
    any, any_of, array, boolean, date, date_time, enumeration, file, file_stream, float32, int32, int64, integer, map,
    number, object, one_of, reference, string, tuple, uint32, uint64, uuid,
};
pub use form::{CsvColumn, FormValue};
pub use format::Format;
pub use mode::{Mode, Modes, SchemaSide};
pub use number::{Number, compare_integer_with_float};
pub use property::Property;
pub use schema_object::SchemaObject;
pub use schema_type::{FileRules, OneOf, SchemaType};
pub use typed::{Typed, TypedSchema, typed, typed_schema};

pub use map_key::MapKey;
pub use markers::{HasCharacters, HasItems, HasProperties, HasRange, HasScale, HasSize, HasUniqueItems};

pub use compiled_schema::{CompiledSchema, ReadError};
pub use registry::{Definition, Registry};

pub use bag::{Bag, BagError, BagView};
pub use changes::Changes;
pub use checks::{Checks, Invalid};
pub use code::Code;
#[cfg(feature = "validator")]
pub use failures::{Failures, FieldFailures, HasFailures};
pub use json_patch::{JsonPatch, PatchError, PatchErrorKind};
pub use patch::Patch;
pub use path::pointer_to;
pub use violation::{DEFAULT_MAX_VIOLATIONS, Violation, Violations};
