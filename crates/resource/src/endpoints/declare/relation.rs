//! Defines [`Relation`], which declares related entities that a response can embed.

use std::sync::{Arc, Mutex, PoisonError};

use restwright_core::schema::Mode;
use restwright_list::Operator;

/// Declares a relation to other entities. Clients embed these entities in views and lists with the query parameter `include`.
///
/// A relation to one entity embeds the entity, or null. A relation to many entities embeds
/// `{"data": [..], "has_more": true}`. The target is a resource of the same Api. `#[resource(include(..))]` declares
/// the relations of a struct. [`Endpoints::include`](crate::Endpoints::include) declares the relations of other
/// resources.
///
/// ```
/// use restwright_resource::Relation;
///
/// // The field `customer_id` of the tickets refers to a customer.
/// let customer = Relation::one("customer");
/// // At most 20 of the comments whose only reference to tickets has the identifier, each with its author.
/// let comments = Relation::many("comments", 20).order("-created_at").include(Relation::one("author"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a relation does nothing until endpoints include it"]
pub struct Relation {
    pub(in crate::endpoints) name: String,
    pub(in crate::endpoints) field: Option<String>,
    pub(in crate::endpoints) many: Option<ToMany>,
    pub(in crate::endpoints) nested: Vec<Self>,
    /// The fields of the related entity that lists can be filtered by.
    pub(in crate::endpoints) filters: Vec<(String, Vec<Operator>)>,
    /// The fields of the related entity that lists can be sorted by.
    pub(in crate::endpoints) sorts: Vec<String>,
}

/// The settings of a relation to many entities. They are the definition, the maximum number and the order of the entities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::endpoints) struct ToMany {
    pub(in crate::endpoints) of: String,
    pub(in crate::endpoints) max: u32,
    pub(in crate::endpoints) order: Option<String>,
}

/// The relations that views of an Api can embed, each with the name of its definition. Clones share the names.
#[derive(Clone, Default)]
pub(in crate::endpoints) struct RelationNames(Arc<Mutex<Vec<(String, String)>>>);

impl RelationNames {
    pub(in crate::endpoints) fn add(&self, definition: &str, relation: &str) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.push((definition.to_owned(), relation.to_owned()));
    }

    /// Returns `true` if views of the definition's entities can contain a relation with this name.
    pub(in crate::endpoints) fn contain(&self, definition: &str, name: &str) -> bool {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.iter().any(|(of, relation)| of == definition && relation == name)
    }
}

/// The upper limit for the argument `max` of [`Relation::many`].
pub(in crate::endpoints) const MOST: u32 = 100;

/// The maximum number of nested entities per entity of a response. Each level multiplies the entities of the level above it.
pub(in crate::endpoints) const MOST_NESTED: u32 = 1_000;

impl Relation {
    /// Creates a relation to one entity. The field `{name}_id` contains the reference, unless [`field`](Self::field) sets another field.
    pub fn one(name: impl Into<String>) -> Self {
        Self { name: name.into(), field: None, many: None, nested: Vec::new(), filters: Vec::new(), sorts: Vec::new() }
    }

    /// Creates a relation to many entities. It embeds the first `max` entities of the definition `name` that refer to the entity. `max` is
    /// from 1 to 100.
    pub fn many(name: impl Into<String>, max: u32) -> Self {
        let name = name.into();
        let many = ToMany { of: name.clone(), max, order: None };
        Self { many: Some(many), ..Self::one(name) }
    }

    /// Sets the field that contains the reference. For a relation to one entity, it is a field of the entity. For a relation to many
    /// entities, it is a field of the other entities.
    ///
    /// A relation to many entities needs this setting only if several of their fields refer to the entity.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Sets the definition of the related entities, if its name differs from the name of the relation. Only relations to many entities use
    /// this setting.
    pub fn of(mut self, definition: impl Into<String>) -> Self {
        if let Some(many) = &mut self.many {
            many.of = definition.into();
        }
        self
    }

    /// Sets the sort order of a relation to many entities, such as `-created_at`. The default is the default order of the list of these
    /// entities.
    pub fn order(mut self, order: impl Into<String>) -> Self {
        if let Some(many) = &mut self.many {
            many.order = Some(order.into());
        }
        self
    }

    /// Lets clients embed a nested relation of the embedded entities, such as `comments.author`. A nested relation cannot contain another
    /// relation.
    pub fn include(mut self, nested: Self) -> Self {
        self.nested.push(nested);
        self
    }

    /// Lets clients filter lists by a field of the related entity, such as `customer.name[contains]=ada`. Only first-level relations to one
    /// entity use this setting.
    ///
    /// An entity whose related entity is missing or hidden is filtered as if the value were null. The caller needs the same access as to
    /// embed the related entity.
    pub fn filter(mut self, field: impl Into<String>, operators: impl IntoIterator<Item = Operator>) -> Self {
        self.filters.push((field.into(), operators.into_iter().collect()));
        self
    }

    /// Lets clients sort lists by a field of the related entity, such as `order_by=-customer.name`. The list must have pages or offsets,
    /// because a cursor would contain the value.
    pub fn sort(mut self, field: impl Into<String>) -> Self {
        self.sorts.push(field.into());
        self
    }

    /// Returns `true` if lists can be filtered or sorted by fields of the related entity.
    pub(in crate::endpoints) fn has_fields(&self) -> bool {
        !self.filters.is_empty() || !self.sorts.is_empty()
    }
}

/// Returns the operations that a caller must be allowed to use on the target of a relation.
pub(in crate::endpoints) fn modes(is_many: bool) -> &'static [Mode] {
    if is_many { &[Mode::View, Mode::List] } else { &[Mode::View] }
}
