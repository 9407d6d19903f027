//! Describes the shape of values, and reads values by their description.
//!
//! A [`Schema`] describes a Rust type in the [`Registry`], and a [`PropertyCollection`] describes an object at run time.
//! The registry compiles these descriptions to [`CompiledSchema`]s, which read values, and publishes them as JSON Schema.
//! These parts need each other, so they are in one folder.

#[macro_use]
mod schema_methods;

mod changes;
mod checks;
mod closest;
mod collection;
mod compiled_schema;
mod constructors;
#[cfg(feature = "validator")]
mod failures;
mod form;
mod guide;
mod map_key;
mod markers;
mod node;
mod normal;
mod patch;
mod property;
mod registry;
mod schema;
mod schema_object;
mod schema_type;
mod text;
mod typed;
mod walk;
mod withheld;

pub use changes::Changes;
pub use checks::{Checks, Invalid};
pub use collection::PropertyCollection;
pub use compiled_schema::{CompiledSchema, ReadError};
#[cfg(feature = "rust_decimal")]
pub use constructors::decimal;
pub use constructors::{
    any, any_of, array, boolean, date, date_time, enumeration, file, file_stream, float32, int32, int64, integer, map,
    number, object, one_of, reference, string, tuple, uint32, uint64, uuid,
};
#[cfg(feature = "validator")]
pub use failures::{Failures, FieldFailures, HasFailures};
pub use form::{CsvColumn, FormValue};
pub use map_key::MapKey;
pub use markers::{HasCharacters, HasItems, HasProperties, HasRange, HasScale, HasSize, HasUniqueItems};
pub use patch::Patch;
pub use property::Property;
pub use registry::{Definition, Registry};
pub use schema::Schema;
pub use schema_object::SchemaObject;
pub use schema_type::{FileRules, OneOf, SchemaType};
pub use typed::{Typed, TypedSchema, typed, typed_schema};
pub use withheld::Withheld;

pub(crate) use node::{CompiledNodes, Node, NodeForm};
pub(crate) use schema_type::boolean::BooleanType;
#[cfg(feature = "chrono")]
pub(crate) use schema_type::date_time::DateTimeType;
#[cfg(any(feature = "chrono", feature = "jiff"))]
pub(crate) use schema_type::date_time::{LOCAL_DATE_TIME, LOCAL_TIME};
pub(crate) use schema_type::integer::IntegerType;
pub(crate) use schema_type::number::NumberType;
#[cfg(feature = "jiff")]
pub(crate) use schema_type::string::DURATION;
pub(crate) use schema_type::string::StringType;
