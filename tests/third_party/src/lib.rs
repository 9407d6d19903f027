//! Extensions that a third party may write against `restwright-core` alone.

mod limiter_store;

pub use limiter_store::FixedWindow;
