//! Defines the request bodies of operations that change or delete several entities.

use restwright_core::body::{JsonPlan, ReadBody};
use restwright_core::conditional::{EntityTag, PreconditionRequired};
use restwright_core::http::IncomingBody;
use restwright_core::operation::{Operation, SchemaUse};
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{
    Code, CompiledSchema, Property, PropertyCollection, ReadError, SchemaObject, SchemaSide, SchemaType, Violation,
    Violations, array, string,
};
use restwright_core::{BuildContext, BuildErrors, RequestHead, Result};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::batch::{MAX_ITEMS, batch_of};
use super::body::{Sent, SentPlan, SentReader};
use super::parameter_text::parameter_text;
use super::plain_text::{self, check_texts};
use crate::definition::EntityDefinition;
use crate::endpoints::declare::info::stored_identifier;
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::any_entity::AnyIdentifier;
use crate::endpoints::erased::kind::{Batch, Shape};

/// The regular expression for a strong entity tag (RFC 9110, section 8.8.3).
const TAG: &str = r#"^"[!#-~]*"$"#;

/// The regular expression of a tag that may be weak.
const ANY_TAG: &str = r#"^(W/)?"[!#-~]*"$"#;

/// The smallest double above which not every integer is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The entity that an item of a batch refers to, and the state that it must have.
pub(in crate::endpoints) struct Target {
    pub(in crate::endpoints) id: Box<dyn AnyIdentifier>,
    pub(in crate::endpoints) if_match: Option<EntityTag>,
}

/// The items of a batch of updates, each with a merge patch (RFC 7396).
pub(in crate::endpoints) struct ChangedEntities(pub(in crate::endpoints) Vec<(Target, Sent)>);

/// The items of a batch of deletes.
pub(in crate::endpoints) struct DeletedEntities(pub(in crate::endpoints) Vec<Target>);

/// The request body. Its schema has checked the names of the members.
#[derive(Deserialize)]
struct SentBatch<'j> {
    #[serde(borrow)]
    data: Vec<SentItem<'j>>,
}

#[derive(Deserialize)]
struct SentItem<'j> {
    id: Value,
    if_match: Option<String>,
    #[serde(borrow)]
    changes: Option<&'j RawValue>,
}

pub(in crate::endpoints) struct TargetsPlan {
    batch: &'static dyn Batch,
    definition: EntityDefinition,
    /// The documented schema of the body.
    body: JsonPlan,
    /// The schema that reads the body. It accepts any changes, because [`SentPlan`] checks the changes of each item.
    items: CompiledSchema,
    id: CompiledSchema,
    /// Reads the changes of an update.
    changes: Option<SentPlan>,
}

impl TargetsPlan {
    fn new(changes: Option<SentPlan>, context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        let batch = batch_of(context)?;
        let info = resource_of(context)?.clone();
        let needs_tag = context.route().setting::<PreconditionRequired>().is_some();
        let pattern = if context.configuration().values().weak_tags { ANY_TAG } else { TAG };
        let registry = context.registry();
        let (kind, one) = (info.kind, &info.names.singular);
        let id = batch.identifier(registry).description(format!("The identifier of the {one}."));
        let tag = string("if_match").pattern(pattern);
        let tag = tag
            .description(format!("The `ETag` of the {one}. The request changes nothing if one {one} has another tag."));
        let tag = if needs_tag { tag } else { tag.optional() };
        let update = changes.as_ref().map(|_| SchemaObject::new(kind.schema_type(Shape::Update, registry)));
        let (verb, prefix) = if update.is_some() { ("change", "Update") } else { ("delete", "Delete") };
        let name = |part: &str| format!("{}{prefix}{part}", info.names.id);
        let item = |name: String, changes: Option<SchemaObject>| {
            let item = PropertyCollection::new(name).closed().property(id.clone()).property(tag.clone());
            changes.into_iter().fold(item, |item, changes| {
                item.property(Property::new("changes", changes).description("A JSON merge patch (RFC 7396)."))
            })
        };
        let envelope = |name: String, item: SchemaObject| {
            let data = array("data", item).description(format!("The entities to {verb}.")).min_items(1);
            PropertyCollection::new(name).closed().property(data.max_items(MAX_ITEMS))
        };
        // A schema without a name is not a component of the document.
        let any = update.is_some().then(|| SchemaType::any().into());
        let items = envelope(String::new(), item(String::new(), any).into());
        let items = registry.compile(items, SchemaSide::Input, None);
        let id_shape = registry.compile_property(&id, SchemaSide::Input, None);
        let documented = SchemaObject::new(registry.define_collection(&item(name("Item"), update)));
        let documented = registry.define_collection(&envelope(name("Batch"), documented));
        let body = JsonPlan::new(SchemaUse::input(documented), context);
        Ok(Self { batch, definition: info.definition, body, items, id: id_shape, changes })
    }

