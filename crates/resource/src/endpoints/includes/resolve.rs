//! Finds the targets of relations when an Api is built.

use std::sync::Arc;

use restwright_core::BuildErrors;
use restwright_core::schema::{PropertyCollection, Registry, SchemaSide};
use restwright_list::{Direction, SortBag, SortFields};

use super::document::Added;
use super::resolved::{Link, Resolved};
use super::source::{Source, Sources};
use crate::definition::{EntityDefinition, FieldDefinition};
use crate::endpoints::caller::field_rights::FieldNames;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::relation::{MOST, MOST_NESTED, Relation, ToMany, modes};
use crate::endpoints::declare::settings::OperationSettings;
use crate::endpoints::erased::kind::Shape;

/// Returns the relations whose target resources are found. Reports an error for every other relation.
pub(super) fn all(
    relations: &[Relation],
    (settings, sources): (&OperationSettings, &Sources),
    registry: &mut Registry,
    added: &Added,
    errors: &mut BuildErrors,
) -> Vec<Arc<Resolved>> {
    let mut resolver = Resolver { settings, sources, registry, added, errors };
    resolver.level(relations, &settings.resource, true)
}

struct Resolver<'r> {
    settings: &'r OperationSettings,
    sources: &'r Sources,
    registry: &'r mut Registry,
    /// The properties that were already added to the schemas, one for each relation.
    added: &'r Added,
    errors: &'r mut BuildErrors,
}

