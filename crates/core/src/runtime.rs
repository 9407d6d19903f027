//! Internals for the runtime. They are no part of the public interface and change without notice.

pub use crate::access::{ErasedPolicy, Lack};
pub use crate::auth::{ErasedAuthenticator, SharedAuthenticator};
pub use crate::body::accepts;
pub use crate::build_context::Build;
pub use crate::client_address::check as check_client_address;
pub use crate::component::{ErasedComponent, SharedComponent};
pub use crate::future::{BoxFuture, LocalBoxFuture};
pub use crate::http::{InFlight, MemoryAccount, MemoryShare, Place};
pub use crate::listening::why_unbound;
pub use crate::log::{count_lost_log_line, log, lost_log_lines};
pub use crate::middleware::{Continuation, ErasedMiddleware, SharedMiddleware};
pub use crate::route::RouteDeclaration;
pub use crate::route_info::RouteNotes;
pub use crate::state::Kept;
pub use crate::template::{is_normal_tail, normalise};
