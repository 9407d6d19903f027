//! The description vocabulary: what an operation takes and answers, in the terms of OpenAPI.
//!
//! Whatever reads a piece of a request or makes a response describes itself by adding to an [`Operation`]; documents,
//! request shapes and the test client read it. It knows no document format.

mod attachments;
mod failure;
mod operation;
mod parameter;
mod response;
mod security;

pub use attachments::Attachments;
pub use failure::Failure;
pub use operation::{Example, MediaType, Operation, RequestBody, SchemaUse};
pub use parameter::{Parameter, Style};
pub use response::{Header, Link, ResponseDescription};
pub use security::{OAuthFlow, SecurityRequirement, SecurityScheme};
