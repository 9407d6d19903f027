//! Defines [`AnyEntity`], a trait object for an entity of any resource.

use std::any::Any;

use restwright_core::body::write_json;
use restwright_core::http::HttpResponse;
use restwright_core::runtime::Members;
use restwright_core::schema::{Checks, Schema, Violations};
use restwright_core::{Data, Problem, Result};
use restwright_list::{FieldValue, Value};
use serde::Serialize;
use serde_json::Value as Json;

use super::Resource;
use super::member_changes::MemberChanges;
use crate::entity::{Entity, Versioned};

/// An entity of any resource, as a trait object. Code that uses the trait object is compiled once instead of once per resource.
pub(crate) trait AnyEntity: Entity + Any {
    fn cloned(&self) -> Box<dyn AnyEntity>;

    /// Runs the custom checks of the entity's schema and returns the violations.
    fn own_violations(&self) -> Violations;

    /// Returns the entity as JSON, or null if it cannot be serialized.
    fn to_json(&self) -> Json;

    /// Converts the entity to the JSON that clients receive. Returns null if the entity cannot be serialized.
    fn into_view(self: Box<Self>) -> Json;

    /// Writes the client's view of the entity to the member `data` of the response body, with the given changes.
    fn write_view(self: Box<Self>, changes: Option<&MemberChanges>, response: &mut HttpResponse) -> Result<()>;

    /// Returns the members of the entity in a list. They contain all fields.
    fn item_members(&self) -> Result<Members>;

    /// Returns the members of the client's view of the entity. They contain all fields.
    fn view_members(self: Box<Self>) -> Result<Members>;

    /// Applies the body of an update to the entity.
    fn change(&mut self, changes: Box<dyn AnyBody>, checks: &mut Checks<'_>) -> Result<()>;

    /// Replaces all values that clients may set. The argument `new` is the body of a create.
    fn replace(&mut self, new: Box<dyn AnyBody>) -> Result<()>;

    /// Copies the value of a field from another entity of the same type.
    fn copy_field(&mut self, from: &(dyn AnyEntity + 'static), field: &str) -> Result<()>;
}

/// An entity that a store returned, with its version.
pub(super) type Found = Versioned<Box<dyn AnyEntity>>;

impl<R: Resource> AnyEntity for R {
    fn cloned(&self) -> Box<dyn AnyEntity> {
        Box::new(self.clone())
    }

    fn own_violations(&self) -> Violations {
        let mut violations = Violations::default();
        Schema::run_checks(self, &mut Checks::new(&mut violations));
        violations
    }

    fn to_json(&self) -> Json {
        json(self)
    }

    fn into_view(self: Box<Self>) -> Json {
        json(&R::View::from(*self))
    }

    fn write_view(self: Box<Self>, changes: Option<&MemberChanges>, response: &mut HttpResponse) -> Result<()> {
        let view = R::View::from(*self);
        match changes {
            None => write_json(&Data(view), response),
            Some(changes) => write_json(&Data(changes.apply_to_one(Members::of(&view))?), response),
        }
    }

    fn item_members(&self) -> Result<Members> {
        Members::of(&R::Item::from(self.clone()))
    }

    fn view_members(self: Box<Self>) -> Result<Members> {
        Members::of(&R::View::from(*self))
    }

    fn change(&mut self, changes: Box<dyn AnyBody>, checks: &mut Checks<'_>) -> Result<()> {
        Resource::change(self, *typed(changes)?, checks);
        Ok(())
    }

    fn replace(&mut self, new: Box<dyn AnyBody>) -> Result<()> {
        Resource::replace(self, *typed(new)?);
        Ok(())
    }

    fn copy_field(&mut self, from: &(dyn AnyEntity + 'static), field: &str) -> Result<()> {
        if Resource::copy_field(self, typed_ref(from)?, field) {
            return Ok(());
        }
        Err(Problem::internal(format!(
            "`Resource::copy_field` must copy the field `{field}`, which only some callers may write"
        )))
    }
}

fn json(value: &impl Serialize) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}

impl Clone for Box<dyn AnyEntity> {
    fn clone(&self) -> Self {
        (**self).cloned()
    }
}

/// A request body of any type, as a trait object.
pub(crate) trait AnyBody: Any {
    fn cloned(&self) -> Box<dyn AnyBody>;
}

impl<B: Any + Clone> AnyBody for B {
    fn cloned(&self) -> Box<dyn AnyBody> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn AnyBody> {
    fn clone(&self) -> Self {
        (**self).cloned()
    }
}

/// The identifier from a request path, as a trait object.
pub(super) trait AnyIdentifier: Any {
    fn to_value(&self) -> Value<'_>;
}

impl<I: FieldValue + 'static> AnyIdentifier for I {
    fn to_value(&self) -> Value<'_> {
        FieldValue::to_value(self)
    }
}

/// Downcasts a boxed value to the type `T`. Returns an error if the value has another type.
pub(crate) fn typed<T: Any>(value: Box<dyn Any>) -> Result<Box<T>> {
    value.downcast().map_err(|_other| wrong_type(std::any::type_name::<T>()))
}

/// Downcasts a reference to the type `T`. Returns an error if the value has another type.
pub(super) fn typed_ref<'a, T: Any>(value: &'a (dyn Any + 'static)) -> Result<&'a T> {
    value.downcast_ref().ok_or_else(|| wrong_type(std::any::type_name::<T>()))
}

/// Downcasts a mutable reference to the type `T`. Returns an error if the value has another type.
pub(super) fn typed_mut<'a, T: Any>(value: &'a mut (dyn Any + 'static)) -> Result<&'a mut T> {
    value.downcast_mut().ok_or_else(|| wrong_type(std::any::type_name::<T>()))
}

/// Returns the problem for a value that does not have the expected type.
#[cold]
fn wrong_type(expected: &str) -> Problem {
    Problem::internal(format!("a value must have the type `{expected}`"))
}
