//! Extensions that a third party may write against `restwright-core` alone.

mod access_cards;
mod limiter_store;
mod position;
mod release_header;

pub use access_cards::AccessCards;
pub use limiter_store::FixedWindow;
pub use position::{Position, PositionPlan};
pub use release_header::ReleaseHeader;
