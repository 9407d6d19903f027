//! Defines [`Shown`], a response that contains only the fields that its caller may read.

use restwright_core::http::header::CACHE_CONTROL;
use restwright_core::http::{HeaderValue, HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::schema::{SchemaObject, SchemaSide};
use restwright_core::{BuildContext, BuildErrors, Response, Result};

use super::computed_values;
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::field_rights::{FieldNames, FieldRights, Guards};
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::kind::Shape;
use crate::endpoints::erased::member_changes::{Embedded, MemberChanges};

/// A response whose entities do not respect the rights of the caller yet. Only [`Shown`] turns it into a [`Response`], so every response
/// respects them.
pub(in crate::endpoints) trait Unmasked {
    type Plan: Send + Sync + 'static;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Creates the HTTP response, and [applies](MemberChanges::apply) the changes to each entity.
    fn respond(self, plan: &Self::Plan, request: &HttpRequest, changes: Option<MemberChanges>) -> Result<HttpResponse>;
}

/// A response without the fields that the caller may not read, and with computed fields and related entities.
pub(in crate::endpoints) struct Shown<T> {
    rights: FieldRights,
    /// The computed fields and related entities, without the fields that the caller may not read.
    embedded: Option<Embedded>,
    response: T,
}

impl<T> Shown<T> {
    pub(in crate::endpoints) fn new(call: &Call, response: T) -> Self {
        Self { rights: call.rights.clone(), embedded: None, response }
    }

    /// Adds related entities to the entities of the response.
    pub(in crate::endpoints) fn with(self, embedded: Option<Embedded>) -> Self {
        Self { embedded, ..self }
    }
}

impl<T: Unmasked + 'static> Response for Shown<T> {
    /// The prepared response, and the JSON names of the fields that only some callers may read or write.
    type Plan = (T::Plan, Vec<FieldNames>);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let plan = T::plan(context)?;
        let info = resource_of(context)?;
        computed_values::describe(info, context.registry());
        let guards = Guards::of(&info.definition);
        let names = guards
            .map(|guards| guards.names(info, &[Shape::View, Shape::Item], SchemaSide::Output, context.registry()));
        Ok((plan, names.unwrap_or_default()))
    }

    fn describe((plan, _): &Self::Plan, operation: &mut Operation) {
        T::describe(plan, operation);
    }

    fn respond(self, (plan, names): &Self::Plan, request: &HttpRequest) -> Result<HttpResponse> {
        let is_private = self.embedded.as_ref().is_some_and(|embedded| embedded.is_private);
        let is_hidden = |field: &FieldNames| !self.rights.may_read(&field.field);
        let is_changed = self.embedded.is_some() || names.iter().any(is_hidden);
        let changes = is_changed.then(|| MemberChanges::new(self.rights.hidden(names), self.embedded));
        let mut response = self.response.respond(plan, request, changes)?;
        if self.rights.are_guarded() || is_private {
            response.insert_header(CACHE_CONTROL, PRIVATE);
        }
        Ok(response)
    }
}

/// The `Cache-Control` of responses that depend on their caller. Shared caches do not store them, and other caches revalidate them before each
/// use (RFC 9111, section 5.2.2).
pub(in crate::endpoints) const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Adds the header `Cache-Control` to the OpenAPI responses that contain entities.
pub(in crate::endpoints) fn describe_private(operation: &mut Operation, is_optional: bool) {
    let has_entities = |status: &StatusCode| status.is_success() && *status != StatusCode::NO_CONTENT;
    let statuses: Vec<_> = operation.inline_responses().map(|response| response.status).collect();
    for status in statuses.iter().filter(|status| has_entities(status) || **status == StatusCode::NOT_MODIFIED) {
        let header = HeaderObject::new("Cache-Control", SchemaUse::output(SchemaObject::string()));
        let header = header.description("`private, no-cache`, because callers see different properties.");
        operation.response(*status).add_header(if is_optional { header.optional() } else { header });
    }
}
