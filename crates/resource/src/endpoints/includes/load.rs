//! Reads the related entities that a request includes. Each relation needs one statement.

use restwright_core::{Problem, Result};
use restwright_list::{Comparison, Expression, Value, Window};

use super::parameter::{Includes, Selected};
use super::resolved::{Link, Resolved};
use super::source::Key;
use crate::definition::FieldDefinition;
use crate::endpoints::caller::call::Call;
use crate::endpoints::declare::info::stored_value;
use crate::endpoints::erased::any_entity::{AnyEntity, references};
use crate::endpoints::erased::member_changes::{AddedMember, Embedded, MemberChanges};
use crate::endpoints::operate::entities::Entities;
use crate::endpoints::operate::hooks::Moment;
use crate::endpoints::operate::unit::Unit;
use crate::endpoints::respond::computed_values;
use crate::store::ListQuery;

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

/// Returns the members that the selected relations add to each entity.
async fn members(selected: &[Selected], entities: &[&dyn AnyEntity]) -> Result<Vec<AddedMember>> {
    let mut members = Vec::with_capacity(selected.len());
    for one in selected {
        members.push(one.member(entities).await?);
    }
    Ok(members)
}

/// The values of the linked fields of several entities, one after the other.
struct Keys<'e> {
    values: Vec<Value<'e>>,
    width: usize,
}

impl<'e> Keys<'e> {
    fn new(entities: &[&'e dyn AnyEntity], links: &[Link], field: fn(&Link) -> &FieldDefinition) -> Self {
        let mut values = Vec::with_capacity(entities.len() * links.len());
        for entity in entities {
            values.extend(links.iter().map(field).map(|field| stored_value(field, entity.value(field.name()))));
        }
        Self { values, width: links.len() }
    }

    fn into_owned(self) -> Keys<'static> {
        Keys { values: self.values.into_iter().map(Value::into_owned).collect(), width: self.width }
    }

    /// Returns the key of each entity, or `None` if one of its values is null.
    fn iter(&self) -> impl Iterator<Item = Option<&[Value<'e>]>> {
        let keys = self.values.chunks(self.width.max(1));
        keys.map(|key| if key.iter().any(Value::is_null) { None } else { Some(key) })
    }
}

