//! Contains the types for HTTP requests and responses, which are independent of the HTTP server.

mod body;
mod body_error;
mod cookie;
mod extensions;
mod host_request;
pub(crate) mod in_flight;
mod incoming;
pub(crate) mod json;
pub(crate) mod long_lived;
pub(crate) mod memory;
pub(crate) mod problem_json;
mod query;
mod request;
mod request_id;
pub(crate) mod response;
mod response_headers;
mod single_value;
mod trailer;
mod upgrade;
mod vary;

pub use body::{BodyPieces, BodyStream};
pub use body_error::BodyError;
pub use extensions::Extensions;
pub use host_request::HostRequest;
pub use incoming::{IncomingBody, ReceivedBytes};
pub use memory::CoderMemory;
pub(crate) use memory::{MemoryAccount, MemoryShare};
pub use query::Query;
pub use request::HttpRequest;
pub use request_id::RequestId;
pub(crate) use response::Until;
pub use response::{HttpResponse, Payload, PayloadStream};
pub use single_value::SingleValueError;
pub use trailer::Trailer;
pub use upgrade::{EndReason, OriginAllowed, Upgrade, Upgraded};
pub use vary::vary_with;

pub use crate::media_type::preferred_media_type;
pub use crate::weight::{coding_weight, weight};

pub(crate) use json::{to_data_json, to_json};

pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
