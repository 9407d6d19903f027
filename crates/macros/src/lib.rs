//! Provides the derives `Schema`, `Request`, `Part`, `Response`, `Problem`, `Filters`, `Sort`, `Record` and `Resource`.
//!
//! Each derive parses and checks its input, then emits small impls of public traits, like handwritten ones. All errors
//! are reported together, each at its span. The emitted code uses the path `::restwright`, or the path that `crate =
//! ".."` sets.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

#[macro_use]
mod emit;

mod case;
mod crate_path;
mod docs;
mod errors;
mod fields;
mod filters;
mod generated_type;
mod marker;
mod message;
mod part;
mod plan;
mod problem;
mod property;
mod record;
mod request;
mod resource;
mod response;
mod schema;
mod serde_attributes;
mod settings;
mod sort;
mod status;
mod suggest;
mod types;
mod value;

/// Implements `Schema`, which describes the JSON that serde reads and writes for a type.
///
/// A struct with named fields is an object. A newtype struct has the schema of its inner type. A unit enum is an
/// enumeration. An enum with `#[serde(tag = "..")]` is a `oneOf` of objects. The schema has the name of the type,
/// followed by the names of its type arguments: `Page<Pet>` is `PagePet`. Doc comments become descriptions, and
/// `#[deprecated]` is published.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/schema.md"))]
///
/// # `#[property(..)]` on a field
///
/// A constraint that does not fit the field's type does not compile. `Option` and `Patch` accept the constraints of
/// their inner type.
///
/// | setting | on | meaning |
/// |---|---|---|
/// | `min_length = 1`, `max_length = 100` | strings | the minimum and maximum number of characters |
/// | `pattern = "^[0-9]{5}$"` | strings | a regular expression, in the subset of ECMA-262 that `Property::pattern` documents |
/// | `format = "email"` | strings | `email`, `uri`, `hostname`, `ipv4`, `ipv6`, `base64`, or the path of a custom `Format` |
/// | `minimum = 1`, `maximum = 9`, `exclusive_minimum = 0`, `exclusive_maximum = 1` | numbers | inclusive and exclusive bounds |
/// | `multiple_of = 0.5` | numbers | the step, greater than 0 |
/// | `min_items = 1`, `max_items = 10` | lists | the minimum and maximum number of items |
/// | `unique_items` | lists | all items are different |
/// | `items(..)` | lists | the same settings for each item |
/// | `min_properties = 1`, `max_properties = 10` | maps | the minimum and maximum number of entries |
/// | `values(..)` | maps | the same settings for each value |
/// | `max_size = 5_000_000`, `accept = "image/*"` | files | the maximum size in bytes, and the media types; with `check_content`, of the content too |
/// | `constant = "pet"` | any | the only allowed value |
/// | `default = 20` | any | the value if the property is missing: a number, string, boolean, `null`, `[]`, or any `Into<serde_json::Value>` |
/// | `validate = path` | any | a custom check, `fn(&T) -> Result<(), E>` with `E: Into<Invalid>`. It receives the value inside `Option` and `Patch`, and does not run on a missing value |
/// | `read_only` | any | only in responses. A type that is also read needs `#[serde(skip_deserializing)]` or `#[serde(default)]` too |
/// | `write_only` | any | only in requests |
/// | `title = ".."`, `description = ".."` | any | strings for the document; `description` replaces the doc comment |
/// | `example = ".."` | any | an example; may be repeated |
/// | `deprecated` | any | marks the property as deprecated, like Rust's `#[deprecated]` |
///
/// # `#[schema(..)]` on the type
///
/// | setting | meaning |
/// |---|---|
/// | `name = "Animal"` | the name of the schema instead of the type's name; type arguments are appended |
/// | `as = String` | on a newtype: a type with the same JSON, whose schema replaces the schema of the inner type. Use it for types of other crates, and with serde's `with` |
/// | `changes`, `changes = "PetUpdate"`, `changes(name = "PetUpdate", derive(Clone))` | generates the type of a partial update, `PetChanges`; see below |
/// | `closed_recursively` | on a struct: requests with unknown properties are rejected, also in nested types; applies to `changes` too |
/// | `title = ".."`, `description = ".."` | strings for the document; `description` replaces the doc comment |
/// | `validate = path` | a check across fields, `fn(&Self) -> Result<(), E>` with `E: Into<Invalid>` |
/// | `validator` | runs the checks of `validator::Validate`; requires the feature `validator` |
/// | `crate = "web"` | the path of restwright, see below |
///
/// Custom checks run only if all other constraints hold. No check runs on a field that is not read.
/// With the feature `list`, lists can filter and sort by unit enums and newtype structs: the derive implements
/// `FieldValue` for them.
///
/// # A renamed dependency
///
/// The emitted code uses the path `::restwright`. If your crate depends on restwright under another name, or only on
/// the crates below the facade, set another path with `crate`. Each derive has this setting in its own attribute:
/// `#[schema(crate = "..")]`, `#[request(crate = "..")]`, `#[part(..)]`, `#[response(..)]`, `#[problem(..)]`,
/// `#[filter(..)]`, `#[sort(..)]`, `#[record(..)]` and `#[resource(..)]`.
///
/// With `web = { package = "restwright", version = "0.1" }` in Cargo.toml, write `#[schema(crate = "web")]`. A crate
/// that depends only on `restwright-core` and `restwright-macros` needs a module with the derives, and with the crates
/// that they name in a module `derived`:
///
/// ```
/// mod contracts {
///     pub use restwright_macros::Schema;
///
///     pub mod derived {
///         pub use restwright_core as core;
///         pub use restwright_core::schema;
///     }
/// }
///
/// #[derive(contracts::Schema)]
/// #[schema(crate = "crate::contracts")]
/// struct Pet {
///     name: String,
/// }
/// # fn main() {}
/// ```
///
/// # Partial updates
///
/// `#[schema(changes)]` on a struct with named fields generates a second struct. It has a [`Patch`] for each field that
/// clients may set, with the same name, constraints and description. A missing property does not change the field.
/// `null` clears an `Option`, or sets the field to its default (serde's or the property's); without a default it is a
/// violation. A field whose type also has `#[schema(changes)]` is merged (RFC 7396). All other values are replaced.
/// `apply` returns a changed copy and runs the struct's checks on it:
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/schema_changes.md"))]
///
/// The type derives `Clone`, `Default`, `Deserialize`, `Schema` and the traits in `derive(..)`. An `Option` behind a
/// type alias is replaced.
///
/// [`Patch`]: https://docs.rs/restwright/latest/restwright/schema/enum.Patch.html
///
/// # `#[serde(..)]`
///
/// | attribute | effect on the schema |
/// |---|---|
/// | `rename`, `rename_all`, `rename_all_fields`, for both directions or one | the names; on a type, the name of the schema |
/// | `alias` | another name that is accepted; the document lists it only for variants |
/// | `default`, on a field or the struct | optional in input |
/// | `skip_serializing_if` | optional in output |
/// | `skip`, `skip_serializing`, `skip_deserializing` | missing in both directions, or in one |
/// | `flatten` | the properties of the field's type, which must be a struct |
/// | `deny_unknown_fields` | unknown properties are violations |
/// | `tag`, with or without `content`, or `untagged`, on an enum | a `oneOf` of objects, or an `anyOf` |
/// | `transparent` | the schema of the only field |
/// | `bound`, `crate`, `expecting` | no effect, because they change no value |
///
/// Any other attribute is a compile error: the derive cannot know the effect of `with`, `from` or `untagged`, so the
/// document would be wrong. `Patch<T>` without `#[serde(default)]` is a compile error too.
#[proc_macro_derive(Schema, attributes(schema, property, serde))]
pub fn schema(input: TokenStream) -> TokenStream {
    crate_path::expand("schema", parse_macro_input!(input as DeriveInput), schema::derive).into()
}

