//! A resource without the derive.

use jiff::Timestamp;
use restwright::list::{Filter, Value, ValueType};
use restwright::prelude::*;
use restwright::schema::{Checks, Invalid};
use restwright_resource::{
    Entity, EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, Resource, Row, RowError, assign,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An animal in the shelter.
#[derive(Clone, Serialize, Deserialize, Schema, Record)]
#[schema(validate = light_bird)]
pub(crate) struct Animal {
    pub(crate) id: Uuid,
    #[property(min_length = 1, max_length = 20)]
    pub(crate) name: String,
    pub(crate) species: Species,
    #[property(minimum = 0)]
    pub(crate) weight_kg: Option<f64>,
    pub(crate) chip: Option<u64>,
    pub(crate) mother_id: Option<Uuid>,
    pub(crate) created_at: Timestamp,
    /// The number of updates.
    pub(crate) updates: u32,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Species {
    Dog,
    Cat,
    Bird,
}

fn light_bird(animal: &Animal) -> Result<(), Invalid> {
    if animal.species == Species::Bird && animal.weight_kg > Some(20.0) {
        return Err(Invalid::new("too_heavy", "must be 20 at most for a bird").at("/weight_kg"));
    }
    Ok(())
}

#[derive(Clone, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAnimal {
    #[property(min_length = 1, max_length = 20)]
    name: String,
    species: Species,
    #[property(minimum = 0)]
    weight_kg: Option<f64>,
    chip: Option<u64>,
    mother_id: Option<Uuid>,
}

#[derive(Clone, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnimalChanges {
    #[serde(default)]
    #[property(min_length = 1, max_length = 20)]
    name: Patch<String>,
    #[serde(default)]
    species: Patch<Species>,
    #[serde(default)]
    #[property(minimum = 0)]
    weight_kg: Patch<Option<f64>>,
    #[serde(default)]
    chip: Patch<Option<u64>>,
    #[serde(default)]
    mother_id: Patch<Option<Uuid>>,
}

/// An animal in a list.
#[derive(Serialize, Schema)]
pub(crate) struct AnimalItem {
    id: Uuid,
    name: String,
    species: Species,
    created_at: Timestamp,
}

impl From<Animal> for AnimalItem {
    fn from(animal: Animal) -> Self {
        Self { id: animal.id, name: animal.name, species: animal.species, created_at: animal.created_at }
    }
}

#[derive(Filters)]
pub(crate) struct AnimalFilters {
    #[filter(eq, contains)]
    name: Filter<String>,
    #[filter(eq, in)]
    species: Filter<Species>,
    #[filter(gt, lt, computed)]
    weight_kg: Filter<f64>,
}

#[derive(Clone, Copy, Sort)]
pub(crate) enum AnimalSort {
    Name,
    #[sort(default = desc)]
    CreatedAt,
    #[sort(id)]
    Id,
}

impl Entity for Animal {
    fn from_row(row: &mut Row) -> Result<Self, RowError> {
        Ok(Self {
            id: row.take("id")?,
            name: row.take("name")?,
            species: row.take("species")?,
            weight_kg: row.take("weight_kg")?,
            chip: row.take("chip")?,
            mother_id: row.take("mother_id")?,
            created_at: row.take("created_at")?,
            updates: row.take("updates")?,
        })
    }

    fn to_row(&self, definition: &EntityDefinition) -> Result<Row, RowError> {
        let row = Row::new(definition).with("id", self.id).with("name", &self.name).with("species", &self.species);
        let row = row.with("weight_kg", self.weight_kg).with("chip", self.chip).with("mother_id", self.mother_id);
        Ok(row.with("created_at", self.created_at).with("updates", self.updates))
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
            .field(FieldDefinition::new("name", ValueType::Text).unique())
            .field(FieldDefinition::new("species", ValueType::Text))
            .field(FieldDefinition::new("weight_kg", ValueType::Number).nullable())
            .field(FieldDefinition::new("chip", ValueType::Integer).nullable())
            .field(
                FieldDefinition::new("mother_id", ValueType::Uuid).nullable().references("animals", OnDelete::Restrict),
            )
            .field(FieldDefinition::new("created_at", ValueType::DateTime).created_at())
            .field(FieldDefinition::new("updates", ValueType::Integer))
    }

    fn create(new: NewAnimal) -> Self {
        let NewAnimal { name, species, weight_kg, chip, mother_id } = new;
        let (id, created_at) = (Uuid::nil(), Timestamp::UNIX_EPOCH);
        Self { id, name, species, weight_kg, chip, mother_id, created_at, updates: 0 }
    }

    fn change(&mut self, changes: AnimalChanges, checks: &mut Checks<'_>) {
        changes.name.change("name", &mut self.name, checks);
        changes.species.change("species", &mut self.species, checks);
        changes.weight_kg.change_option("weight_kg", &mut self.weight_kg, checks);
        changes.chip.change_option("chip", &mut self.chip, checks);
        changes.mother_id.change_option("mother_id", &mut self.mother_id, checks);
        self.updates += 1;
    }
}
