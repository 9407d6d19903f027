//! The request and the response as the pipeline sees them, independent of any host.

mod body;
mod cookie;
mod extensions;
mod in_flight;
mod incoming;
mod json;
mod memory;
mod problem_response;
mod query;
mod request;
mod request_id;
mod response;
mod response_headers;
mod single_value;

pub use body::{BodyError, BodyPieces, BodyStream};
pub use extensions::Extensions;
#[doc(hidden)]
pub use in_flight::{InFlight, Place};
pub use incoming::{IncomingBody, ReceivedBytes};
pub use memory::CoderMemory;
#[doc(hidden)]
pub use memory::{MemoryAccount, MemoryShare};
#[doc(hidden)]
pub use problem_response::ProblemResponses;
pub use query::Query;
pub use request::{HostRequest, HttpRequest};
pub use request_id::RequestId;
#[doc(hidden)]
pub use response::FormedProblem;
pub use response::{HttpResponse, Payload, PayloadStream};
pub use single_value::SingleValueError;

pub use crate::weight::weight;

pub(crate) use json::to_json;

pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
