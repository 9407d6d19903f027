//! Describes values, and objects that are declared at run time.

#[cfg(feature = "rust_decimal")]
#[doc(inline)]
pub use restwright_schema::decimal;
#[doc(inline)]
pub use restwright_schema::{
    Bag, BagError, BagView, Changes, Checks, Code, CompiledSchema, Format, HasCharacters, HasItems, HasProperties,
    HasRange, HasScale, HasSize, HasUniqueItems, Invalid, MapKey, Mode, Number, OneOf, Patch, Property,
    PropertyCollection, ReadError, Registry, Schema, SchemaObject, SchemaSide, SchemaType, Typed, Violation,
    Violations, any, any_of, array, boolean, date, date_time, enumeration, file, file_stream, float32, int32, int64,
    integer, map, number, object, one_of, reference, string, tuple, typed, typed_schema, uint32, uint64, uuid,
};
#[cfg(feature = "validator")]
#[doc(inline)]
pub use restwright_schema::{Failures, FieldFailures, HasFailures};
