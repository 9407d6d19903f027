//! Reads the related entities that a request includes. Each relation needs one statement.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};

use restwright_core::http::{HttpResponse, StatusCode};
use restwright_core::{Problem, Result};
use restwright_list::{Comparison, Expression, Window};

use super::embedded::Embedded;
use super::parameter::{Includes, Selected};
use super::source::{Key, Source};
use crate::definition::FieldDefinition;
use crate::endpoints::any_entity::AnyEntity;
use crate::endpoints::call::Call;
use crate::endpoints::computed;
use crate::endpoints::entities::Entities;
use crate::endpoints::hooks::Moment;
use crate::endpoints::info::stored_value;
use crate::endpoints::shown::masked;
use crate::endpoints::unit::Unit;
use crate::store::{ListQuery, Store};

/// The maximum number of keys in a statement. A page with more entities needs several statements.
const KEYS: usize = 1024;

impl Includes {
    /// Reads the entities that the selected relations embed in the given entities.
    pub(super) async fn load(&self, entities: &[&dyn AnyEntity]) -> Result<Embedded> {
        Ok(Embedded::new(members(&self.selected, entities).await?, self.are_guarded()))
    }

    fn are_guarded(&self) -> bool {
        let is_guarded = |selected: &Selected| selected.relation.source.is_guarded();
        self.selected.iter().any(|selected| is_guarded(selected) || selected.nested.iter().any(is_guarded))
    }
}

/// Returns the members that the selected relations add to each entity, as JSON without braces.
async fn members(selected: &[Selected], entities: &[&dyn AnyEntity]) -> Result<Vec<String>> {
    let mut members = vec![String::new(); entities.len()];
    for one in selected {
        for (members, value) in members.iter_mut().zip(one.values(entities).await?) {
            if !members.is_empty() {
                members.push(',');
            }
            // The name consists of letters, digits and `_`.
            members.extend(["\"", &one.relation.name, "\":", &value]);
        }
    }
    Ok(members)
}

impl Selected {
    /// Returns one JSON string per entity, which contains the related entities of this entity.
    async fn values(&self, entities: &[&dyn AnyEntity]) -> Result<Vec<String>> {
        let links = &self.relation.links;
        let keys: Vec<_> = entities.iter().map(|entity| key(*entity, links.iter().map(|link| &link.own))).collect();
        let wanted: BTreeSet<&Key> = keys.iter().flatten().filter(|key| self.is_in_scope(key)).collect();
        let mut parts = match self.relation.max {
            None => self.read_one(&wanted).await?,
            Some(max) => self.read_many(&wanted, max).await?,
        };
        let mut related = Vec::new();
        for part in &mut parts {
            related.extend(self.relation.source.info.kind.entities(&mut **part)?);
        }
        let computed = computed::members(&self.relation.source.info, &self.call, &related).await?;
        let mut nested = Embedded::new(computed, false);
        if !self.nested.is_empty() {
            nested = nested.and(&Embedded::new(Box::pin(members(&self.nested, &related)).await?, false));
        }
        let nested = nested.members();
        let mut found: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for (index, entity) in related.iter().enumerate() {
            if let Some(key) = key(*entity, links.iter().map(|link| &link.related)) {
                found.entry(key).or_default().push(index);
            }
        }
        let written: Result<Vec<_>> = related
            .iter()
            .enumerate()
            .map(|(index, entity)| {
                let members = nested.get(index).map(String::as_str).unwrap_or_default();
                written(&self.relation.source, self, *entity, members)
            })
            .collect();
        let written = written?;
        let text = |index: &usize| written.get(*index).map(String::as_str).unwrap_or("null");
        let Some(max) = self.relation.max else {
            let first = |key: &Option<Key>| found.get(key.as_ref()?)?.first();
            return Ok(keys.iter().map(|key| first(key).map_or("null", text).to_owned()).collect());
        };
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        for group in found.values_mut() {
            group.sort_by(|left, right| match (related.get(*left), related.get(*right)) {
                (Some(left), Some(right)) => self.relation.order.compare(*left, *right),
                _ => left.cmp(right),
            });
        }
        let many = keys.iter().map(|key| {
            let group = key.as_ref().and_then(|key| found.get(key)).map(Vec::as_slice).unwrap_or_default();
            let shown: Vec<_> = group.iter().take(max).map(text).collect();
            format!("{{\"data\":[{}],\"has_more\":{}}}", shown.join(","), group.len() > max)
        });
        Ok(many.collect())
    }

    /// Returns `true` if the values of the scope fields in a key are equal to the values in the caller's scope.
    fn is_in_scope(&self, key: &Key) -> bool {
        let mut values = self.relation.links.iter().zip(key);
        values.all(|(link, value)| self.call.scope.get(link.related.name()).is_none_or(|wanted| wanted == value))
    }