impl Selected {
    /// Returns the member of the relation in each entity.
    async fn member(&self, entities: &[&dyn AnyEntity]) -> Result<AddedMember> {
        let Resolved { name, links, order, max, .. } = &*self.relation;
        let own = Keys::new(entities, links, |link| &link.own);
        let mut wanted: Vec<_> = own.iter().flatten().filter(|key| self.is_in_scope(key)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let related = match max {
            None => self.read_one(&wanted).await?,
            Some(max) => self.read_many(&wanted, *max).await?,
        };
        let entities = references(&related);
        let theirs = Keys::new(&entities, links, |link| &link.related).into_owned();
        // The related entities by their key, and for each key in the order of the relation.
        let keyed = theirs.iter().zip(&entities).enumerate();
        let mut sorted: Vec<_> = keyed.filter_map(|(index, (key, entity))| Some((key?, *entity, index))).collect();
        sorted.sort_by(|left, right| left.0.cmp(right.0).then_with(|| order.compare(left.1, right.1)));
        let places: Vec<_> = sorted.into_iter().map(|(key, _, index)| (key, index)).collect();
        drop(entities);
        let written = self.written(related).await?;
        let found = places.into_iter().filter_map(|(key, index)| Some((key, written.get(index)?.as_str())));
        let found: Vec<_> = found.collect();
        let values = own.iter().map(|key| {
            let first = key.map_or(found.len(), |key| found.partition_point(|(other, _)| *other < key));
            let after = found.get(first..).unwrap_or_default();
            let mut group = after.iter().take_while(|(other, _)| key == Some(*other)).map(|(_, json)| *json);
            let Some(max) = max else { return group.next().unwrap_or("null").to_owned() };
            let mut value = "{\"data\":[".to_owned();
            for (index, json) in group.by_ref().take(usize::try_from(*max).unwrap_or(usize::MAX)).enumerate() {
                value.extend([if index == 0 { "" } else { "," }, json]);
            }
            value.extend(["],\"has_more\":", if group.next().is_some() { "true}" } else { "false}" }]);
            value
        });
        Ok(AddedMember { name: name.clone(), values: values.collect() })
    }

    /// Returns the JSON of each related entity, with its computed fields and nested relations.
    async fn written(&self, related: Vec<Box<dyn AnyEntity>>) -> Result<Vec<String>> {
        let entities = references(&related);
        let computed = computed_values::members(&self.relation.source.info, &self.call, &entities).await?;
        let mut nested = Embedded::new(computed, false);
        if !self.nested.is_empty() {
            nested = nested.and(Embedded::new(Box::pin(members(&self.nested, &entities)).await?, false));
        }
        let changes = MemberChanges::new(self.call.rights.hidden(&self.relation.names), Some(nested));
        drop(entities);
        let written = related.into_iter().enumerate().map(|(index, entity)| {
            let members = changes.apply(index, entity.into_view(changes.removes_members()))?;
            String::from_utf8(members.into()).map_err(Problem::internal)
        });
        written.collect()
    }

    /// Returns `true` if the values of the scope fields in a key are equal to the values in the caller's scope.
    fn is_in_scope(&self, key: &[Value<'_>]) -> bool {
        let mut values = self.relation.links.iter().zip(key);
        values.all(|(link, value)| self.call.scope.get(link.related.name()).is_none_or(|wanted| wanted == value))
    }

    /// Reads the related entities of a relation to one entity, by their identifiers.
    async fn read_one(&self, wanted: &[&[Value<'_>]]) -> Result<Vec<Box<dyn AnyEntity>>> {
        let Some(reference) = self.relation.links.first() else { return Ok(Vec::new()) };
        // The keys are sorted, so equal identifiers follow each other.
        let mut identifiers: Vec<_> =
            wanted.iter().filter_map(|key| key.first().cloned()).map(Value::into_owned).collect();
        identifiers.dedup();
        let mut related = Vec::new();
        for identifiers in identifiers.chunks(KEYS) {
            let mut identifiers = identifiers.to_vec();
            // Few different numbers of values lead to few different statements, which databases prepare once.
            if let Some(last) = identifiers.last().cloned() {
                identifiers.resize(identifiers.len().next_power_of_two(), last);
            }
            let filter = Expression::condition(reference.related.name().to_owned(), Comparison::In(identifiers));
            let query = ListQuery::of(filter, self.relation.order.clone(), Window::skip(0, u32::MAX)).skip_unreadable();
            related.extend(self.relation.source.read(&self.call, &query, None).await?);
        }
        Ok(related)
    }

    /// Reads the first `max` related entities for each key of a relation to many entities.
    async fn read_many(&self, wanted: &[&[Value<'_>]], max: u32) -> Result<Vec<Box<dyn AnyEntity>>> {
        // The scope of the statement restricts the other fields already.
        let is_compared =
            |(index, link): &(usize, &Link)| *index == 0 || self.call.scope.get(link.related.name()).is_none();
        let compared: Vec<_> = self.relation.links.iter().enumerate().filter(is_compared).collect();
        let fields: Vec<_> = compared.iter().map(|(_, link)| link.related.name()).collect();
        let key_of = |key: &&[Value<'_>]| {
            compared.iter().filter_map(|(index, _)| key.get(*index).cloned()).map(Value::into_owned).collect()
        };
        let keys: Vec<Key> = wanted.iter().map(key_of).collect();
        let order = self.relation.order.clone();
        let query = ListQuery::of(Expression::TRUE, order, Window::skip(0, max)).skip_unreadable();
        let mut related = Vec::new();
        for keys in keys.chunks(KEYS) {
            related.extend(self.relation.source.read(&self.call, &query, Some((&fields, keys))).await?);
        }
        Ok(related)
    }
}

impl Entities {
    /// Reads the related entities that match a query. With `keys`, reads the first entities for each key. List hooks and presenters run as in
    /// a list of the resource.
    pub(super) async fn related(
        &self,
        call: &Call,
        query: &ListQuery<'_>,
        keys: Option<(&[&str], &[Key])>,
    ) -> Result<Vec<Box<dyn AnyEntity>>> {
        self.run(call, None, async |attempt| {
            let mut unit = Unit::begin(self, call, attempt, false).await?;
            let mut query = query.clone();
            unit.run_hooks(Moment::BeforeList(&mut query)).await?;
            let mut related = match keys {
                None => unit.list(&query, false).await?.0.items,
                Some((fields, keys)) => unit.list_per_key(&query, fields, keys).await?,
            };
            unit.commit(Vec::new(), &mut related).await?;
            Ok(related)
        })
        .await
    }
}