impl Resolver<'_> {
    fn level(&mut self, relations: &[Relation], owner: &ResourceInfo, may_nest: bool) -> Vec<Arc<Resolved>> {
        let mut resolved: Vec<Arc<Resolved>> = Vec::with_capacity(relations.len());
        for (index, relation) in relations.iter().enumerate() {
            let found = match self.mistake(relation, relations.get(..index).unwrap_or_default(), owner, may_nest) {
                Some(mistake) => Err(mistake),
                None => self.one(relation, owner),
            };
            match found {
                Ok(found) => resolved.push(Arc::new(found)),
                Err(mistake) => self.errors.push(format!(
                    "the relation `{}` of `{}` {mistake}",
                    relation.name,
                    owner.definition.name()
                )),
            }
        }
        resolved
    }

    /// Returns an error message if a relation is invalid regardless of its target.
    fn mistake(
        &mut self,
        relation: &Relation,
        before: &[Relation],
        owner: &ResourceInfo,
        may_nest: bool,
    ) -> Option<String> {
        let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if relation.name.is_empty() || !relation.name.chars().all(is_word) {
            return Some("has an invalid name; use letters, digits and `_`".to_owned());
        }
        if before.iter().any(|other| other.name == relation.name) {
            return Some("is declared twice; remove one, or give one another name".to_owned());
        }
        if !may_nest && !relation.nested.is_empty() {
            return Some(
                "contains relations, but is itself contained in a relation; includes have at most two levels, so remove them".to_owned(),
            );
        }
        if relation.has_fields() && (relation.many.is_some() || !may_nest) {
            return Some(
                "has filters or sort fields, which only relations of the first level to one entity can have; remove them".to_owned(),
            );
        }
        if relation.many.as_ref().is_some_and(|many| many.max == 0 || many.max > MOST) {
            return Some(format!("must embed at least 1 and at most {MOST} entities; change its `max`"));
        }
        let nested: u32 = relation.nested.iter().filter_map(|nested| Some(nested.many.as_ref()?.max)).sum();
        let below = relation.many.as_ref().map_or(nested, |many| many.max.saturating_mul(nested));
        if below > MOST_NESTED {
            return Some(format!(
                "can embed {below} entities at its second level for one entity; lower the `max` of the two levels, so that it is at most {MOST_NESTED}"
            ));
        }
        let is_computed = owner.computed.iter().any(|field| field.name == relation.name);
        if is_computed
            || [Shape::View, Shape::Item].into_iter().any(|shape| self.has_property(owner, shape, &relation.name))
        {
            return Some("has the name of a property of the response; give the relation another name".to_owned());
        }
        None
    }

    fn one(&mut self, relation: &Relation, owner: &ResourceInfo) -> Result<Resolved, String> {
        let definition = &owner.definition;
        let (source, reference) = match &relation.many {
            None => self.to_one(relation, definition)?,
            Some(many) => self.to_many(relation, many, definition)?,
        };
        if let Some(hooks) = source.skipped_hooks {
            return Err(format!(
                "embeds entities of `{}`, whose hooks `{hooks}` run before views but not before lists, so an include would skip them; add `Mode::List` to \
                 `MODES` and restrict the query in `before_list`",
                source.info.definition.name()
            ));
        }
        let target = source.info.definition.clone();
        let mut links = vec![reference];
        for field in target.scope_fields() {
            let shared = definition.scope_fields().find(|own| own.name() == field.name());
            let is_linked = links.iter().any(|link| link.related.name() == field.name());
            if let Some(own) = shared.filter(|_| !is_linked) {
                links.push(Link { own: own.clone(), related: field.clone() });
            }
        }
        check_parents(&target, &links)?;
        let order = match &relation.many {
            None => by_identifier(&target)?,
            Some(many) => order_of(many, &source)?,
        };
        let names = self.names(&source);
        let nested = self.level(&relation.nested, &source.info, false);
        let max = relation.many.as_ref().map(|many| many.max);
        let (filters, sorts) = (relation.filters.clone(), relation.sorts.clone());
        Ok(Resolved { name: relation.name.clone(), source, links, order, max, names, nested, filters, sorts })
    }

    fn to_one(&self, relation: &Relation, owner: &EntityDefinition) -> Result<(Arc<Source>, Link), String> {
        let name = relation.own_field();
        let field = owner.get(&name).and_then(|field| Some((field, field.reference()?.0)));
        let Some((field, target)) = field else {
            return Err(format!(
                "needs a field `{name}` that refers to another entity; add `references(..)` to this field, or name another field, such as \
                 `{} = \"buyer_id\"` or `Relation::field`",
                relation.name
            ));
        };
        let source = self.source(target, false)?;
        let related = identifier(&source.info.definition).ok_or("has a target without an identifier")?;
        Ok((source, Link { own: field.clone(), related }))
    }

    fn to_many(
        &self,
        relation: &Relation,
        many: &ToMany,
        owner: &EntityDefinition,
    ) -> Result<(Arc<Source>, Link), String> {
        let source = self.source(&many.of, true)?;
        let target = &source.info.definition;
        let refers = |field: &&FieldDefinition| field.reference().is_some_and(|(target, _)| target == owner.name());
        let fields: Vec<_> = target.fields().filter(refers).collect();
        let named = |field: &&&FieldDefinition| relation.field.as_ref().is_none_or(|name| name == field.name());
        let mut named = fields.iter().filter(named);
        let (field, other) = (named.next(), named.next());
        let names = || fields.iter().map(|field| format!("`{}`", field.name())).collect::<Vec<_>>().join(" and ");
        let related = match (field, other, &relation.field) {
            (Some(field), None, _) => (**field).clone(),
            (None, _, Some(name)) => {
                return Err(format!(
                    "names the field `{name}` of `{}`, which does not refer to `{}`; name a field that does, or add `references(..)` to it",
                    target.name(),
                    owner.name()
                ));
            }
            (None, ..) => {
                return Err(format!(
                    "needs a field of `{0}` that refers to `{1}`, but there is none; add `references(..)` to a field of `{0}`",
                    target.name(),
                    owner.name()
                ));
            }
            _ => {
                return Err(format!(
                    "has several fields of `{}` that refer to `{}`: {}; choose one with `by = \"..\"` or `Relation::field`",
                    target.name(),
                    owner.name(),
                    names()
                ));
            }
        };
        let own = identifier(owner).ok_or("has an owner without an identifier")?;
        Ok((source, Link { own, related }))
    }

    fn source(&self, target: &str, is_many: bool) -> Result<Arc<Source>, String> {
        self.sources.find(target, modes(is_many)).ok_or_else(|| {
            let operations = if is_many { "views and lists" } else { "views" };
            format!("embeds entities of `{target}`, but no resource of the Api serves {operations} of them; add its endpoints to the Api")
        })
    }

    /// Returns `true` if a schema of a resource already contains a property with this name that is not a relation.
    fn has_property(&mut self, of: &ResourceInfo, shape: Shape, name: &str) -> bool {
        // The schemas of a resource that is declared at run time are registered for one operation.
        of.set_shapes(self.registry);
        let schema = of.kind.schema_type(shape, self.registry);
        let properties = self.registry.collection(&schema).map(PropertyCollection::properties).unwrap_or_default();
        let is_taken = properties.iter().any(|property| property.name_in(SchemaSide::Output) == name);
        self.settings.resource.set_shapes(self.registry);
        is_taken && !self.added.contains(&schema, name)
    }

    /// Returns the JSON names of the restricted fields in a view. Only some callers may read or write these fields.
    fn names(&mut self, source: &Source) -> Vec<FieldNames> {
        let Some(guards) = &source.guards else { return Vec::new() };
        source.info.set_shapes(self.registry);
        let names = guards.names(&source.info, &[Shape::View], SchemaSide::Output, self.registry);
        self.settings.resource.set_shapes(self.registry);
        names
    }
}

