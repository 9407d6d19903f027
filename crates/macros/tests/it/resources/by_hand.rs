//! The derived resource, and the same by hand.

use restwright::list::{FieldValue as _, Value};
use restwright::resource::{
    Entity, EntityDefinition, FieldDefinition, IdentifierKind, Resource, Row, RowError, assign,
};

use super::animal::Animal as Derived;
use super::{document, fields};

/// In a separate module, because its types have the names that the derive emits.
mod hand {
    use jiff::Timestamp;
    use restwright::list::{Filter, Limits, ValueType};
    use restwright::prelude::{Filters, Patch, Record, Schema, Sort};
    use restwright::resource::Endpoints;
    use restwright::schema::Checks;
    use serde::{Deserialize, Serialize};
    use uuid::Uuid;

    use super::super::animal::Species;
    use super::{Entity, EntityDefinition, FieldDefinition, IdentifierKind, Resource, Row, RowError, Value, assign};

    /// An animal in the shelter.
    #[derive(Clone, Serialize, Schema, Record)]
    pub(super) struct Animal {
        #[property(read_only)]
        id: Uuid,
        /// What it is called.
        #[property(min_length = 1, max_length = 100)]
        name: String,
        species: Species,
        #[property(minimum = 0.0)]
        weight_kg: Option<f64>,
        seen_at: Option<Timestamp>,
        #[property(read_only)]
        created_at: Timestamp,
    }

    /// The properties of a new `Animal`.
    #[derive(Clone, Deserialize, Schema)]
    #[serde(deny_unknown_fields)]
    #[schema(closed_recursively)]
    pub(super) struct NewAnimal {
        /// What it is called.
        #[property(min_length = 1, max_length = 100)]
        name: String,
        species: Species,
        #[property(minimum = 0.0)]
        weight_kg: Option<f64>,
        seen_at: Option<Timestamp>,
    }

    /// Changes to `Animal`. An absent property stays unchanged.
    #[derive(Clone, Deserialize, Schema)]
    #[serde(deny_unknown_fields)]
    #[schema(closed_recursively)]
    pub(super) struct AnimalChanges {
        /// What it is called.
        #[serde(default)]
        #[property(min_length = 1, max_length = 100)]
        name: Patch<String>,
        #[serde(default)]
        species: Patch<Species>,
        #[serde(default)]
        #[property(minimum = 0.0)]
        weight_kg: Patch<Option<f64>>,
        #[serde(default)]
        seen_at: Patch<Option<Timestamp>>,
    }

    /// An animal in the shelter.
    #[derive(Serialize, Schema)]
    pub(super) struct AnimalItem {
        #[property(read_only)]
        id: Uuid,
        /// What it is called.
        #[property(min_length = 1, max_length = 100)]
        name: String,
        species: Species,
        #[property(read_only)]
        created_at: Timestamp,
    }

    impl From<Animal> for AnimalItem {
        fn from(animal: Animal) -> Self {
            Self { id: animal.id, name: animal.name, species: animal.species, created_at: animal.created_at }
        }
    }

    #[derive(Filters)]
    pub(super) struct AnimalFilters {
        /// What it is called.
        #[filter(eq, contains)]
        name: Filter<String>,
        #[filter(eq, in)]
        species: Filter<Species>,
        #[filter(gt, lt, computed)]
        weight_kg: Filter<f64>,
    }

    #[derive(Clone, Copy, Sort)]
    pub(super) enum AnimalSort {
        #[sort(id)]
        Id,
        Name,
        #[sort(default = desc)]
        CreatedAt,
    }

    impl Entity for Animal {
        fn from_row(row: &mut Row) -> Result<Self, RowError> {
            Ok(Self {
                id: row.take("id")?,
                name: row.take("name")?,
                species: row.take("species")?,
                weight_kg: row.take("weight_kg")?,
                seen_at: row.take("seen_at")?,
                created_at: row.take("created_at")?,
            })
        }

        fn to_row(&self, definition: &EntityDefinition) -> Result<Row, RowError> {
            let row = Row::new(definition).with("id", self.id).with("name", &self.name).with("species", &self.species);
            let row = row.with("weight_kg", self.weight_kg).with("seen_at", self.seen_at);
            Ok(row.with("created_at", self.created_at))
        }

        fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
            match field {
                "id" => assign(&mut self.id, value),
                "created_at" => assign(&mut self.created_at, value),
                _ => false,
            }
        }
    }

    impl Resource for Animal {
        const NAME: &'static str = "Animal";
        const DESCRIPTION: &'static str = "An animal in the shelter.";
        const PATH: &'static str = "/animals";

        type Id = Uuid;
        type New = NewAnimal;
        type Update = AnimalChanges;
        type View = Self;
        type Item = AnimalItem;
        type Filters = AnimalFilters;
        type Sort = AnimalSort;

        fn definition() -> EntityDefinition {
            EntityDefinition::new("animals", "id", IdentifierKind::Uuid)
                .field(FieldDefinition::new("name", ValueType::Text).searchable().sortable())
                .field(FieldDefinition::new("species", ValueType::Enumeration))
                .field(FieldDefinition::new("weight_kg", ValueType::Number).nullable())
                .field(FieldDefinition::new("seen_at", ValueType::DateTime).nullable())
                .field(FieldDefinition::new("created_at", ValueType::DateTime).created_at().sortable())
        }

        fn create(NewAnimal { name, species, weight_kg, seen_at }: NewAnimal) -> Self {
            Self { id: Uuid::nil(), name, species, weight_kg, seen_at, created_at: Timestamp::default() }
        }

        fn change(&mut self, changes: AnimalChanges, checks: &mut Checks<'_>) {
            changes.name.change("name", &mut self.name, checks);
            changes.species.change("species", &mut self.species, checks);
            changes.weight_kg.change_option("weight_kg", &mut self.weight_kg, checks);
            changes.seen_at.change_option("seen_at", &mut self.seen_at, checks);
        }

        fn replace(&mut self, new: NewAnimal) {
            let NewAnimal { name, species, weight_kg, seen_at } = new;
            (self.name, self.species, self.weight_kg, self.seen_at) = (name, species, weight_kg, seen_at);
        }

        fn configure(endpoints: Endpoints<Self>) -> Endpoints<Self> {
            endpoints.limits(Limits::new(20, 100))
        }
    }
}

#[test]
fn both_have_the_same_document() {
    assert_eq!(document::<Derived>(), document::<hand::Animal>());
}

#[test]
fn both_have_the_same_definition() {
    assert_eq!(Derived::definition(), hand::Animal::definition());
    assert_eq!(fields::<Derived>(), fields::<hand::Animal>());
    assert_eq!(Derived::entity_name(), hand::Animal::entity_name());
    assert_eq!("Ada".to_value(), Value::from("Ada"));
}
