//! Conditional requests (RFC 9110, section 13): entity tags, preconditions for changes, and 304 responses.

mod entity_tag;
mod preconditions;
mod tagged;

pub use entity_tag::EntityTag;
pub use preconditions::{PreconditionRequired, Preconditions, PreconditionsPlan};
pub use tagged::{Tagged, describe_tag, respond_with_tag};
