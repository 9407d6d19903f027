//! Defines [`Item`], an entity in the response to a list, as its caller sees it.

use std::rc::Rc;

use restwright_core::Result;
use restwright_core::runtime::Members;
use restwright_core::schema::{Checks, Registry, Schema, SchemaType};
use restwright_list::{Record, Value};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};

use super::Resource;
use super::member_changes::MemberChanges;

/// An entity of a list, with the changes for the caller and its position in the list.
pub(super) struct Listed<R> {
    pub(super) entity: R,
    pub(super) changes: Option<(Rc<MemberChanges>, usize)>,
}

/// An entity in the response to a list.
pub(super) enum Item<R: Resource> {
    Unchanged(R::Item),
    Changed(Result<Members>),
}

/// Cursors contain values of entities.
impl<R: Record> Record for Listed<R> {
    fn has_field(field: &str) -> bool {
        R::has_field(field)
    }

    fn value(&self, field: &str) -> Value<'_> {
        self.entity.value(field)
    }
}

impl<R: Resource> From<Listed<R>> for Item<R> {
    fn from(Listed { entity, changes }: Listed<R>) -> Self {
        let item = R::Item::from(entity);
        match changes {
            None => Self::Unchanged(item),
            Some((changes, index)) => Self::Changed(changes.apply(index, Members::of(&item))),
        }
    }
}

impl<R: Resource> Serialize for Item<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unchanged(item) => item.serialize(serializer),
            Self::Changed(Ok(members)) => members.serialize(serializer),
            Self::Changed(Err(problem)) => Err(S::Error::custom(problem)),
        }
    }
}

impl<R: Resource> Schema for Item<R> {
    type Changes = Self;

    const NULLABLE: bool = R::Item::NULLABLE;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        R::Item::schema_type(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        if let Self::Unchanged(item) = self {
            item.run_checks(checks);
        }
    }
}
