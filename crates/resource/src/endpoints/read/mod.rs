//! The bodies and parameters of requests.

pub(super) mod batch;
pub(super) mod batch_changes;
pub(super) mod body;
pub(super) mod body_guards;
pub(super) mod list_request;
pub(super) mod parameter_text;
pub(super) mod plain_text;
pub(super) mod search;
pub(super) mod update_body;
