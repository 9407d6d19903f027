//! Serves an Api.
#[cfg(feature = "actix-web")]
mod app;
mod body;
mod bound;
mod connection;
mod exchange;
mod host;
mod listener;
mod names;
mod peer;
mod request;
mod response;
mod run;
mod signals;
mod watchdog;
mod worker;

#[cfg(feature = "actix-web")]
pub use app::{ApiService, service};
pub use bound::{Bound, StopHandle};
pub use host::{Host, serve, serve_on};
pub use listener::Listener;
pub use run::run;
