//! Handwritten animals for actix-web and axum: the shapes with their bounds, and the statements of two databases with sqlx and rusqlite.

pub mod actix;
pub mod axum;
pub mod grouped;
mod moment;
pub mod rusqlite;
mod statements;

use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;
use validator::Validate;

pub use statements::Animals;

use self::moment::Moment;

#[derive(Clone, Serialize, sqlx::FromRow)]
pub struct Animal {
    id: Uuid,
    name: String,
    species: Species,
    weight_kg: Option<f64>,
    created_at: Moment,
    version: i64,
}

#[derive(Clone, Copy, Deserialize, Serialize, sqlx::Type)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
enum Species {
    Bird,
    Cat,
    Dog,
}

#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
struct NewAnimal {
    #[validate(length(min = 1, max = 100))]
    name: String,
    species: Species,
    #[validate(range(min = 0.0, max = 10_000.0))]
    weight_kg: Option<f64>,
}

#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
pub struct AnimalChanges {
    #[validate(length(min = 1, max = 100))]
    #[serde(default, deserialize_with = "given")]
    name: Option<String>,
    #[serde(default, deserialize_with = "given")]
    species: Option<Species>,
    #[validate(range(min = 0.0, max = 10_000.0))]
    #[serde(default, deserialize_with = "given")]
    weight_kg: Option<Option<f64>>,
}

fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Deserialize, Validate)]
pub struct ListQuery {
    species: Option<Species>,
    #[serde(rename = "weight_kg[gte]")]
    weight_from: Option<f64>,
    #[serde(rename = "weight_kg[lt]")]
    weight_below: Option<f64>,
    order_by: Option<String>,
    #[validate(range(min = 1))]
    page: Option<i64>,
    #[validate(range(min = 1, max = 100))]
    limit: Option<i64>,
}

impl ListQuery {
    /// Returns the columns of the order, or `None` if one is unknown.
    fn order(&self) -> Option<&'static str> {
        match self.order_by.as_deref() {
            Some("name") => Some("name asc, id asc"),
            Some("-name") => Some("name desc, id desc"),
            Some("created_at") => Some("created_at asc, id asc"),
            None | Some("-created_at") => Some("created_at desc, id desc"),
            Some(_) => None,
        }
    }
}

impl Animal {
    fn new(new: NewAnimal) -> Self {
        let NewAnimal { name, species, weight_kg } = new;
        Self { id: Uuid::now_v7(), name, species, weight_kg, created_at: Moment::now(), version: 1 }
    }

    fn change(&mut self, changes: &AnimalChanges) {
        if let Some(name) = &changes.name {
            self.name.clone_from(name);
        }
        if let Some(species) = changes.species {
            self.species = species;
        }
        if let Some(weight_kg) = changes.weight_kg {
            self.weight_kg = weight_kg;
        }
    }
}

#[derive(Serialize)]
struct Data<T> {
    data: T,
}

#[derive(Serialize)]
struct Listed {
    data: Vec<Animal>,
    pagination: Pagination,
}

#[derive(Serialize)]
struct Pagination {
    page: i64,
    page_size: i64,
    total: i64,
    total_pages: i64,
    has_more: bool,
}

impl Listed {
    fn new(data: Vec<Animal>, page: i64, page_size: i64, total: i64) -> Self {
        let total_pages = (total + page_size - 1) / page_size;
        Self { data, pagination: Pagination { page, page_size, total, total_pages, has_more: page < total_pages } }
    }
}

/// An error with its status and its message.
#[derive(Clone, Debug)]
pub struct Failure {
    status: u16,
    detail: String,
}

impl Failure {
    fn not_found() -> Self {
        Self { status: 404, detail: "There is no such animal.".to_owned() }
    }

    fn invalid(detail: impl ToString) -> Self {
        Self { status: 422, detail: detail.to_string() }
    }

    fn body(&self) -> String {
        serde_json::json!({"status": self.status, "detail": self.detail}).to_string()
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self { status: 503, detail: error.to_string() }
    }
}

impl From<validator::ValidationErrors> for Failure {
    fn from(errors: validator::ValidationErrors) -> Self {
        Self::invalid(errors)
    }
}

/// Implements each endpoint for both servers, which differ only in HTTP.
async fn create(animals: &impl Animals, new: NewAnimal) -> Result<Animal, Failure> {
    new.validate()?;
    let animal = Animal::new(new);
    animals.insert(&animal).await?;
    Ok(animal)
}

async fn view(animals: &impl Animals, id: Uuid) -> Result<Animal, Failure> {
    animals.find(id).await?.ok_or_else(Failure::not_found)
}

async fn change(animals: &impl Animals, id: Uuid, changes: AnimalChanges) -> Result<Animal, Failure> {
    changes.validate()?;
    animals.change(id, changes).await?.ok_or_else(Failure::not_found)
}

async fn list(animals: &impl Animals, query: ListQuery) -> Result<Listed, Failure> {
    query.validate()?;
    let order = query.order().ok_or_else(|| Failure::invalid("order_by names an unknown field"))?;
    let (page, limit) = (query.page.unwrap_or(1), query.limit.unwrap_or(20));
    let listed = animals.list(&query, order, limit, (page - 1) * limit).await?;
    let total = animals.count(&query).await?;
    Ok(Listed::new(listed, page, limit, total))
}
