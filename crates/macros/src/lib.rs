//! The derives of restwright: `Schema`, `Request`, `Part`, `Response`, `Problem`, `Filters`, `Sort`, `Record` and `Resource`.
//!
//! Each parses its input, checks it, reporting every mistake where it stands, and emits small impls of public traits that
//! a person could have written. The emitted code names everything through the facade crate `restwright`, or through the path that
//! `crate = ".."` names.

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

/// Implements `Schema`: the schema of a type's JSON, as serde writes and reads it.
///
/// A struct with named fields is an object, a struct around one value has the schema of that value, an enum of units is an
/// enumeration, and an enum with `#[serde(tag = "..")]` is one of several objects. The schema is named after the type, a
/// generic one after its arguments, too: `Page<Pet>` is `PagePet`. Doc comments are the descriptions, and `#[deprecated]`
/// is published.
///
/// ```
/// use restwright::schema::{SchemaSide, Invalid, Registry};
/// use restwright::{Patch, Schema};
/// use serde::Deserialize;
///
/// /// Changes to a pet.
/// #[derive(Deserialize, Schema)]
/// #[schema(validate = dogs_are_light)]
/// struct PetChanges {
///     /// What it is called.
///     #[serde(default)]
///     #[property(min_length = 1, max_length = 100, example = "Rex")]
///     name: Patch<String>,
///     species: Species,
///     #[property(exclusive_minimum = 0, maximum = 10_000)]
///     weight_kg: Option<f64>,
///     #[property(max_items = 10, items(min_length = 1, max_length = 30))]
///     tags: Vec<String>,
/// }
///
/// #[derive(Deserialize, PartialEq, Schema)]
/// #[serde(rename_all = "lowercase")]
/// enum Species {
///     Dog,
///     Horse,
/// }
///
/// fn dogs_are_light(pet: &PetChanges) -> Result<(), Invalid> {
///     if pet.species == Species::Dog && pet.weight_kg > Some(200.0) {
///         return Err(Invalid::new("heavy_dog", "must be at most 200 for a dog").at("/weight_kg"));
///     }
///     Ok(())
/// }
///
/// let mut registry = Registry::new();
/// let kind = PetChanges::schema_type(&mut registry);
/// let shape = registry.compile(&kind, SchemaSide::Input, None);
///
/// assert!(shape.read::<PetChanges>(br#"{"species": "horse", "weight_kg": 500, "tags": []}"#, 100).is_ok());
/// let refused = shape.read::<PetChanges>(br#"{"species": "dog", "name": "", "tags": ["a", ""]}"#, 100).err().unwrap();
/// assert_eq!(
///     refused.to_string(),
///     "/name: must have at least 1 character (min_length); /tags/1: must have at least 1 character (min_length)"
/// );
/// ```
///
/// # `#[property(..)]` on a field
///
/// A constraint that does not fit the field's type does not compile. `Option` and `Patch` take those of what they hold.
///
/// | setting | on | meaning |
/// |---|---|---|
/// | `min_length = 1`, `max_length = 100` | texts | bounds on the number of characters |
/// | `pattern = "^[0-9]{5}$"` | texts | a pattern in the subset of ECMA-262 that `Property::pattern` names |
/// | `format = "email"` | texts | `email`, `uri`, `hostname`, `ipv4`, `ipv6`, or the path of a `Format` of one's own |
/// | `minimum = 1`, `maximum = 9` | numbers | bounds that are allowed themselves |
/// | `exclusive_minimum = 0`, `exclusive_maximum = 1` | numbers | bounds that are not |
/// | `multiple_of = 0.5` | numbers | the step, above 0 |
/// | `min_items = 1`, `max_items = 10` | lists | bounds on the number of items |
/// | `unique_items` | lists | no item equals another |
/// | `items(..)` | lists | the same settings for each item |
/// | `min_properties = 1`, `max_properties = 10` | maps | bounds on the number of names |
/// | `values(..)` | maps | the same settings for each value |
/// | `constant = "pet"` | any | the only value that is allowed |
/// | `default = 20` | any | the value of a property that is not sent: a number, a text, a boolean, `null`, `[]`, or any `Into<serde_json::Value>` |
/// | `validate = path` | any | a check of one's own, `fn(&T) -> Result<(), E>` with `E: Into<Invalid>`; `Option` and `Patch` are looked through, and what is absent is not checked |
/// | `read_only` | any | exists in responses alone; a type that is also read needs `#[serde(skip_deserializing)]` or `#[serde(default)]` with it |
/// | `write_only` | any | exists in requests alone |
/// | `title = ".."`, `description = ".."` | any | for readers of the documents; `description` stands in for the doc comment |
/// | `example = ".."` | any | an example; may be repeated |
/// | `deprecated` | any | should no longer be used; the same as Rust's `#[deprecated]` |
///
/// # `#[schema(..)]` on the type
///
/// | setting | meaning |
/// |---|---|
/// | `name = "Animal"` | the name of the schema, in place of that of the type; with parameters, what its name begins with |
/// | `as = String` | on a newtype: the type of the same JSON, whose schema it has in place of that of the type within; for types of other crates, and with serde's `with` |
/// | `changes`, `changes = "PetUpdate"`, `changes(name = "PetUpdate", derive(Clone))` | makes the type of its partial update, `PetChanges`; see below |
/// | `title = ".."`, `description = ".."` | for readers of the documents; `description` stands in for the doc comment |
/// | `validate = path` | a check across fields, `fn(&Self) -> Result<(), E>` with `E: Into<Invalid>` |
/// | `validator` | the checks of the type's `validator::Validate`, with the facade's feature `validator` |
/// | `crate = "web"` | the path of restwright, see below |
///
/// Checks of one's own run on values that hold otherwise. Neither kind runs on fields that are not read.
///
/// An enum of units, and a struct around one value, are values that lists filter and sort by, too (`FieldValue`), where the
/// facade has `list`.
///
/// # A renamed dependency
///
/// The emitted code names everything through `::restwright`. If your crate depends on restwright under another name, or only on the
/// crates below the facade, `crate` names another path. All derives have this setting in their own attribute: `#[schema(crate = "..")]`,
/// `#[request(crate = "..")]`, `#[part(..)]`, `#[response(..)]`, `#[problem(..)]`, `#[filter(..)]`, `#[sort(..)]`, `#[record(..)]` and
/// `#[resource(..)]`.
///
/// With `web = { package = "restwright", version = "0.1" }` in Cargo.toml, write `#[schema(crate = "web")]`. A crate that depends only on
/// `restwright-core` and `restwright-macros` has a module with the names of the facade:
///
/// ```
/// mod contracts {
///     pub use restwright_core as core;
///     pub use restwright_core::schema;
///     pub use restwright_macros::Schema;
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
/// `#[schema(changes)]` on a struct with named fields makes a struct with a [`Patch`] for each field that clients may set, under the
/// same names and with the same constraints and descriptions. What is absent stays as it is; null clears an `Option`, sets a field with a
/// default (serde's, or that of its property) to that, and is a violation elsewhere. A field whose type has `#[schema(changes)]`, too, is merged (RFC 7396); lists, maps and
/// all other values are replaced as a whole. `apply` makes a changed copy, on which the struct's own checks run:
///
/// ```
/// use restwright::Schema;
/// use serde::Deserialize;
///
/// #[derive(Clone, Deserialize, Schema)]
/// #[schema(changes)]
/// struct Pet {
///     #[property(min_length = 1)]
///     name: String,
///     owner: Option<Owner>,
/// }
///
/// #[derive(Clone, Deserialize, Schema)]
/// #[schema(changes)]
/// struct Owner {
///     name: String,
///     city: String,
/// }
///
/// let pet = Pet { name: "Rex".to_owned(), owner: None };
/// let changes: PetChanges = serde_json::from_str(r#"{"owner": {"city": "Bonn"}}"#).unwrap();
/// let violations = changes.apply(&pet).err().unwrap();
/// assert_eq!(violations.to_string(), "/owner/name: is required (required)");
/// ```
///
/// The type derives `Default` and `Deserialize` beside `Schema`, and what `derive(..)` names. An `Option` behind an alias is replaced as a whole.
///
/// [`Patch`]: https://docs.rs/restwright/latest/restwright/schema/enum.Patch.html
///
/// # `#[serde(..)]`
///
/// | attribute | effect on the schema |
/// |---|---|
/// | `rename`, `rename_all`, `rename_all_fields`, for both sides or for one | the names; on a type, the name of the schema |
/// | `alias` | another name that is read; documents show it for variants alone |
/// | `default`, on a field or the struct | may be absent when read |
/// | `skip_serializing_if` | may be absent when written |
/// | `skip`, `skip_serializing`, `skip_deserializing` | exists on neither side, or on the other side alone |
/// | `flatten` | the properties of the field's type, which is a struct |
/// | `deny_unknown_fields` | unknown properties are violations |
/// | `tag`, with or without `content`, on an enum | one of several objects |
/// | `transparent` | the schema of the one field |
/// | `bound`, `crate`, `expecting` | nothing, since they change no value |
///
/// Any other is a compile error: what `with`, `from` or `untagged` do is not known to the derive, and the document would be
/// wrong. `Patch<T>` without `#[serde(default)]` is one as well.
#[proc_macro_derive(Schema, attributes(schema, property, serde))]
pub fn schema(input: TokenStream) -> TokenStream {
    crate_path::expand("schema", parse_macro_input!(input as DeriveInput), schema::derive).into()
}