#[cfg_attr(not(doctest), doc = include_str!("derives/request.md"))]
#[proc_macro_derive(Request, attributes(request, segment, query, header, cookie, body, property))]
pub fn request(input: TokenStream) -> TokenStream {
    crate_path::expand("request", parse_macro_input!(input as DeriveInput), request::derive).into()
}

#[cfg_attr(not(doctest), doc = include_str!("derives/part.md"))]
#[proc_macro_derive(Part, attributes(part, segment, query, header, cookie, body, property))]
pub fn part(input: TokenStream) -> TokenStream {
    crate_path::expand("part", parse_macro_input!(input as DeriveInput), part::derive).into()
}

#[cfg_attr(not(doctest), doc = include_str!("derives/response.md"))]
#[proc_macro_derive(Response, attributes(response, header, body))]
pub fn response(input: TokenStream) -> TokenStream {
    crate_path::expand("response", parse_macro_input!(input as DeriveInput), response::derive).into()
}

#[cfg_attr(not(doctest), doc = include_str!("derives/problem.md"))]
#[proc_macro_derive(Problem, attributes(problem, source, from))]
pub fn problem(input: TokenStream) -> TokenStream {
    crate_path::expand("problem", parse_macro_input!(input as DeriveInput), problem::derive).into()
}

