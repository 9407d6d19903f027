//! Filters and sorts a list by fields of related entities, such as `customer.name`.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use restwright_core::auth::Identity;
use restwright_core::schema::{Property, PropertyCollection, SchemaSide};
use restwright_core::{BuildContext, BuildErrors, Problem, Result};
use restwright_list::{
    AddedFields, Comparison, Condition, Exists, Expression, FilterFields, Operator, PlannedList, Related, SortEntry,
    Value,
};

use super::access;
use super::resolved::Resolved;
use crate::definition::FieldDefinition;
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::field_rights::FieldRights;
use crate::endpoints::declare::settings::OperationSettings;
use crate::endpoints::erased::kind::Shape;
use crate::endpoints::read::list_request::ListRequest;
use crate::store::RelatedValue;

/// The relations whose fields the filters or the order of a list can name. They are set when the list is planned.
#[derive(Default)]
pub(in crate::endpoints) struct RelatedFields(OnceLock<Vec<Arc<Resolved>>>);

/// Adds the filters and the sort fields of relations to a list.
///
/// A filter or an order does not run the hooks of the related resource, and a condition of a policy cannot contain another one on related
/// entities. Relations with either are errors.
pub(super) fn plan(
    relations: &[Arc<Resolved>],
    (settings, related): (&OperationSettings, &RelatedFields),
    context: &mut BuildContext<'_>,
) -> Result<(), BuildErrors> {
    let mut errors = BuildErrors::new();
    let (mut filters, mut sorts) = (FilterFields::new(), Vec::new());
    for relation in relations.iter().filter(|relation| relation.has_fields()) {
        mistakes(relation, settings, context, &mut errors);
        for (field, operators) in &relation.filters {
            let property = errors.take(property(relation, field, settings, context));
            filters =
                property.into_iter().fold(filters, |all, property| all.field(property, operators.iter().copied()));
        }
        for field in &relation.sorts {
            let property = errors.take(property(relation, field, settings, context));
            sorts.extend(property.map(|property| property.name().to_owned()));
        }
    }
    AddedFields::new(filters, sorts).add_to(context);
    related.0.get_or_init(|| relations.iter().filter(|relation| relation.has_fields()).cloned().collect());
    errors.finish(Some(()))
}

/// Reports a relation whose entities a condition or an order cannot protect or compare.
fn mistakes(
    relation: &Resolved,
    settings: &OperationSettings,
    context: &mut BuildContext<'_>,
    errors: &mut BuildErrors,
) {
    let target = &relation.source.info.definition;
    let (owner, name) = (settings.resource.definition.name(), target.name().to_owned());
    let about = format!("the relation `{}` of `{owner}` has filters or sort fields, but", relation.name);
    if relation.source.is_hooked {
        errors.push(format!(
            "{about} hooks or presenters run in lists of `{name}`, and a filter would not run them; remove the fields, or declare a policy in place of the hooks"
        ));
    }
    if target.row_policy().is_some_and(|policy| !policy.related().is_empty()) {
        errors.push(format!(
            "{about} the policy of `{name}` reads related entities, which a condition on related entities cannot; remove the fields"
        ));
    }
    if relation.filters.iter().any(|(_, operators)| operators.contains(&Operator::Has)) {
        errors.push(format!("{about} the operator `has` is for lists; choose other operators"));
    }
    let is_sorted = !relation.sorts.is_empty();
    if is_sorted && !settings.store.sorts_by_related() {
        errors.push(format!("{about} the store cannot sort by related entities; remove the sort fields"));
    }
    if is_sorted && settings.resource.pagination.has_cursors() {
        errors.push(format!(
            "{about} the list has cursors, which would contain the values; remove the sort fields, or use pages or offsets"
        ));
    }
    let store = Arc::clone(&settings.store);
    context.check_last(move |errors| {
        if store.definition(&name).is_none() {
            errors.push(format!("{about} `{name}` is in another store; remove the fields, or use one store"));
        }
    });
}

/// Returns the property of a field in the view of the related entities, under the name of the filter.
fn property(
    relation: &Resolved,
    field: &str,
    settings: &OperationSettings,
    context: &mut BuildContext<'_>,
) -> Result<Property, BuildErrors> {
    let (target, registry) = (&relation.source.info, context.registry());
    target.set_shapes(registry);
    let schema = target.kind.schema_type(Shape::View, registry);
    let properties = registry.collection(&schema).map(PropertyCollection::properties).unwrap_or_default();
    let found = properties.iter().find(|property| property.name_in(SchemaSide::Output) == field);
    let found = found.map(|property| Property::new(format!("{}.{field}", relation.name), property.schema().clone()));
    settings.resource.set_shapes(registry);
    let is_single = target.definition.get(field).is_some_and(FieldDefinition::is_single);
    let Some(property) = found.filter(|_| is_single) else {
        return Err(BuildErrors::one(format!(
            "the relation `{}` of `{}` filters or sorts by the field `{field}`, which is not a field of `{}` with single values that its responses \
             contain; name another field",
            relation.name,
            settings.resource.definition.name(),
            target.definition.name()
        )));
    };
    let singular = &target.names.singular;
    let description = format!("The `{field}` of the {singular}. Null if there is none, or if you may not see it.");
    Ok(property.description(description))
}