    /// Reads the related entities of a relation to one entity, by their identifiers.
    async fn read_one(&self, wanted: &BTreeSet<&Key>) -> Result<Vec<Box<dyn Any>>> {
        let Some(reference) = self.relation.links.first() else { return Ok(Vec::new()) };
        let identifiers: BTreeSet<_> = wanted.iter().filter_map(|key| key.first()).collect();
        let identifiers: Vec<_> = identifiers.into_iter().cloned().collect();
        let mut parts = Vec::new();
        for identifiers in identifiers.chunks(KEYS) {
            let mut identifiers = identifiers.to_vec();
            // Few different numbers of values lead to few different statements, which databases prepare once.
            if let Some(last) = identifiers.last().cloned() {
                identifiers.resize(identifiers.len().next_power_of_two(), last);
            }
            let filter = Expression::condition(reference.related.name().to_owned(), Comparison::In(identifiers));
            let query = ListQuery::of(filter, self.relation.order.clone(), Window::skip(0, u32::MAX));
            parts.push(self.relation.source.read(&self.call, &query, None).await?);
        }
        Ok(parts)
    }

    /// Reads the first `max` related entities for each key of a relation to many entities.
    async fn read_many(&self, wanted: &BTreeSet<&Key>, max: u32) -> Result<Vec<Box<dyn Any>>> {
        // The scope of the statement restricts the other fields already.
        let is_compared = |(index, link): &(usize, &super::plan::Link)| {
            *index == 0 || self.call.scope.get(link.related.name()).is_none()
        };
        let compared: Vec<_> = self.relation.links.iter().enumerate().filter(is_compared).collect();
        let fields: Vec<_> = compared.iter().map(|(_, link)| link.related.name()).collect();
        let keys = wanted.iter().map(|key| compared.iter().filter_map(|(index, _)| key.get(*index).cloned()).collect());
        let keys: Vec<Key> = keys.collect();
        let order = self.relation.order.clone();
        let query = ListQuery::of(Expression::TRUE, order, Window::skip(0, max));
        let mut parts = Vec::new();
        for keys in keys.chunks(KEYS) {
            parts.push(self.relation.source.read(&self.call, &query, Some((&fields, keys))).await?);
        }
        Ok(parts)
    }
}

/// Returns the values of the given fields, or `None` if a value is null.
fn key<'f>(entity: &dyn AnyEntity, fields: impl Iterator<Item = &'f FieldDefinition>) -> Option<Key> {
    let values = fields.map(|field| Some(stored_value(field, entity.value(field.name())).into_owned()));
    values.map(|value| value.filter(|value| !value.is_null())).collect()
}

/// Returns an embedded entity as JSON, without the fields that the caller may not read. `members` contains its nested relations.
fn written(source: &Source, selected: &Selected, entity: &dyn AnyEntity, members: &str) -> Result<String> {
    let mut response = HttpResponse::new(StatusCode::OK);
    entity.cloned().write_view(&mut response)?;
    let json = response.payload().as_bytes().ok_or_else(|| Problem::internal("an entity is not JSON"))?;
    let json = masked(json, &selected.call.rights, &selected.relation.names)?;
    let json = String::from_utf8(json.into_owned()).map_err(Problem::internal)?;
    let inner = json.strip_prefix("{\"data\":").and_then(|json| json.strip_suffix('}'));
    let inner = inner.ok_or_else(|| {
        Problem::internal(format!("an entity of `{}` has no envelope", source.info.definition.name()))
    })?;
    let mut inner = inner.to_owned();
    super::embedded::append(&mut inner, members);
    Ok(inner)
}

impl<S: Store> Entities<S> {
    /// Reads the related entities that match a query. The result is a list of the resource's type. With `keys`, the result is a `Vec` with
    /// the first entities of the query for each key. Hooks of lists and presenters run as in a list of the resource.
    pub(super) async fn related(
        &self,
        call: &Call,
        query: &ListQuery<'_>,
        keys: Option<(&[&str], &[Key])>,
    ) -> Result<Box<dyn Any>> {
        self.run(call, None, async |attempt| {
            let mut unit = Unit::begin(self, call, attempt, false).await?;
            let mut query = query.clone();
            unit.run_hooks(Moment::BeforeList(&mut query)).await?;
            let mut related = match keys {
                None => unit.list(&query, false).await?.0,
                Some((fields, keys)) => unit.list_per_key(&query, fields, keys).await?,
            };
            unit.commit(Vec::new(), &mut *related).await?;
            Ok(related)
        })
        .await
    }
}
