//! Defines [`EntityRequest`], the request of every operation, and the parts of a request.

use std::sync::Arc;

use restwright_core::body::ReadBody;
use restwright_core::http::{IncomingBody, Method};
use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::runtime::RouteNotes;
use restwright_core::schema::{Mode, SchemaObject, SchemaSide};
use restwright_core::{BuildContext, BuildErrors, Part, Reader, Request, RequestHead, Result};
use restwright_list::{Operator, PlannedList, planned_fields};
use uuid::Uuid;

use crate::definition::{FieldDefinition, IdentifierKind};
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::call_plan::CallPlan;
use crate::endpoints::caller::field_rights;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::report_once::report_once;
use crate::endpoints::declare::scope_rule::check_across_scopes;
use crate::endpoints::declare::settings::{ActionMistake, OperationSettings, resource_of};
use crate::endpoints::erased::any_entity::AnyIdentifier;
use crate::endpoints::erased::kind::{IdentifierPlan, Shape};
use crate::endpoints::includes::{self, IncludeSettings, Includes};
use crate::endpoints::read::body::property_names;
use crate::endpoints::read::list_request::{ListPlan, ListRequest};
use crate::endpoints::read::search::SearchPlan;
use crate::endpoints::respond::computed_values;

/// A request to an operation of a resource. It contains the call, the relations to include, a part such as an identifier, and a body.
pub(in crate::endpoints) struct EntityRequest<P, B = NoBody> {
    pub(in crate::endpoints) call: Call,
    pub(super) includes: Option<Box<Includes>>,
    pub(in crate::endpoints) part: P,
    pub(in crate::endpoints) body: B,
}

/// Two parts of a request, which are read one after the other.
pub(in crate::endpoints) struct Both<A, B>(pub(in crate::endpoints) A, pub(in crate::endpoints) B);

/// A part of a request that contains no data.
pub(super) struct Nothing;

/// An empty request body, for an [action](crate::Endpoints::action) without a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoBody;

/// The identifier in the request path.
pub(in crate::endpoints) struct Identifier(pub(in crate::endpoints) Box<dyn AnyIdentifier>);

impl<P: Part + 'static, B: ReadBody + 'static> Request for EntityRequest<P, B> {
    type Plan = (CallPlan, Option<includes::Plan>, P::Plan, B::Plan);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        set_shapes(context);
        let mut errors = BuildErrors::new();
        let call = errors.take(CallPlan::new(context));
        let includes = includes::Plan::new(context);
        let part = errors.take(P::plan(context));
        errors.take(check(context));
        let body = errors.take(B::plan(context));
        let plan = call.zip(part).zip(body).map(|((call, part), body)| (call, includes, part, body));
        report_once(errors.finish(plan), context)
    }

    fn describe((call, includes, part, body): &Self::Plan, operation: &mut Operation) {
        call.describe(operation);
        includes.iter().for_each(|includes| includes.describe(operation));
        P::describe(part, operation);
        B::describe(body, operation);
    }

    async fn read((call, includes, part, body): &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let (head, violations) = reader.head();
        let (call, is_whole) = call.read(&head, violations);
        // A caller with too few rights gets 403, even if the request has other errors.
        let call = call.admit()?;
        let included = includes.as_ref().map_or(Ok(Some(None)), |includes| includes.read(&call, &head, violations))?;
        let call = Some(call).filter(|_| is_whole).zip(included);
        let part = reader.part::<P>(part);
        let body = reader.body::<B>(body).await?;
        let read = call.zip(part).zip(body);
        Ok(read.map(|(((call, includes), part), body)| Self { call, includes, part, body }))
    }
}

impl<A: Part, B: Part> Part for Both<A, B> {
    type Plan = (A::Plan, B::Plan);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let first = errors.take(A::plan(context));
        let second = errors.take(B::plan(context));
        errors.finish(first.zip(second))
    }

    fn describe((first, second): &Self::Plan, operation: &mut Operation) {
        A::describe(first, operation);
        B::describe(second, operation);
    }

    fn read((first, second): &Self::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let first = A::read(first, head, violations);
        let second = B::read(second, head, violations);
        first.zip(second).map(|(first, second)| Self(first, second))
    }
}