    async fn read<T>(
        &self,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
        with_changes: impl Fn(Option<&RawValue>, usize) -> Result<T, ReadError>,
    ) -> Result<Option<Vec<(Target, T)>>> {
        let read = |_: &CompiledSchema, json: &[u8], limit: usize| self.read_items(json, limit, &with_changes);
        self.body.read(head, body, violations, read).await
    }

    fn read_items<T>(
        &self,
        json: &[u8],
        limit: usize,
        with_changes: &impl Fn(Option<&RawValue>, usize) -> Result<T, ReadError>,
    ) -> Result<Vec<(Target, T)>, ReadError> {
        self.items.read_value(json, limit)?;
        let unreadable = || Violations::one(Violation::new("", Code::UNREADABLE, "cannot be read"));
        let sent: SentBatch<'_> =
            serde_json::from_slice(json).map_err(|_source| ReadError::Violations(unreadable()))?;
        let mut found = Violations::with_limit(limit);
        let mut read: Vec<(Target, T)> = Vec::with_capacity(sent.data.len());
        for (index, item) in sent.data.into_iter().enumerate() {
            let place = format!("/data/{index}");
            let changes = match with_changes(item.changes, found.remaining()) {
                Ok(changes) => Some(changes),
                Err(ReadError::Violations(of_item)) => {
                    found.append(&format!("{place}/changes"), of_item);
                    None
                }
                Err(error) => return Err(error),
            };
            let id = match self.read_identifier(&item.id, found.remaining()) {
                Ok(id) => id,
                Err(of_item) => {
                    found.append(&format!("{place}/id"), of_item);
                    continue;
                }
            };
            let stored = |id: &dyn AnyIdentifier| stored_identifier(&self.definition, id.to_value()).into_owned();
            if read.iter().any(|(other, _)| stored(&*other.id) == stored(&*id)) {
                let message = "occurs more than once; send each identifier once";
                found.push(Violation::new(format!("{place}/id"), Code::UNIQUE_ITEMS, message));
            }
            let if_match = item.if_match.as_deref().and_then(EntityTag::parse).map(|tag| tag.to_strong());
            read.extend(changes.map(|changes| (Target { id, if_match }, changes)));
        }
        found.into_result().map_err(ReadError::Violations)?;
        check_texts(json, limit)?;
        Ok(read)
    }
}

impl TargetsPlan {
    fn read_identifier(&self, json: &Value, limit: usize) -> Result<Box<dyn AnyIdentifier>, Violations> {
        // A number with a fraction or an exponent is read as a double, which must not become another integer.
        if json.as_f64().is_some_and(|double| json.is_f64() && double.abs() >= EXACT) {
            let message = "is too large for a number with a fraction or an exponent; write an integer without both";
            return Err(Violations::one(Violation::new("", Code::INVALID, message)));
        }
        self.batch.read_identifier(&self.id, &parameter_text(json), limit)
    }
}

impl ReadBody for ChangedEntities {
    type Plan = TargetsPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<TargetsPlan, BuildErrors> {
        let changes = SentPlan::of_update(context)?;
        TargetsPlan::new(Some(changes), context)
    }

    fn describe(plan: &TargetsPlan, operation: &mut Operation) {
        plain_text::describe(&plan.body, operation);
    }

    async fn read(
        plan: &TargetsPlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        let Some(changes) = &plan.changes else { return Ok(None) };
        let reader = SentReader::new(changes, head)?;
        let with_changes = |json: Option<&RawValue>, limit: usize| {
            reader.read_sent(json.map_or("null", RawValue::get).as_bytes(), limit)
        };
        Ok(plan.read(head, body, violations, with_changes).await?.map(Self))
    }
}

impl ReadBody for DeletedEntities {
    type Plan = TargetsPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<TargetsPlan, BuildErrors> {
        TargetsPlan::new(None, context)
    }

    fn describe(plan: &TargetsPlan, operation: &mut Operation) {
        plain_text::describe(&plan.body, operation);
    }

    async fn read(
        plan: &TargetsPlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        let read = plan.read(head, body, violations, |_, _| Ok(())).await?;
        Ok(read.map(|items| Self(items.into_iter().map(|(target, ())| target).collect())))
    }
}
