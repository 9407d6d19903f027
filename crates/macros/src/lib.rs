//! The derives of restwright: `Schema`, `Request`, `Response` and `Problem`.
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
mod message;
mod plan;
mod problem;
mod property;
mod request;
mod response;
mod schema;
mod serde_attributes;
mod settings;
mod status;
mod suggest;
mod types;
mod value;

/// The shape of a type.
#[proc_macro_derive(Schema, attributes(schema, property, serde))]
pub fn schema(input: TokenStream) -> TokenStream {
    schema::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// The input of an endpoint.
#[proc_macro_derive(Request, attributes(segment, query, header, cookie, body, property))]
pub fn request(input: TokenStream) -> TokenStream {
    request::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// The output of an endpoint.
#[proc_macro_derive(Response, attributes(response, header, body))]
pub fn response(input: TokenStream) -> TokenStream {
    response::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Errors of an application's own.
#[proc_macro_derive(Problem, attributes(problem, source, from))]
pub fn problem(input: TokenStream) -> TokenStream {
    problem::derive(&parse_macro_input!(input as DeriveInput)).into()
}