impl Part for Identifier {
    type Plan = Box<dyn IdentifierPlan>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let resource = resource_of(context)?;
        let (kind, name) = (resource.kind, resource.names.singular.clone());
        let mistake = refused_identifier(context);
        // An error that several operations share is reported once.
        mistake.into_iter().for_each(|mistake| context.api_errors().push(mistake));
        kind.plan_identifier(context, format!("The identifier of the {name}."))
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn read(plan: &Self::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        plan.read(head, violations).map(Self)
    }
}

impl Part for ListRequest {
    type Plan = (SearchPlan, ListPlan);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let (kind, pagination, definition) = {
            let resource = resource_of(context)?;
            (resource.kind, resource.pagination, resource.definition.clone())
        };
        let mut errors = BuildErrors::new();
        let search = errors.take(SearchPlan::new(&definition, context));
        let list = errors.take(ListPlan::new(kind, pagination, context));
        errors.finish(search.zip(list))
    }

    fn describe((search, list): &Self::Plan, operation: &mut Operation) {
        search.describe(operation);
        list.describe(operation);
    }

    fn read((search, list): &Self::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let search = search.read(head, violations);
        let list = list.read(head, violations);
        Some(Self { search: search?, ..list? })
    }
}

impl Part for Nothing {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    fn read((): &(), _: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(Self)
    }
}

impl ReadBody for NoBody {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    async fn read(
        (): &(),
        _: &RequestHead<'_>,
        _: &mut IncomingBody,
        _: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        Ok(Some(Self))
    }
}

/// Returns an error if the type of the identifier rejects the UUIDs that the store generates.
fn refused_identifier(context: &mut BuildContext<'_>) -> Option<String> {
    let ResourceInfo { kind, definition, .. } = resource_of(context).ok()?;
    if definition.identifier_kind() != IdentifierKind::Uuid {
        return None;
    }
    let (kind, definition) = (*kind, definition.clone());
    let violations = kind.check_identifier(&Uuid::now_v7().to_string(), context).err()?;
    let reason = violations.iter().map(|violation| violation.message.to_string()).next().unwrap_or_default();
    Some(format!(
        "the store generates UUIDs of version 7 as identifiers of `{0}`, but the type of `{0}.{1}` rejects them ({reason}); accept them, such as \
         with the type `Uuid`, or let clients give the identifiers",
        definition.name(),
        definition.identifier()
    ))
}

/// Registers the schemas of a resource before its operation is planned.
pub(super) fn set_shapes(context: &mut BuildContext<'_>) {
    if let Some(settings) = context.route().setting::<OperationSettings>() {
        settings.resource.set_shapes(context.registry());
        field_rights::describe(&settings.resource, context.registry());
    }
}