#[doc = include_str!("derives/request.md")]
#[proc_macro_derive(Request, attributes(request, segment, query, header, cookie, body, property))]
pub fn request(input: TokenStream) -> TokenStream {
    crate_path::expand("request", parse_macro_input!(input as DeriveInput), request::derive).into()
}

#[doc = include_str!("derives/part.md")]
#[proc_macro_derive(Part, attributes(part, segment, query, header, cookie, body, property))]
pub fn part(input: TokenStream) -> TokenStream {
    crate_path::expand("part", parse_macro_input!(input as DeriveInput), part::derive).into()
}

#[doc = include_str!("derives/response.md")]
#[proc_macro_derive(Response, attributes(response, header, body))]
pub fn response(input: TokenStream) -> TokenStream {
    crate_path::expand("response", parse_macro_input!(input as DeriveInput), response::derive).into()
}

#[doc = include_str!("derives/problem.md")]
#[proc_macro_derive(Problem, attributes(problem, source, from))]
pub fn problem(input: TokenStream) -> TokenStream {
    crate_path::expand("problem", parse_macro_input!(input as DeriveInput), problem::derive).into()
}

/// Implements `Filters` and `Part`: the filters of a list, as a part of its request.
///
/// ```
/// use restwright::list::Filter;
/// use restwright::{Filters, Request, Schema};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Schema)]
/// #[serde(rename_all = "lowercase")]
/// enum Species {
///     Cat,
///     Dog,
/// }
///
/// #[derive(Filters)]
/// struct PetFilters {
///     /// The name of the pet.
///     #[filter(eq, contains, starts_with, default = contains)]
///     name: Filter<String>,
///     #[filter(eq, in)]
///     species: Filter<Species>,
///     #[filter(gte, lt, is_null, rename = "weight_kg")]
///     weight: Filter<f64>,
/// }
///
/// #[derive(Request)]
/// struct ListPets {
///     filters: PetFilters,
/// }
/// ```
///
/// | attribute | meaning |
/// |---|---|
/// | `#[filter(eq, ne, in, ..)]` on each field | the operators that a client may use; `Operator` lists them and the types that they fit |
/// | `default = contains` | the operator of a condition that names none; else `eq` |
/// | `minimum = 0`, `max_length = 100`, .. | constraints on the values, as in `#[property(..)]`, beside those of the type |
/// | `computed` | the items of the list do not have the field |
/// | `rename = ".."` | the name of the filter; else that of the field |
/// | `#[filter(rename_all = "camelCase")]` on the struct | serde's rule for the names that have no `rename` |
/// | `#[filter(crate = "web")]` on the struct | the [path of restwright](macro@Schema#a-renamed-dependency) |
/// | the doc comment, `#[deprecated]` | its description, and that it is deprecated, in the document |
///
/// Building the Api fails for an operator that does not fit the type, and for a field that the items of the response do not have.
#[proc_macro_derive(Filters, attributes(filter))]
pub fn filters(input: TokenStream) -> TokenStream {
    behind("Filters", "filter", "list", cfg!(feature = "list"), filters::derive, input)
}

