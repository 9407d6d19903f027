//! The derives of restwright: `Schema`, `Request`, `Response`, `Problem`, `Filters`, `Sort` and `Record`.
//!
//! Each parses its input, checks it, reporting every mistake where it stands, and emits small impls of public traits that
//! a person could have written. The emitted code names everything through the facade crate `restwright`.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

#[macro_use]
mod emit;

mod case;
mod docs;
mod errors;
mod filters;
mod message;
mod plan;
mod problem;
mod property;
mod record;
mod request;
mod response;
mod schema;
mod serde_attributes;
mod settings;
mod sort;
mod status;
mod suggest;
mod types;
mod value;

/// Implements `Schema`: the shape that a type has in JSON, as serde writes and reads it.
///
/// A struct with named fields is an object, a struct around one value has the shape of that value, an enum of units is an
/// enumeration, and an enum with `#[serde(tag = "..")]` is one of several objects. The shape is named after the type, a
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
/// let kind = PetChanges::kind(&mut registry);
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
/// | `read_only` | any | exists in answers alone; a type that is also read needs `#[serde(skip_deserializing)]` or `#[serde(default)]` with it |
/// | `write_only` | any | exists in requests alone |
/// | `modes(create, view)` | any | exists in these modes alone: `create`, `view`, `list`, `update`, `delete` |
/// | `title = ".."`, `description = ".."` | any | for readers of the documents; `description` stands in for the doc comment |
/// | `example = ".."` | any | an example; may be repeated |
/// | `deprecated` | any | should no longer be used; the same as Rust's `#[deprecated]` |
///
/// # `#[schema(..)]` on the type
///
/// | setting | meaning |
/// |---|---|
/// | `name = "Animal"` | the name of the shape, in place of that of the type; with parameters, what its name begins with |
/// | `title = ".."`, `description = ".."` | for readers of the documents; `description` stands in for the doc comment |
/// | `validate = path` | a check across fields, `fn(&Self) -> Result<(), E>` with `E: Into<Invalid>` |
///
/// Checks of one's own run on values that hold otherwise. Neither kind runs on fields that are not read.
///
/// An enum of units, and a struct around one value, are values that lists filter and sort by, too (`FieldValue`), where the
/// facade has `list`.
///
/// # `#[serde(..)]`
///
/// | attribute | what the shape makes of it |
/// |---|---|
/// | `rename`, `rename_all`, `rename_all_fields`, for both sides or for one | the names; on a type, the name of the shape |
/// | `alias` | another name that is read; documents show it for variants alone |
/// | `default`, on a field or the struct | may be absent when read |
/// | `skip_serializing_if` | may be absent when written |
/// | `skip`, `skip_serializing`, `skip_deserializing` | exists on neither side, or on the other side alone |
/// | `flatten` | the properties of the field's type, which is a struct |
/// | `deny_unknown_fields` | unknown properties are violations |
/// | `tag`, with or without `content`, on an enum | one of several objects |
/// | `transparent` | the shape of the one field |
/// | `bound`, `crate`, `expecting` | nothing, since they change no value |
///
/// Any other is a compile error: what `with`, `from` or `untagged` do is not known to the derive, and the document would be
/// wrong. `Patch<T>` without `#[serde(default)]` is one as well.
#[proc_macro_derive(Schema, attributes(schema, property, serde))]
pub fn schema(input: TokenStream) -> TokenStream {
    schema::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Implements `Request`: the input of an endpoint, a struct of parts, single values and at most one body.
///
/// ```
/// use restwright::auth::Identity;
/// use restwright::{Api, Configuration, Controller, Request, Response, Result, Route, Schema};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, Schema)]
/// struct Toy {
///     #[property(min_length = 1)]
///     name: String,
/// }
///
/// #[derive(Request)]
/// struct GiveToy {
///     /// The pet that gets it.
///     #[segment]
///     #[property(minimum = 1)]
///     id: i64,
///     /// Wrapped when true.
///     #[query]
///     gift: Option<bool>,
///     #[header]
///     if_match: Option<String>,
///     #[body]
///     toy: Toy,
///     identity: Identity,
/// }
/// # #[derive(Response)]
/// # #[response(status = 204)]
/// # struct Given;
/// # struct Give;
/// # impl Controller for Give {
/// #     type Request = GiveToy;
/// #     type Response = Given;
/// #     fn route(&self) -> Route { Route::post("/pets/{id}/toys").public() }
/// #     async fn handle(&self, _: GiveToy) -> Result<Given> { Ok(Given) }
/// # }
/// # let api = Api::builder(Configuration::new("pets", "1.0.0")).controller(Give).build().unwrap();
/// # let client = restwright::testing::TestClient::new(api);
/// # client.post("/pets/7/toys?gift=true").json(&serde_json::json!({"name": "ball"})).send().assert_status(204);
/// # client.post("/pets/0/toys?gift=2").json(&serde_json::json!({"name": ""})).send().assert_violations([
/// #     ("path", "/id", "minimum"), ("query", "/gift", "type"), ("body", "/name", "min_length"),
/// # ]);
/// ```
///
/// | attribute on a field | where the value comes from |
/// |---|---|
/// | `#[segment]`, `#[segment("id")]` | the path parameter `{id}`, one segment or the tail |
/// | `#[query]`, `#[query("name")]` | the query string; a list takes a name that is repeated |
/// | `#[header]`, `#[header("If-Match")]` | a header; without a name, that of the field: `if_match` is `If-Match` |
/// | `#[cookie]`, `#[cookie("name")]` | a cookie |
/// | `#[body]` | the body: JSON of a type with a shape, or a type that implements `ReadBody`; read after everything else |
/// | none | a type that implements `Part`, such as `Identity` |
///
/// `#[property(..)]` on a single value takes the settings of [`Schema`](macro@Schema) but `validate`, `read_only`,
/// `write_only` and `modes`. `Option` makes a value optional. Doc comments are the descriptions of parameters.
///
/// Violations of all parts come back together. Mistakes such as a parameter that the path does not have show when the Api is
/// built.
#[proc_macro_derive(Request, attributes(segment, query, header, cookie, body, property))]
pub fn request(input: TokenStream) -> TokenStream {
    request::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Implements `Response`: the output of an endpoint, a struct with one status or an enum with one per variant.
///
/// ```
/// use restwright::{Response, Schema};
/// use serde::Serialize;
///
/// /// The service is up.
/// #[derive(Serialize, Schema, Response)]
/// #[response(status = 200)]
/// struct HealthResponse {
///     /// Always `ok`.
///     status: &'static str,
/// }
///
/// #[derive(Serialize, Schema)]
/// struct Pet {
///     id: i64,
/// }
///
/// #[derive(Response)]
/// enum AdoptResponse {
///     /// The pet has a new home.
///     #[response(status = 200)]
///     Adopted(Pet),
///     /// Someone has to look at the papers first.
///     #[response(status = 202)]
///     Waiting {
///         /// Seconds until it makes sense to ask.
///         #[header]
///         retry_after: u32,
///     },
///     /// Nothing changed.
///     #[response(status = 204)]
///     AlreadyYours,
/// }
/// ```
///
/// | attribute | meaning |
/// |---|---|
/// | `#[response(status = 201)]` on the struct or each variant | the status, from 200 to 399 |
/// | `content_type = "text/csv"` beside it | the media type of the body in place of the one that the body's type has |
/// | `#[header]`, `#[header("Location")]` on a field | a header; `Option` leaves it out, a list repeats it |
/// | `#[body]` on a field | the body: a type with a shape, as JSON, or one that implements `WriteBody` |
///
/// A struct without `#[header]` and `#[body]` is its own body, a variant around one value has that as its body, and what
/// has no fields has no body. The doc comment is the description of the answer.
///
/// A failure is no response but a `Problem`: a status from 400 does not compile, nor does a body under 204, 205 or 304.
#[proc_macro_derive(Response, attributes(response, header, body))]
pub fn response(input: TokenStream) -> TokenStream {
    response::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Implements `ProblemSet` and `From<Self> for Problem`: an application's own errors, each variant a problem with a status, a
/// code and a title (RFC 9457).
///
/// ```
/// use std::io;
///
/// use restwright::Problem;
///
/// #[derive(Debug, Problem)]
/// enum PetError {
///     /// No pet has this id, or it was removed.
///     #[problem(status = 404, detail = "There is no pet {id}.")]
///     PetNotFound { id: i64 },
///     #[problem(status = 409, code = "taken", title = "The name is taken", detail = "Another pet is called {0}.")]
///     NameTaken(String),
///     #[problem(status = 503, retry_after = 5)]
///     Warehouse(#[from] io::Error),
/// }
///
/// fn find(id: i64) -> Result<(), Problem> {
///     Err(PetError::PetNotFound { id })?
/// }
///
/// let problem = find(7).unwrap_err();
/// assert_eq!((problem.status().as_u16(), problem.code()), (404, "pet_not_found"));
/// assert_eq!(problem.to_string(), "404 pet_not_found: There is no pet 7.");
/// ```
///
/// A route documents them with `Route::problems::<PetError>()`; the doc comment of a variant is its description there.
///
/// | attribute | meaning |
/// |---|---|
/// | `#[problem(status = 404)]` on each variant, or on a struct | the status, from 400 to 599 |
/// | `code = ".."` | the stable code; else the name in snake case |
/// | `title = ".."` | a short summary, the same for each occurrence; else the words of the name |
/// | `detail = ".."` | what happened this time, over the fields: `{id}`, `{0}`, `{id:?}` |
/// | `retry_after = 5` | after how many seconds trying again makes sense |
/// | `#[source]` on a field | the cause; it goes to the log and not to the client |
/// | `#[from]` on the only field | the cause, from which the error is made by `?`, too |
#[proc_macro_derive(Problem, attributes(problem, source, from))]
pub fn problem(input: TokenStream) -> TokenStream {
    problem::derive(&parse_macro_input!(input as DeriveInput)).into()
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
///     /// What the pet is called.
///     #[filter(eq, contains, starts_with)]
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
/// | `#[filter(eq, ne, in, ..)]` on each field | the operators that a client may use; `Operator` lists them, and which types take them |
/// | `rename = ".."` | the name of the filter; else that of the field |
/// | `#[filter(rename_all = "camelCase")]` on the struct | serde's rule for the names that have no `rename` |
/// | the doc comment, `#[deprecated]` | what the document says |
///
/// An operator that makes no sense for the type is a mistake that building the Api reports.
#[proc_macro_derive(Filters, attributes(filter))]
pub fn filters(input: TokenStream) -> TokenStream {
    filters::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Implements `Sort`: the fields that a list may be sorted by, one per variant.
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
/// | `rename = ".."` | the name on the wire; else the variant in snake case |
/// | `#[sort(rename_all = "camelCase")]` on the enum | serde's rule for those names, as it changes the fields of a struct |
#[proc_macro_derive(Sort, attributes(sort))]
pub fn sort(input: TokenStream) -> TokenStream {
    sort::derive(&parse_macro_input!(input as DeriveInput)).into()
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
/// Fields are texts, numbers, booleans, dates, UUIDs, options of them, and what derives `Schema` as an enum of units or as a
/// struct around one of them.
///
/// | attribute | meaning |
/// |---|---|
/// | `#[record(skip)]`, `#[serde(skip)]` | there is no such field: lists, maps and nested objects have no single value |
/// | `#[serde(rename, rename_all)]` | the name, as it is written |
/// | `#[serde(flatten)]` | the fields of a record, in place of this one |
#[proc_macro_derive(Record, attributes(record, serde))]
pub fn record(input: TokenStream) -> TokenStream {
    record::derive(&parse_macro_input!(input as DeriveInput)).into()
}