/// Checks the settings and the definition of a resource. The definition must contain the fields that a list filters and sorts by.
pub(super) fn check(context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
    let Some(settings) = context.route().setting::<OperationSettings>() else { return Ok(()) };
    let kind = settings.resource.kind;
    let mut errors = BuildErrors::new();
    if let Some(limit) = settings.hook_timeout {
        let schema = SchemaObject::new(kind.schema_type(Shape::Whole, context.registry()));
        settings.schema.get_or_init(|| context.registry().compile(schema, SchemaSide::Output, None));
        let deadline = context.route().declaration().deadline.unwrap_or(context.configuration().values().deadline);
        if limit >= deadline {
            errors.push(format!(
                "the time limit of each hook is {} ms, but must be shorter than the deadline of the route, which is {} ms; set a shorter time with `Endpoints::hook_timeout`, or a \
                 later deadline with `Configuration::deadline`",
                limit.as_millis(),
                deadline.as_millis()
            ));
        }
    }
    if let Some(ActionMistake(mistake)) = context.route().setting::<ActionMistake>() {
        errors.push(mistake);
    }
    if settings.lacks_transactions {
        errors.push(
            "hooks, actions and batches run in transactions, but the store has none; remove them, or use a store that returns `true` from \
             `Store::has_transactions`",
        );
    }
    let definition = &settings.resource.definition;
    // An error that several operations share is reported once.
    context.api_errors().take(definition.check());
    context.api_errors().take(computed_values::check(&settings.resource));
    let properties = match settings.mode {
        Mode::Create => property_names(kind, Shape::New, context.registry()),
        Mode::Update => property_names(kind, Shape::Update, context.registry()),
        _ => Vec::new(),
    };
    let is_kept = |field: &&FieldDefinition| {
        let is_identifier = field.name() == definition.identifier() && settings.mode == Mode::Update;
        is_identifier || field.is_scope() || field.managed().is_some()
    };
    for field in definition.fields().filter(is_kept) {
        if properties.iter().any(|property| property == field.name()) {
            errors.push(format!(
                "the body contains `{}` of `{}`, which clients cannot set, because it is an identifier in an update, a scope, a parent, a time or a version; remove it from the body",
                field.name(),
                definition.name()
            ));
        }
    }
    if settings.mode == Mode::List && settings.resource.export.is_some() {
        context.api_errors().take(check_across_scopes(&settings.rules, definition));
    }
    field_rights::check_required(settings, context).into_iter().for_each(|error| errors.push(error));
    // The other operations of a list have the same filters and order.
    if settings.mode == Mode::List && context.operation().method == Method::GET {
        let filtered = PlannedList::of_request(context);
        let list = definition.search_fields().fold(filtered.clone(), |list, field| {
            let is_there =
                filtered.filters().any(|(name, operators)| name == field && operators.contains(&Operator::Contains));
            if is_there { list } else { list.filter(field.to_owned(), [Operator::Contains]) }
        });
        let list = match context.route().setting::<IncludeSettings>() {
            Some(include) => include.related.add_to(list),
            None => list,
        };
        settings.store.plan_list(definition, &list);
        let (store, resource) = (Arc::clone(&settings.store), Arc::clone(&settings.resource));
        context.kept::<RouteNotes>().add(move || store.explain_list(&resource.definition, &list));
    }
    let is_list = settings.mode == Mode::List;
    let planned = PlannedList::of_request(context);
    let searched = definition.search_fields().filter(|_| is_list).map(str::to_owned).collect::<Vec<_>>();
    for (name, _) in planned.filters().filter(|(_, operators)| operators.contains(&Operator::Has)) {
        if definition.get(name).is_some_and(FieldDefinition::is_single) {
            errors.push(format!(
                "the filter `{name}` of `{}` has the operator `has`, but the field is not a list; use `eq`",
                definition.name()
            ));
        }
    }
    for field in planned_fields(context).into_iter().chain(searched) {
        if definition.get(&field).is_some_and(|field| !field.is_single() && !is_list_filter(field, &planned)) {
            errors.push(format!(
                "a filter or the order names the field `{field}` of `{}`, which holds JSON; filter and sort by fields with single values",
                definition.name()
            ));
        } else if settings.resource.computed.iter().any(|computed| computed.name == field) {
            errors.push(format!(
                "a filter or the order names the computed field `{field}` of `{}`, which stores do not contain; filter and sort by stored fields",
                definition.name()
            ));
        } else if definition.get(&field).is_none() || !kind.has_field(&field) {
            errors.push(format!(
                "a filter or the order names the field `{field}`, which is not a stored field of `{}`; add it to the definition and to the record, or use the same name in all of them",
                definition.name()
            ));
        }
    }
    errors.finish(Some(()))
}

/// Returns `true` if a request uses a field only with the filter `has`, and the field is a list of single values.
fn is_list_filter(field: &FieldDefinition, planned: &PlannedList) -> bool {
    let mut filters = planned.filters().filter(|(name, _)| *name == field.name());
    let is_sorted = planned.orders().any(|name| name == field.name());
    field.item_type().is_some() && !is_sorted && filters.all(|(_, operators)| operators == [Operator::Has])
}
