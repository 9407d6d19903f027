//! Routes that operators ask for often and do not want to see.

/// A setting of a route: its requests are in no log and in no metric.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unwatched;
