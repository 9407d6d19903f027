//! The bodies of updates.

use restwright_core::body::{Bytes, JsonPlan, ReadBody};
use restwright_core::http::IncomingBody;
use restwright_core::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use restwright_core::operation::{MediaTypeObject, Operation};
use restwright_core::part::RequestHead;
use restwright_core::problem::{RequestViolations, catalogue};
use restwright_core::schema::{Code, CompiledSchema, ReadError, Schema, Violations, pointer_to};
use restwright_core::{BuildContext, BuildErrors, Problem, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::resource::Resource;

/// A value as a client sent it for an entity that exists.
#[derive(Clone)]
pub(super) struct Sent<B> {
    pub(super) value: B,
    pub(super) json: Bytes,
    /// Members that clients may see and not change, which have to be as they are stored.
    pub(super) unchanged: Map<String, Value>,
}

/// Changes as a JSON merge patch (RFC 7396).
pub(super) struct MergePatch<R: Resource>(pub(super) Sent<R::Update>);

/// A new value in place of the old one.
pub(super) struct Replacement<R: Resource>(pub(super) Sent<R::New>);

/// The plan of a body, with the names of the properties that clients see.
pub(super) struct SentPlan {
    json: JsonPlan,
    visible: Vec<String>,
}

const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");
const MEDIA_TYPES: [&str; 2] = ["application/merge-patch+json", "application/json"];

impl<R: Resource> ReadBody for MergePatch<R> {
    type Plan = SentPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<SentPlan, BuildErrors> {
        SentPlan::new::<R, R::Update>(context)
    }

    fn describe(plan: &SentPlan, operation: &mut Operation) {
        plan.json.describe(operation);
        let Some(body) = &mut operation.request_body else { return };
        let schema = body.content.iter().find_map(|content| content.schema.clone());
        body.content = MEDIA_TYPES
            .map(|name| {
                let content = MediaTypeObject::new(name);
                schema.iter().cloned().fold(content, MediaTypeObject::schema)
            })
            .into();
    }

    async fn read(
        plan: &SentPlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        // Other JSON, such as a JSON Patch (RFC 6902), would be read as what it is not.
        if !head.request().header(&CONTENT_TYPE).is_some_and(is_merge_patch) {
            return Err(Problem::new(catalogue::UNSUPPORTED_MEDIA_TYPE)
                .detail(
                    "The body has to be a JSON merge patch (RFC 7396): send `Content-Type: application/merge-patch+json`.",
                )
                .header(ACCEPT_PATCH, HeaderValue::from_static("application/merge-patch+json, application/json")));
        }
        Ok(plan.read(head, body, violations).await?.map(Self))
    }
}

impl<R: Resource> ReadBody for Replacement<R> {
    type Plan = SentPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<SentPlan, BuildErrors> {
        SentPlan::new::<R, R::New>(context)
    }

    fn describe(plan: &SentPlan, operation: &mut Operation) {
        plan.json.describe(operation);
    }

    async fn read(
        plan: &SentPlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        Ok(plan.read(head, body, violations).await?.map(Self))
    }
}

impl SentPlan {
    fn new<R: Resource, B: Schema + DeserializeOwned>(context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        let json = <B as ReadBody>::plan(context)?;
        let view = R::View::schema_type(context.registry());
        let properties = context.registry().collection(&view).map(|view| view.properties().to_vec());
        let visible = properties.unwrap_or_default().iter().map(|property| property.name().to_owned()).collect();
        Ok(Self { json, visible })
    }

    async fn read<B: Schema + DeserializeOwned>(
        &self,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Sent<B>>> {
        let read = |shape: &CompiledSchema, json: &[u8], limit: usize| {
            let found = match shape.read::<B>(json, limit) {
                Err(ReadError::Violations(found)) => found,
                read => return read.map(|value| (value, Map::new())),
            };
            let Some((rest, unchanged)) = self.without_unchangeable(json, &found) else {
                return Err(ReadError::Violations(self.of_changeable(found)));
            };
            shape.read::<B>(&rest, limit).map(|value| (value, unchanged))
        };
        let Some((value, unchanged)) = self.json.read(head, body, violations, read).await? else { return Ok(None) };
        // The body is buffered.
        Ok(Some(Sent { value, json: body.bytes().await?, unchanged }))
    }

    /// Returns the body without the members that clients may see and not change, and these, if they are all that is wrong with it.
    fn without_unchangeable(&self, json: &[u8], found: &Violations) -> Option<(Vec<u8>, Map<String, Value>)> {
        let names = found.iter().map(|violation| self.unchangeable(&violation.code, &violation.pointer));
        let names: Vec<&String> = names.collect::<Option<_>>()?;
        let mut members: Map<String, Value> = serde_json::from_slice(json).ok()?;
        let unchanged = names.into_iter().filter_map(|name| members.remove_entry(name)).collect();
        Some((serde_json::to_vec(&members).ok()?, unchanged))
    }

    /// Returns the violations of what clients may change: what they may not is compared when the rest is valid.
    fn of_changeable(&self, found: Violations) -> Violations {
        let mut kept = Violations::with_limit(found.limit());
        let found = found.into_iter();
        found.filter(|one| self.unchangeable(&one.code, &one.pointer).is_none()).for_each(|one| kept.push(one));
        kept
    }

    /// Returns the visible property that a violation says to be unknown in a body.
    fn unchangeable(&self, code: &Code, pointer: &str) -> Option<&String> {
        self.visible.iter().find(|name| *code == Code::UNKNOWN_PROPERTY && pointer_to(name) == pointer)
    }
}

fn is_merge_patch(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    MEDIA_TYPES.iter().any(|name| essence.eq_ignore_ascii_case(name))
}
