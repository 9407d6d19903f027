//! Defines [`AnyEntity`], a trait object for an entity of any resource.

use std::any::Any;

use restwright_core::http::HttpResponse;
use restwright_core::runtime::{Members, RawMembers, write_data};
use restwright_core::schema::{Checks, Schema, Violations};
use restwright_core::{Problem, Result};
use restwright_list::{FieldValue, Value};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::member_changes::MemberChanges;
use crate::endpoints::Resource;
use crate::entity::{Entity, Versioned};

/// An entity of any resource, as a trait object. Code that uses the trait object is compiled once instead of once per resource.
pub(crate) trait AnyEntity: Entity + Any {
    fn cloned(&self) -> Box<dyn AnyEntity>;

    /// Runs the custom checks of the entity's schema and returns the violations.
    fn own_violations(&self) -> Violations;

    /// Returns the stored entity as JSON.
    fn whole(&self) -> Result<Members>;

    /// Writes the client's view of the entity to the member `data` of the response body.
    fn write_view(self: Box<Self>, response: &mut HttpResponse) -> Result<()>;

    /// Returns the client's view of the entity. It contains all fields. `is_read` is `true` if members are read or removed.
    fn into_view(self: Box<Self>, is_read: bool) -> Result<Members>;

    /// Returns the entity as the item of a list. It contains all fields. `is_read` is `true` if members are read or removed.
    fn into_item(self: Box<Self>, is_read: bool) -> Result<Members>;

    /// Applies the body of an update to the entity.
    fn change(&mut self, changes: Box<dyn AnyBody>, checks: &mut Checks<'_>) -> Result<()>;

    /// Replaces all values that clients may set. The argument `new` is the body of a create.
    fn replace(&mut self, new: Box<dyn AnyBody>) -> Result<()>;

    /// Copies the value of a field from another entity of the same type.
    fn copy_field(&mut self, from: &(dyn AnyEntity + 'static), field: &str) -> Result<()>;
}

/// An entity that a store returned, with its version.
pub(in crate::endpoints) type Found = Versioned<Box<dyn AnyEntity>>;

impl<R: Resource> AnyEntity for R {
    fn cloned(&self) -> Box<dyn AnyEntity> {
        Box::new(self.clone())
    }

    fn own_violations(&self) -> Violations {
        let mut violations = Violations::default();
        Schema::run_checks(self, &mut Checks::new(&mut violations));
        violations
    }

    fn whole(&self) -> Result<Members> {
        Members::unread(self)
    }

    fn write_view(self: Box<Self>, response: &mut HttpResponse) -> Result<()> {
        write_data(&R::View::from(*self), response)
    }

    fn into_view(self: Box<Self>, is_read: bool) -> Result<Members> {
        members(&R::View::from(*self), is_read)
    }

    fn into_item(self: Box<Self>, is_read: bool) -> Result<Members> {
        members(&R::Item::from(*self), is_read)
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

impl dyn AnyEntity {
    /// Writes the client's view of the entity to the member `data` of the response body, with the given changes.
    pub(in crate::endpoints) fn respond(
        self: Box<Self>,
        changes: Option<&MemberChanges>,
        response: &mut HttpResponse,
    ) -> Result<()> {
        match changes {
            None => self.write_view(response),
            Some(changes) => write_data(&changes.apply_to_one(self.into_view(changes.removes_members()))?, response),
        }
    }
}

fn members(value: &impl Serialize, is_read: bool) -> Result<Members> {
    if is_read { Members::of(value) } else { Members::unread(value) }
}

/// Parses the JSON of an entity. Returns null if there is none. A member that is nested too deeply for the parser is null too.
pub(in crate::endpoints) fn parsed(entity: Option<&Members>) -> Json {
    let Some(entity) = entity else { return Json::Null };
    let Ok(RawMembers(members)) = serde_json::from_slice(entity.json()) else {
        return serde_json::from_slice(entity.json()).unwrap_or_default();
    };
    // A JSON field may have the greatest depth that the parser accepts. Inside its entity it would be one level too deep, so each member is
    // parsed separately.
    let parsed = |value: &RawValue| serde_json::from_str(value.get()).unwrap_or_default();
    members.into_iter().map(|(name, value)| (name.into_owned(), parsed(value))).collect::<Map<_, _>>().into()
}

/// Returns references to entities.
pub(in crate::endpoints) fn references(entities: &[Box<dyn AnyEntity>]) -> Vec<&dyn AnyEntity> {
    entities.iter().map(|entity| &**entity).collect()
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
pub(in crate::endpoints) trait AnyIdentifier: Any {
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
pub(in crate::endpoints) fn typed_ref<'a, T: Any>(value: &'a (dyn Any + 'static)) -> Result<&'a T> {
    value.downcast_ref().ok_or_else(|| wrong_type(std::any::type_name::<T>()))
}

/// Downcasts a mutable reference to the type `T`. Returns an error if the value has another type.
pub(crate) fn typed_mut<'a, T: Any>(value: &'a mut (dyn Any + 'static)) -> Result<&'a mut T> {
    value.downcast_mut().ok_or_else(|| wrong_type(std::any::type_name::<T>()))
}

/// Returns the problem for a value that does not have the expected type.
#[cold]
fn wrong_type(expected: &str) -> Problem {
    Problem::internal(format!("a value must have the type `{expected}`"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entity_is_parsed_as_deeply_as_its_fields() {
        let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        for entity in [json!({"a": 1, "b\"": deep(127)}), json!({}), json!([1]), json!(null), json!(deep(127))] {
            assert_eq!(parsed(Members::of(&entity).ok().as_ref()), entity);
            assert_eq!(parsed(Members::unread(&entity).ok().as_ref()), entity);
        }
    }
}