/// Implements `Filters` and `Part` for a struct with list filters. A request can then contain the struct.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/filters.md"))]
///
/// | attribute | meaning |
/// |---|---|
/// | `#[filter(eq, ne, in, ..)]` on each field | the operators that clients may use; `Operator` lists them and the types that they fit |
/// | `default = contains` | the default operator, for conditions that name no operator; otherwise `eq` |
/// | `minimum = 0`, `max_length = 100`, .. | constraints on the operands, as in `#[property(..)]`, in addition to the type's constraints |
/// | `computed` | the items of the list do not contain this field |
/// | `rename = ".."` | the name of the filter; the field's name by default |
/// | `#[filter(rename_all = "camelCase")]` on the struct | serde's case for names without `rename` |
/// | `#[filter(crate = "web")]` on the struct | the [path of restwright](macro@Schema#a-renamed-dependency) |
/// | the doc comment, `#[deprecated]` | the description and deprecation in the document |
///
/// Building the Api fails if an operator does not fit the type, or if the items of the response do not contain the
/// field.
#[proc_macro_derive(Filters, attributes(filter))]
pub fn filters(input: TokenStream) -> TokenStream {
    behind("Filters", "filter", "list", cfg!(feature = "list"), filters::derive, input)
}

/// Implements `Sort` for an enum. Each variant is a field that clients can sort a list by.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/sort.md"))]
///
/// | attribute | meaning |
/// |---|---|
/// | `#[sort(id)]` on one variant | the identifier. Its values are unique, so it completes every order |
/// | `default`, `default = desc` | part of the default order, which uses the order of the variants |
/// | `computed` | the items of the list do not contain this field |
/// | `rename = ".."` | the name on the wire; the variant in snake case by default |
/// | `#[sort(rename_all = "camelCase")]` on the enum | serde's case for names without `rename`, applied as to the fields of a struct |
/// | `#[sort(crate = "web")]` on the enum | the [path of restwright](macro@Schema#a-renamed-dependency) |
#[proc_macro_derive(Sort, attributes(sort))]
pub fn sort(input: TokenStream) -> TokenStream {
    behind("Sort", "sort", "list", cfg!(feature = "list"), sort::derive, input)
}

/// Implements `Record`, which returns the value of a field by its JSON name. Lists filter and sort by these fields.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/record.md"))]
///
/// For a struct without type parameters, it also implements `RecordFields`. Services use it for conditions that the
/// compiler checks: `Pet::FIELDS.id.eq(7)`.
///
/// Fields are strings, numbers, booleans, dates, UUIDs, and `Option`s of them. Unit enums and newtype structs that
/// derive `Schema` are allowed too.
///
/// | attribute | meaning |
/// |---|---|
/// | `#[record(skip)]`, `#[serde(skip)]` | leaves the field out; required for lists, maps and nested objects, which have no single value |
/// | `#[serde(rename, rename_all)]` | the name in output |
/// | `#[serde(flatten)]` | the fields of another record, in place of this field |
/// | `#[record(crate = "web")]` on the struct | the [path of restwright](macro@Schema#a-renamed-dependency) |
#[proc_macro_derive(Record, attributes(record, serde))]
pub fn record(input: TokenStream) -> TokenStream {
    behind("Record", "record", "list", cfg!(feature = "list"), record::derive, input)
}

#[cfg_attr(not(doctest), doc = include_str!("derives/resource.md"))]
#[proc_macro_derive(Resource, attributes(resource, property, schema, record, serde))]
pub fn resource(input: TokenStream) -> TokenStream {
    behind("Resource", "resource", "resource", cfg!(feature = "resource"), resource::derive, input)
}

/// Runs a derive if the Cargo feature of its traits is on. Otherwise emits an error that names the feature.
fn behind(
    name: &str,
    attribute: &str,
    feature: &str,
    is_on: bool,
    derive: fn(&DeriveInput) -> proc_macro2::TokenStream,
    input: TokenStream,
) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    if is_on {
        return crate_path::expand(attribute, input, derive).into();
    }
    let message = errors::needs_feature(&format!("#[derive({name})]"), feature);
    syn::Error::new(input.ident.span(), message).into_compile_error().into()
}
