//! Defines [`UpdateBody`], the body of an update: a merge patch (RFC 7396) or a JSON Patch (RFC 6902).

use std::sync::Arc;

use restwright_core::body::{Bytes, JsonPlan, ReadBody};
use restwright_core::http::IncomingBody;
use restwright_core::http::header::CONTENT_TYPE;
use restwright_core::operation::{MediaTypeObject, Operation, SchemaUse};
use restwright_core::problem::{RequestViolations, ViolationLocation, catalogue};
use restwright_core::runtime::{is_of, unsupported_media_type};
use restwright_core::schema::{
    Code, CompiledSchema, JsonPatch, PatchError, ReadError, SchemaSide, Violation, Violations,
};
use restwright_core::{BuildContext, BuildErrors, Problem, RequestHead, Result};

use super::body::{Sent, SentPlan, SentReader};
use super::plain_text::check_texts;
use crate::endpoints::caller::field_rights::{FieldNames, FieldRights, Guards};
use crate::endpoints::declare::settings::{OperationSettings, resource_of};
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::erased::kind::Shape;
use crate::endpoints::erased::member_changes::MemberChanges;
use crate::endpoints::{Endpoints, Resource};

impl<R: Resource> Endpoints<R> {
    /// Accepts a JSON Patch (RFC 6902) of the media type `application/json-patch+json` in updates, in addition to a merge patch.
    ///
    /// The operations change the entity as the caller sees it, without included entities and computed properties. A patch contains at
    /// most 100 operations. The changed entity must not exceed the body limit after any operation. An operation that does not match the
    /// entity, such as a failed `test`, is a 409. All other behaviour equals a merge patch.
    ///
    /// Building the Api fails with [`prepare_update`](Self::prepare_update).
    pub fn json_patch(mut self) -> Self {
        self.declared.info.accepts_json_patch = true;
        self
    }
}

/// The body of an update.
pub(in crate::endpoints) enum UpdateBody {
    Merge(Sent),
    Patch(SentPatch),
}

/// A JSON Patch. It changes the entity as the caller sees it.
pub(in crate::endpoints) struct SentPatch {
    plan: Arc<SentPlan>,
    names: Arc<[FieldNames]>,
    json: Bytes,
    /// The maximum size of the changed entity, which is the limit of the body.
    max_bytes: usize,
    max_violations: usize,
}

pub(in crate::endpoints) struct UpdatePlan {
    sent: Arc<SentPlan>,
    /// Reads a JSON Patch, if the resource accepts it.
    patch: Option<PatchPlan>,
}

struct PatchPlan {
    json: JsonPlan,
    /// The names of the fields that only some callers may read.
    names: Arc<[FieldNames]>,
}

const MERGE_PATCH: [&str; 2] = ["application/merge-patch+json", "application/json"];
const JSON_PATCH: &str = "application/json-patch+json";

impl ReadBody for UpdateBody {
    type Plan = UpdatePlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<UpdatePlan, BuildErrors> {
        let sent = Arc::new(SentPlan::of_update(context)?);
        let info = resource_of(context)?.clone();
        let runs_steps = context.route().setting::<OperationSettings>().is_some_and(|settings| settings.runs_steps);
        if info.accepts_json_patch && runs_steps {
            return Err(BuildErrors::one(format!(
                "`{}` has a step `Endpoints::prepare_update` and accepts a JSON Patch, but the changes of a JSON Patch depend on the stored entity, which is \
                 read in the transaction after the step; remove `Endpoints::json_patch`, or do the work in a hook `before_update`",
                info.definition.name()
            )));
        }
        let patch = info.accepts_json_patch.then(|| PatchPlan {
            json: JsonPlan::new(SchemaUse::input(JsonPatch::schema()), context),
            names: Guards::of(&info.definition)
                .map(|guards| guards.names(&info, &[Shape::View], SchemaSide::Output, context.registry()))
                .unwrap_or_default()
                .into(),
        });
        Ok(UpdatePlan { sent, patch })
    }

    fn describe(plan: &UpdatePlan, operation: &mut Operation) {
        plan.sent.describe(operation);
        let Some(body) = &mut operation.request_body else { return };
        let schema = body.content.iter().find_map(|content| content.schema.clone());
        let merge_patches = MERGE_PATCH.map(|name| {
            let content = MediaTypeObject::new(name);
            schema.iter().cloned().fold(content, MediaTypeObject::schema)
        });
        let patch = plan.patch.iter();
        let patch = patch.map(|_| MediaTypeObject::new(JSON_PATCH).schema(SchemaUse::input(JsonPatch::schema())));
        body.content = merge_patches.into_iter().chain(patch).collect();
    }

