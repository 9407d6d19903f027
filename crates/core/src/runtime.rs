//! Internals for the runtime. They are no part of the public interface and change without notice.

pub use crate::access::{ErasedPolicy, Lack};
pub use crate::auth::api_key_parameter::ApiKeyParameter;
pub use crate::auth::authenticator::ErasedAuthenticator;
pub use crate::auth::registered::SharedAuthenticator;
pub use crate::body::media_type::accepts;
pub use crate::build_context::Build;
pub use crate::client_address::check as check_client_address;
pub use crate::component::{ErasedComponent, SharedComponent};
pub use crate::future::{BoxFuture, LocalBoxFuture};
pub use crate::http::in_flight::{InFlight, Place};
pub use crate::http::json::to_json;
pub use crate::http::memory::{MemoryAccount, MemoryShare};
pub use crate::http::response::FormedProblem;
pub use crate::listening::why_unbound;
pub use crate::log::{count_lost_log_line, log, lost_log_lines};
pub use crate::middleware::{ErasedMiddleware, Pipeline, SharedMiddleware};
pub use crate::operation::failure::idempotency_replayed;
pub use crate::problem::ProblemParts;
pub use crate::problem::details::DETAILS;
pub use crate::problem::form::SharedErrorForm;
pub use crate::rate_limit::ipv6_prefix::Ipv6Prefix;
pub use crate::rate_limit::own_limit::OwnLimit;
pub use crate::rate_limit::store::SharedLimiterStore;
pub use crate::route::RouteDeclaration;
pub use crate::route_info::RouteNotes;
pub use crate::state::Kept;
pub use crate::template::{is_normal_tail, normalise};
