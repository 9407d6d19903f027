//! Reads the bodies of updates and replacements. Read-only members are allowed if their values are unchanged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use restwright_core::body::{Bytes, JsonPlan, ReadBody};
use restwright_core::http::IncomingBody;
use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{
    Code, CompiledSchema, PropertyCollection, ReadError, Registry, SchemaObject, SchemaSide, Violation, Violations,
    pointer_to,
};
use restwright_core::{BuildContext, BuildErrors, RequestHead, Result};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::barred::{Barred, BodyGuards};
use super::plain_text::{self, check_texts};
use crate::endpoints::caller::field_rights::FieldRights;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::settings::{OperationSettings, resource_of};
use crate::endpoints::erased::any_entity::AnyBody;
use crate::endpoints::erased::kind::{Kind, ReadJson, Shape};
use crate::endpoints::erased::members::Place;

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
    shape: CompiledSchema,
    read: ReadJson,
    unchangeable: Vec<String>,
    guards: Option<BodyGuards>,
    /// `true` if the body may contain members that its schema does not declare.
    is_open: bool,
}

impl ReadBody for Replacement {
    type Plan = SentPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<SentPlan, BuildErrors> {
        let info = resource_of(context)?;
        let json = info.kind.plan_body(Shape::New, context);
        Ok(SentPlan::new(info, Shape::New, json, info.kind.read_new(), context))
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
        Ok(Self::new(info, Shape::Update, json, info.kind.read_update(), context))
    }

    fn new(info: &ResourceInfo, body: Shape, json: JsonPlan, read: ReadJson, context: &mut BuildContext<'_>) -> Self {
        let guards = BodyGuards::new(info, body, Place::Whole, context);
        let relations = context.route().setting::<OperationSettings>().map(|settings| &settings.relations);
        let kind = info.kind;
        let registry = context.registry();
        let changeable = property_names(kind, body, registry);
        let mut unchangeable = property_names(kind, Shape::View, registry);
        // Clients cannot send related entities and computed fields.
        let is_relation =
            |name: &str| relations.is_some_and(|relations| relations.contain(info.definition.name(), name));
        let is_computed = |name: &str| info.computed.iter().any(|field| field.name == name);
        unchangeable.retain(|name| !changeable.contains(name) && !is_relation(name) && !is_computed(name));
        let schema = SchemaObject::new(kind.schema_type(body, registry));
        let shape = registry.compile(schema, SchemaSide::Input, None);
        let is_open = !refuses_unknown(&shape, &changeable);
        Self { json, shape, read, unchangeable, guards, is_open }
    }

    pub(super) fn shape(&self) -> &CompiledSchema {
        &self.shape
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
        let reader = SentReader::new(self, head);
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
    plan: &'p SentPlan,
    /// The names of the read-only properties that the caller may read.
    unchangeable: Cow<'p, [String]>,
    barred: Option<Barred<'p>>,
}

impl<'p> SentReader<'p> {
    pub(super) fn new(plan: &'p SentPlan, head: &RequestHead<'_>) -> Self {
        let rights = plan.guards.as_ref().map(|guards| guards.rights(head));
        Self::with_rights(plan, &rights.unwrap_or_default())
    }

    pub(super) fn with_rights(plan: &'p SentPlan, rights: &FieldRights) -> Self {
        let usual = Self { plan, unchangeable: Cow::Borrowed(&plan.unchangeable), barred: None };
        let Some(guards) = &plan.guards else { return usual };
        let barred = guards.barred(rights);
        let usual = plan.unchangeable.iter().map(String::as_str).filter(|name| guards.may_read(name, rights));
        let readable = barred.iter().flat_map(|barred| barred.readable.iter().copied());
        Self { plan, unchangeable: usual.chain(readable).map(str::to_owned).collect(), barred }
    }

    /// Reads JSON that is a part of a request body.
    pub(super) fn read_sent(&self, json: &[u8], limit: usize) -> Result<Sent, ReadError> {
        let (value, unchanged) = self.read(json, limit)?;
        Ok(Sent { value, prepared: None, json: Bytes::copy_from_slice(json), unchanged })
    }