impl Resolved {
    pub(super) fn has_fields(&self) -> bool {
        !self.filters.is_empty() || !self.sorts.is_empty()
    }

    /// Returns the condition that a caller can see the related entity, and that it satisfies `condition`.
    fn exists(&self, path: &str, condition: Expression, call: &Call) -> Result<Exists> {
        access::check(&self.source, self.modes(), path, &call.identity)?;
        let scope = self.source.call(self.modes(), &call.identity, None, call.now)?.scope;
        let target = &self.source.info.definition;
        let links = self.links.iter().map(|link| Related::same(link.related.owned_name(), link.own.owned_name()));
        let visible =
            target.row_policy().map_or(Expression::TRUE, |policy| policy.visible(&call.identity).condition().clone());
        let is_in_scope =
            scope.iter().map(|(field, value)| Expression::condition(field.to_owned(), Comparison::Eq(value.clone())));
        let all = is_in_scope.fold(condition.and(visible), Expression::and);
        let related = links.fold(Related::from(all), Related::and);
        Ok(Exists::new(target.name().to_owned(), related))
    }
}

impl RelatedFields {
    /// Returns the names of the fields that do not exist for a caller. `own` are the rights to the entities of the list.
    pub(in crate::endpoints) fn hidden(&self, own: &FieldRights, caller: &Identity) -> Vec<Cow<'static, str>> {
        let mut hidden = Vec::new();
        for relation in self.0.get().into_iter().flatten() {
            let rights = relation.source.rights(caller);
            let is_visible = relation.is_visible(own, &rights);
            let fields = relation.filters.iter().map(|(field, _)| field).chain(&relation.sorts);
            let is_hidden = |field: &&String| !is_visible || !rights.may_read(field);
            hidden.extend(fields.filter(is_hidden).map(|field| format!("{}.{field}", relation.name).into()));
        }
        hidden
    }

    /// Adds the filters and the sort fields of the relations to the fields of a list.
    pub(in crate::endpoints) fn add_to(&self, list: PlannedList) -> PlannedList {
        self.0.get().into_iter().flatten().fold(list, |list, relation| {
            let list = list.relation(relation.name.clone(), relation.source.info.definition.name().to_owned());
            let field = |field: &String| format!("{}.{field}", relation.name);
            let filters = relation.filters.iter();
            let list =
                filters.fold(list, |list, (name, operators)| list.filter(field(name), operators.iter().copied()));
            relation.sorts.iter().fold(list, |list, name| list.order(field(name)))
        })
    }

    /// Replaces each condition on a field of a related entity with a condition on the related entity, and adds the values that the order
    /// names. Fails with 403 if the caller may not read the related entities.
    pub(in crate::endpoints) fn resolve(&self, mut list: ListRequest, call: &Call) -> Result<ListRequest> {
        if self.0.get().is_none_or(Vec::is_empty) {
            return Ok(list);
        }
        list.filter = self.expression(list.filter, call)?;
        for name in list.order.iter().map(SortEntry::name) {
            if let Some((relation, field)) = self.find(name) {
                let exists = relation.exists(name, Expression::TRUE, call)?;
                list.related.push(RelatedValue::new(name.to_owned(), exists, field.to_owned()));
            }
        }
        Ok(list)
    }

    fn expression(&self, expression: Expression, call: &Call) -> Result<Expression> {
        let each = |several: Vec<Expression>| {
            several.into_iter().map(|one| self.expression(one, call)).collect::<Result<Vec<_>, Problem>>()
        };
        Ok(match expression {
            Expression::All(several) => Expression::All(each(several)?),
            Expression::Any(several) => Expression::Any(each(several)?),
            Expression::Not(one) => !self.expression(*one, call)?,
            Expression::Condition(condition) => match self.find(condition.field()) {
                Some((relation, field)) => related(relation, field, &condition, call)?,
                None => condition.into(),
            },
            other => other,
        })
    }

    /// Returns the relation and the field of a name such as `customer.name`.
    fn find<'n>(&self, name: &'n str) -> Option<(&Resolved, &'n str)> {
        let (relation, field) = name.split_once('.')?;
        let relation = self.0.get()?.iter().find(|known| known.name == relation)?;
        Some((&**relation, field))
    }
}

/// Returns a condition on the related entity. Without one, the result is the result for null.
fn related(relation: &Resolved, field: &str, condition: &Condition, call: &Call) -> Result<Expression> {
    let comparison = condition.comparison();
    let own = Expression::condition(field.to_owned(), comparison.clone());
    Ok(match comparison.holds(&Value::Null) {
        true => !Expression::from(relation.exists(condition.field(), !own, call)?),
        false => relation.exists(condition.field(), own, call)?.into(),
    })
}