    async fn read(
        plan: &UpdatePlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        let content_type = head.request().header(&CONTENT_TYPE).unwrap_or_default();
        // Other JSON would be applied with the wrong meaning.
        if MERGE_PATCH.iter().any(|name| is_of(content_type, name)) {
            return Ok(plan.sent.read(head, body, violations).await?.map(Self::Merge));
        }
        match &plan.patch {
            Some(patch) if is_of(content_type, JSON_PATCH) => {
                let max_violations = violations.remaining();
                if patch.json.read(head, body, violations, check).await?.is_none() {
                    return Ok(None);
                }
                Ok(Some(Self::Patch(SentPatch {
                    plan: Arc::clone(&plan.sent),
                    names: Arc::clone(&patch.names),
                    max_bytes: body.limit(),
                    json: body.bytes().await?,
                    max_violations,
                })))
            }
            Some(_) => {
                let [merge_patch, json] = MERGE_PATCH;
                Err(unsupported_media_type(&[merge_patch, json, JSON_PATCH]))
            }
            None => Err(Problem::new(catalogue::UNSUPPORTED_MEDIA_TYPE)
                .detail(
                    "The body must be a JSON merge patch (RFC 7396): send `Content-Type: application/merge-patch+json`.",
                )
                .detail_key("unsupported_media_type.merge_patch")),
        }
    }
}

impl SentPatch {
    /// Applies the operations to the view of an entity, and reads the changes like a merge patch.
    ///
    /// # Errors
    /// 409 if an operation does not match the entity, and 422 for other violations. Their pointers refer to the operations.
    pub(in crate::endpoints) fn sent(&self, entity: Box<dyn AnyEntity>, rights: &FieldRights) -> Result<Sent> {
        let changes = MemberChanges::new(rights.hidden(&self.names), None);
        let shown = changes.apply(0, entity.into_view(changes.removes_members()))?;
        let shown = str::from_utf8(shown.json()).map_err(Problem::internal)?;
        let patch = self.patch()?;
        let changes = patch.to_merge_patch(shown, self.plan.shape(), self.max_bytes).map_err(|error| failed(&error))?;
        let reader = SentReader::with_rights(&self.plan, rights)?;
        reader.read_sent(changes.as_bytes(), self.max_violations).map_err(|error| match error {
            ReadError::Violations(found) => self.located(found.into()),
            error => Problem::internal(error),
        })
    }

    /// Changes the pointers of the violations, which refer to the changed entity. They then refer to the operations. The parameter
    /// `property` contains the original pointer.
    pub(in crate::endpoints) fn located(&self, problem: Problem) -> Problem {
        let Ok(patch) = self.patch() else { return problem };
        problem.map_violations(|mut violation| {
            let place = patch.place_of(&violation.pointer);
            let property = std::mem::replace(&mut violation.pointer, place);
            violation.param("property", property)
        })
    }

    fn patch(&self) -> Result<JsonPatch<'_>> {
        // The body was checked when it was read.
        let text = str::from_utf8(&self.json).ok();
        text.and_then(JsonPatch::parse).ok_or_else(|| Problem::internal("the body is not a JSON Patch"))
    }
}

/// Checks that a body is a JSON Patch.
fn check(shape: &CompiledSchema, json: &[u8], limit: usize) -> Result<(), ReadError> {
    shape.read_value(json, limit)?;
    check_texts(json, limit)?;
    let is_patch = str::from_utf8(json).is_ok_and(|text| JsonPatch::parse(text).is_some());
    let unreadable = || Violations::one(Violation::new("", Code::UNREADABLE, "cannot be read"));
    if is_patch { Ok(()) } else { Err(ReadError::Violations(unreadable())) }
}

/// Returns the problem for an operation that cannot be applied.
fn failed(error: &PatchError) -> Problem {
    let mut violations = RequestViolations::new(1);
    violations.push(ViolationLocation::Body, error.violation());
    if !error.is_conflict() {
        return violations.into_result().err().unwrap_or_else(|| Problem::new(catalogue::INVALID_REQUEST));
    }
    Problem::new(catalogue::CONFLICT)
        .detail(format!("The operation {} does not match the current state.", error.index))
        .detail_key("conflict.patch")
        .detail_param("operation", error.index)
        .violations(violations.iter().cloned())
}