    fn read(&self, json: &[u8], limit: usize) -> Result<Split<Box<dyn AnyBody>>, ReadError> {
        // Violations of read-only members must not use up the limit. The limit is therefore raised by the number of read-only members.
        let found = match self.read_permitted(json, limit.saturating_add(self.unchangeable.len())) {
            Err(ReadError::Violations(found)) => Some(found),
            Ok(_) if self.plan.is_open => None,
            read => return read.map(|value| (value, Map::new())),
        };
        match self.without_unchangeable(json, found.as_ref()) {
            Some((rest, unchanged)) => self.read_permitted(&rest, limit).map(|value| (value, unchanged)),
            None => match found {
                Some(found) => Err(ReadError::Violations(self.of_changeable(found, limit))),
                None => self.read_permitted(json, limit).map(|value| (value, Map::new())),
            },
        }
    }

    /// Reads a body, and handles members that the caller may not write as if they were unknown.
    fn read_permitted(&self, json: &[u8], limit: usize) -> Result<Box<dyn AnyBody>, ReadError> {
        let read = |json: &[u8], limit: usize| (self.plan.read)(&self.plan.shape, json, limit);
        match &self.barred {
            Some(barred) => barred.read(json, limit, read),
            None => read(json, limit),
        }
    }

    /// Removes the read-only members from a JSON body. Returns the remaining JSON and the removed members. Returns `None` if the body has
    /// other violations.
    fn without_unchangeable(&self, json: &[u8], found: Option<&Violations>) -> Option<Split<Vec<u8>>> {
        let mut found = found.into_iter().flat_map(Violations::iter);
        if !found.all(|violation| self.is_unchangeable(violation)) {
            return None;
        }
        let mut members: Map<String, Value> = serde_json::from_slice(json).ok()?;
        let names = self.unchangeable.iter();
        let unchanged: Map<_, _> = names.filter_map(|name| members.remove_entry(name)).collect();
        if unchanged.is_empty() { None } else { Some((serde_json::to_vec(&members).ok()?, unchanged)) }
    }

    /// Removes the violations that report read-only properties as unknown. Keeps them if there are no other violations. Read-only members
    /// are compared later, when the rest of the body is valid.
    fn of_changeable(&self, found: Violations, limit: usize) -> Violations {
        let mut kept = Violations::with_limit(limit);
        let all_are_kept = found.iter().all(|one| self.is_unchangeable(one));
        let found = found.into_iter().filter(|one| all_are_kept || !self.is_unchangeable(one));
        found.for_each(|one| kept.push(one));
        kept
    }

    /// Returns `true` if a violation reports a read-only property as unknown.
    fn is_unchangeable(&self, violation: &Violation) -> bool {
        let mut names = self.unchangeable.iter();
        violation.code == Code::UNKNOWN_PROPERTY && names.any(|name| pointer_to(name) == violation.pointer)
    }
}

/// The body without its read-only members, paired with the removed members.
type Split<T> = (T, Map<String, Value>);

/// Returns the names of the properties that a schema declares.
pub(in crate::endpoints) fn property_names(kind: &dyn Kind, shape: Shape, registry: &mut Registry) -> Vec<String> {
    let schema = kind.schema_type(shape, registry);
    let properties = registry.collection(&schema).map(PropertyCollection::properties).unwrap_or_default();
    properties.iter().map(|property| property.name().to_owned()).collect()
}

/// Returns `true` if a schema rejects undeclared members.
fn refuses_unknown(shape: &CompiledSchema, declared: &[String]) -> bool {
    let length = declared.iter().map(String::len).max().unwrap_or_default();
    let name = "x".repeat(length + 1);
    let body = format!("{{\"{name}\":null}}");
    match shape.read_value(body.as_bytes(), usize::MAX) {
        Err(ReadError::Violations(found)) => found.iter().any(|one| one.code == Code::UNKNOWN_PROPERTY),
        _ => false,
    }
}