/// Implements `Sort`: the fields that a list can be sorted by, one per variant.
///
/// ```
/// use restwright::list::SortBag;
/// use restwright::{Request, Sort};
///
/// #[derive(Clone, Copy, Sort)]
/// enum PetSort {
///     Name,
///     #[sort(default = desc, rename = "weight_kg")]
///     Weight,
///     #[sort(id)]
///     Id,
/// }
///
/// #[derive(Request)]
/// struct ListPets {
///     sort: SortBag<PetSort>,
/// }
/// ```
///
/// | attribute | meaning |
/// |---|---|
/// | `#[sort(id)]` on one variant | the identifier: no two items share its value, so that it completes every order |
/// | `default`, `default = desc` | belongs to the order of a list for which none is requested, in the order of the variants |
/// | `computed` | the items of the list do not have the field |
/// | `rename = ".."` | the name on the wire; else the variant in snake case |
/// | `#[sort(rename_all = "camelCase")]` on the enum | serde's rule for those names, as it changes the fields of a struct |
/// | `#[sort(crate = "web")]` on the enum | the [path of restwright](macro@Schema#a-renamed-dependency) |
#[proc_macro_derive(Sort, attributes(sort))]
pub fn sort(input: TokenStream) -> TokenStream {
    behind("Sort", "sort", "list", cfg!(feature = "list"), sort::derive, input)
}

