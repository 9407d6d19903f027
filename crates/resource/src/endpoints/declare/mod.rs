//! The declaration of a resource, in values that do not depend on its type.

pub(super) mod any_shapes;
pub(super) mod bounds;
pub(super) mod computed;
pub(super) mod export_settings;
pub(super) mod info;
pub(super) mod names;
pub(super) mod registered;
pub(super) mod relation;
pub(super) mod report_once;
pub(super) mod scope_rule;
pub(super) mod settings;
