//! Entities, rows and pages of any resource, as trait objects.

pub(super) mod any_entity;
pub(super) mod item;
pub(super) mod kind;
pub(super) mod member_changes;
pub(super) mod paginates;
pub(super) mod repository;
