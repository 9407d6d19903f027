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

mod bag;
mod code;
mod constraint;
mod decimal;
mod document;
mod equality;
#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "rust_decimal",
    feature = "time",
    feature = "url",
    feature = "uuid"
))]
mod foreign;
mod format;
mod formats;
mod json;
mod json_patch;
mod mode;
mod multiple;
mod number;
mod number_tokens;
mod path;
mod pattern;
mod pending_violation;
mod reader;
mod shape;
mod standard;
mod steps;
mod violation;

pub use bag::{Bag, BagError, BagView};
pub use code::Code;
pub use format::Format;
pub use json_patch::{JsonPatch, PatchError, PatchErrorKind};
pub use mode::{Mode, Modes, SchemaSide};
pub use number::{Number, compare_integer_with_float};
pub use path::pointer_to;
pub use violation::{DEFAULT_MAX_VIOLATIONS, Violation, Violations};

#[cfg(feature = "rust_decimal")]
pub use shape::decimal;
pub use shape::{
    Changes, Checks, CompiledSchema, CsvColumn, Definition, FileRules, FormValue, HasCharacters, HasItems,
    HasProperties, HasRange, HasScale, HasSize, HasUniqueItems, Invalid, MapKey, OneOf, Patch, Property,
    PropertyCollection, ReadError, Registry, Schema, SchemaObject, SchemaType, Typed, TypedSchema, Withheld, any,
    any_of, array, boolean, date, date_time, enumeration, file, file_stream, float32, int32, int64, integer, map,
    number, object, one_of, reference, string, tuple, typed, typed_schema, uint32, uint64, uuid,
};
#[cfg(feature = "validator")]
pub use shape::{Failures, FieldFailures, HasFailures};
