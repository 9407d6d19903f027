//! Rejects members of a request body that the caller may not write.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::body::JsonPlan;
use restwright_core::schema::{CompiledSchema, SchemaSide, Withheld};
use restwright_core::{BuildContext, BuildErrors, Problem, RequestHead, Result};

use crate::codes;
use crate::endpoints::caller::field_rights::{FieldNames, FieldRights, Guards};
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::erased::kind::Shape;

/// The fields of a request body that only some callers may write. They are collected when the Api is built.
pub(in crate::endpoints) struct BodyGuards {
    guards: Arc<Guards>,
    names: Vec<FieldNames>,
    /// The member that contains a list of entities. Without it, the body is an entity.
    list: Option<&'static str>,
}

impl BodyGuards {
    /// Collects the JSON names of the fields that only some callers may write. Returns `None` if the resource has no such fields.
    ///
    /// # Errors
    /// Fails if the body is a map or any value, because its schema does not name the members.
    pub(super) fn new(
        info: &ResourceInfo,
        shape: Shape,
        list: Option<&'static str>,
        body: &JsonPlan,
        context: &mut BuildContext<'_>,
    ) -> Result<Option<Self>, BuildErrors> {
        let Some(guards) = Guards::of(&info.definition) else { return Ok(None) };
        let names = guards.names(info, &[shape, Shape::View], SchemaSide::Input, context.registry());
        if body.shape().withholding(list, []).is_none() {
            return Err(BuildErrors::one(format!(
                "`{}` has fields that only some callers may write, but a request body of the resource is a map or any value; declare the \
                 properties of the body",
                info.definition.name()
            )));
        }
        Ok(Some(Self { guards, names, list }))
    }

    pub(super) fn rights(&self, head: &RequestHead<'_>) -> FieldRights {
        self.guards.rights(&head.request().identity())
    }

    /// Returns the schema of the body of a create for one caller. A member that the caller may read but not write causes a `read_only`
    /// violation. Any other member that the caller may not write causes the same violation as an unknown member.
    pub(super) fn of_new<'s>(
        guards: Option<&Self>,
        head: &RequestHead<'_>,
        body: &'s JsonPlan,
    ) -> Result<Cow<'s, CompiledSchema>> {
        let body = body.shape();
        let Some(guards) = guards else { return Ok(Cow::Borrowed(body)) };
        let read_only = Withheld::Rejected(codes::READ_ONLY, "cannot be set by this caller; leave it out");
        guards.withholding(body, guards.barred(&guards.rights(head), &read_only))
    }

    /// Returns `true` if the caller may read the member with this name.
    pub(super) fn may_read(&self, name: &str, rights: &FieldRights) -> bool {
        let mut fields = self.names.iter().filter(|field| field.names.iter().any(|known| known == name));
        fields.all(|field| rights.may_read(&field.field))
    }

    /// Returns the members that the caller may not write. The members that the caller may read are treated as `readable`.
    pub(super) fn barred(&self, rights: &FieldRights, readable: &Withheld) -> Vec<(&str, Withheld)> {
        let barred = self.names.iter().filter(|field| !rights.may_write(&field.field));
        let treated = barred.flat_map(|field| {
            let treatment = if rights.may_read(&field.field) { readable.clone() } else { Withheld::Unknown };
            field.names.iter().map(move |name| (name.as_str(), treatment.clone()))
        });
        treated.collect()
    }

    pub(super) fn withholding<'s>(
        &self,
        body: &'s CompiledSchema,
        members: Vec<(&str, Withheld)>,
    ) -> Result<Cow<'s, CompiledSchema>> {
        if members.is_empty() {
            return Ok(Cow::Borrowed(body));
        }
        // `new` has checked that the schema can withhold members.
        let unchecked = || Problem::internal("the schema of the body cannot withhold members");
        body.withholding(self.list, members).map(Cow::Owned).ok_or_else(unchecked)
    }
}
