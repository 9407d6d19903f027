//! Reads the bodies of updates and replacements. Read-only members are allowed if their values are unchanged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use restwright_core::body::{Bytes, JsonPlan, ReadBody};
use restwright_core::http::IncomingBody;
use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{CompiledSchema, PropertyCollection, ReadError, Registry, Withheld};
use restwright_core::{BuildContext, BuildErrors, RequestHead, Result};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::body_guards::BodyGuards;
use super::plain_text::{self, check_texts};
use crate::endpoints::caller::field_rights::FieldRights;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::settings::{OperationSettings, resource_of};
use crate::endpoints::erased::any_entity::AnyBody;
use crate::endpoints::erased::kind::{Kind, ReadJson, Shape, SplitBody};

/// The body of a request that changes or replaces an existing entity.
pub(in crate::endpoints) struct Sent {
    pub(in crate::endpoints) value: Box<dyn AnyBody>,
    /// The value after the steps that run before the transaction, if the resource has steps.
    pub(in crate::endpoints) prepared: Option<Box<dyn AnyBody>>,
    pub(in crate::endpoints) json: Bytes,
    /// The read-only members of the body. Their values must equal the current values of the entity.
    pub(in crate::endpoints) unchanged: Map<String, Value>,
}

/// Returns `true` if a JSON object has a member with this name.
pub(in crate::endpoints) fn has_member(json: &[u8], name: &str) -> bool {
    let members = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(json);
    members.is_ok_and(|members| members.contains_key(name))
}

/// The body of a replacement, which contains the new values of the entity.
pub(in crate::endpoints) struct Replacement(pub(in crate::endpoints) Sent);

/// The prepared schema of a request body, with the names of the read-only properties.
pub(in crate::endpoints) struct SentPlan {
    json: JsonPlan,
    /// The schema of the body, which sets read-only members apart.
    shape: CompiledSchema,
    read: ReadJson,
    unchangeable: Vec<String>,
    guards: Option<BodyGuards>,
}

impl ReadBody for Replacement {
    type Plan = SentPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<SentPlan, BuildErrors> {
        let info = resource_of(context)?;
        let json = info.kind.plan_body(Shape::New, context);
        SentPlan::new(info, Shape::New, json, info.kind.read_new(), context)
    }

    fn describe(plan: &SentPlan, operation: &mut Operation) {
        plan.describe(operation);
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
    /// Prepares to read the body of an update, which is a JSON merge patch (RFC 7396).
    pub(super) fn of_update(context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        let info = resource_of(context)?;
        let json = info.kind.plan_body(Shape::Update, context);
        Self::new(info, Shape::Update, json, info.kind.read_update(), context)
    }

    fn new(
        info: &ResourceInfo,
        body: Shape,
        json: JsonPlan,
        read: ReadJson,
        context: &mut BuildContext<'_>,
    ) -> Result<Self, BuildErrors> {
        let guards = BodyGuards::new(info, body, None, &json, context)?;
        let relations = context.route().setting::<OperationSettings>().map(|settings| &settings.relations);
        let kind = info.kind;
        let registry = context.registry();
        let mut unchangeable = property_names(kind, Shape::View, registry);
        // Clients cannot send related entities and computed fields.
        let is_relation =
            |name: &str| relations.is_some_and(|relations| relations.contain(info.definition.name(), name));
        let is_computed = |name: &str| info.computed.iter().any(|field| field.name == name);
        unchangeable.retain(|name| !json.shape().declares(name) && !is_relation(name) && !is_computed(name));
        let apart = unchangeable.iter().map(|name| (name.as_str(), Withheld::Apart));
        let shape = json.shape().withholding(None, apart).unwrap_or_else(|| json.shape().clone());
        Ok(Self { json, shape, read, unchangeable, guards })
    }

    /// Returns the schema of the body.
    pub(super) fn shape(&self) -> &CompiledSchema {
        self.json.shape()
    }

    pub(super) fn describe(&self, operation: &mut Operation) {
        plain_text::describe(&self.json, operation);
    }

    pub(super) async fn read(
        &self,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Sent>> {
        let reader = SentReader::new(self, head)?;
        let read_plain = |_: &CompiledSchema, json: &[u8], limit: usize| {
            let sent = reader.read(json, limit)?;
            check_texts(json, limit).map(|()| sent)
        };
        let read = self.json.read(head, body, violations, read_plain).await?;
        let Some((value, unchanged)) = read else { return Ok(None) };
        // The body is buffered.
        Ok(Some(Sent { value, prepared: None, json: body.bytes().await?, unchanged }))
    }
}

/// Reads a request body according to the rights of one caller.
pub(super) struct SentReader<'p> {
    /// The schema of the body for the caller. It sets the members apart that the caller may read and not change.
    shape: Cow<'p, CompiledSchema>,
    read: ReadJson,
}

impl<'p> SentReader<'p> {
    pub(super) fn new(plan: &'p SentPlan, head: &RequestHead<'_>) -> Result<Self> {
        let rights = plan.guards.as_ref().map(|guards| guards.rights(head));
        Self::with_rights(plan, &rights.unwrap_or_default())
    }

    pub(super) fn with_rights(plan: &'p SentPlan, rights: &FieldRights) -> Result<Self> {
        let shape = match &plan.guards {
            Some(guards) if !(rights.unreadable().is_empty() && rights.unwritable().is_empty()) => {
                let mut members = guards.barred(rights, &Withheld::Apart);
                let unchangeable = plan.unchangeable.iter().map(String::as_str);
                let readable = unchangeable.filter(|name| guards.may_read(name, rights));
                members.extend(readable.map(|name| (name, Withheld::Apart)));
                guards.withholding(plan.json.shape(), members)?
            }
            _ => Cow::Borrowed(&plan.shape),
        };
        Ok(Self { shape, read: plan.read })
    }

    /// Reads JSON that is a part of a request body.
    pub(super) fn read_sent(&self, json: &[u8], limit: usize) -> Result<Sent, ReadError> {
        let (value, unchanged) = self.read(json, limit)?;
        Ok(Sent { value, prepared: None, json: Bytes::copy_from_slice(json), unchanged })
    }

    fn read(&self, json: &[u8], limit: usize) -> Result<SplitBody, ReadError> {
        (self.read)(&self.shape, json, limit)
    }
}

/// Returns the names of the properties that a schema declares.
pub(in crate::endpoints) fn property_names(kind: &dyn Kind, shape: Shape, registry: &mut Registry) -> Vec<String> {
    let schema = kind.schema_type(shape, registry);
    let properties = registry.collection(&schema).map(PropertyCollection::properties).unwrap_or_default();
    properties.iter().map(|property| property.name().to_owned()).collect()
}