/// Implements `Record`: the fields of an item by which lists are filtered and sorted, under their names in JSON.
///
/// ```
/// use restwright::list::{Record as _, Value};
/// use restwright::{Record, Schema};
/// use serde::Serialize;
///
/// #[derive(Serialize, Schema)]
/// #[serde(rename_all = "lowercase")]
/// enum Species {
///     Cat,
///     Dog,
/// }
///
/// #[derive(Record)]
/// struct Pet {
///     id: i64,
///     #[serde(flatten)]
///     details: Details,
/// }
///
/// #[derive(Record)]
/// #[serde(rename_all = "camelCase")]
/// struct Details {
///     species: Species,
///     weight_kg: Option<f64>,
///     #[record(skip)]
///     tags: Vec<String>,
/// }
///
/// let pet = Pet { id: 1, details: Details { species: Species::Cat, weight_kg: None, tags: Vec::new() } };
/// assert_eq!(pet.value("species"), "cat".into());
/// assert_eq!(pet.value("weightKg"), Value::Null);
/// ```
///
/// It also implements `RecordFields` for a struct without type parameters, by which a service adds conditions whose fields the compiler
/// knows: `Pet::FIELDS.id.eq(7)`.
///
/// Fields are texts, numbers, booleans, dates, UUIDs, options of them, and what derives `Schema` as an enum of units or as a
/// struct around one of them.
///
/// | attribute | meaning |
/// |---|---|
/// | `#[record(skip)]`, `#[serde(skip)]` | there is no such field: lists, maps and nested objects have no single value |
/// | `#[serde(rename, rename_all)]` | the name, as it is written |
/// | `#[serde(flatten)]` | the fields of a record, in place of this one |
/// | `#[record(crate = "web")]` on the struct | the [path of restwright](macro@Schema#a-renamed-dependency) |
#[proc_macro_derive(Record, attributes(record, serde))]
pub fn record(input: TokenStream) -> TokenStream {
    behind("Record", "record", "list", cfg!(feature = "list"), record::derive, input)
}

#[doc = include_str!("derives/resource.md")]
#[proc_macro_derive(Resource, attributes(resource, property, schema, record, serde))]
pub fn resource(input: TokenStream) -> TokenStream {
    behind("Resource", "resource", "resource", cfg!(feature = "resource"), resource::derive, input)
}

/// Runs a derive whose contracts the facade has with a feature alone.
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
