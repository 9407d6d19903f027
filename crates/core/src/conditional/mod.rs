//! Contains entity tags, preconditions and 304 responses for conditional requests (RFC 9110, section 13).

mod entity_tag;
mod preconditions;
mod tagged;
mod weak_tags;

pub use entity_tag::EntityTag;
pub use preconditions::{PreconditionRequired, Preconditions, PreconditionsPlan};
pub use tagged::{Tagged, describe_tag, respond_with_tag, set_not_modified};
pub use weak_tags::{strengthen_if_match, weaken_tag};