impl Relation {
    /// Returns the name of the field that contains the reference of a relation to one entity.
    pub(super) fn own_field(&self) -> String {
        self.field.clone().unwrap_or_else(|| format!("{}_id", self.name))
    }
}

fn identifier(definition: &EntityDefinition) -> Option<FieldDefinition> {
    definition.fields().next().cloned()
}

/// Rejects a relation if a parent's policy restricts who can see the related entities. An include does not check parents.
fn check_parents(target: &EntityDefinition, links: &[Link]) -> Result<(), String> {
    for field in target.fields() {
        let Some(parent) = field.parent_definition().filter(|parent| parent.has_policy()) else { continue };
        if links.iter().any(|link| link.related.name() == field.name()) {
            continue;
        }
        return Err(format!(
            "embeds entities of `{}`, which are only visible to callers who see their parent of `{}`, and an include does not check this; remove the \
             relation, or declare a policy on `{0}`",
            target.name(),
            parent.name()
        ));
    }
    Ok(())
}

fn by_identifier(definition: &EntityDefinition) -> Result<SortBag, String> {
    let fields = SortFields::by_identifier(definition.identifier().to_owned());
    SortBag::among(&fields, []).ok_or_else(|| "has a target without an identifier".to_owned())
}

/// Returns the sort order of a relation to many entities. By default it is the order of the related resource's list.
fn order_of(many: &ToMany, source: &Source) -> Result<SortBag, String> {
    let definition = &source.info.definition;
    let readable = |field: &FieldDefinition| field.is_single() && field.read_access().is_none();
    let fields = definition.fields().skip(1).filter(|field| readable(field));
    let identifier = SortFields::by_identifier(definition.identifier().to_owned());
    let fields = fields.fold(identifier, |fields, field| fields.field(field.name().to_owned()));
    let Some(order) = &many.order else {
        // Fields that only some callers may read are left out, because the order would reveal them.
        let is_readable = |name: &str| name == definition.identifier() || definition.get(name).is_some_and(readable);
        let usual = source
            .order
            .iter()
            .filter(|(name, _)| is_readable(name))
            .map(|(name, direction)| (name.as_str(), *direction));
        return SortBag::among(&fields, usual).ok_or_else(|| "has an invalid default order".to_owned());
    };
    let requested = order.split(',').map(|name| match name.trim().strip_prefix('-') {
        Some(name) => (name, Direction::Descending),
        None => (name.trim(), Direction::Ascending),
    });
    SortBag::among(&fields, requested).ok_or_else(|| {
        format!(
            "has the order `{order}`, which must contain each field at most once, and only fields of `{}` with single values that every caller may read; \
             write for example `order = \"-created_at\"`",
            definition.name()
        )
    })
}
