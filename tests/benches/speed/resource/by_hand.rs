//! The resource by hand: the operations on one animal.

use std::net::TcpListener;
use std::sync::LazyLock;

use actix_web::http::header::{ETAG, Header, IF_MATCH, IF_NONE_MATCH, IfMatch, IfNoneMatch, LOCATION};
use actix_web::http::{StatusCode, header};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use jiff::Timestamp;
use restwright::prelude::Resource as _;
use restwright::resource::{EntityDefinition, MemoryStore, Repository, Statement, StoreError, Version, Versioned};
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;
use validator::{Validate, ValidationError};

use super::{Animal, Species, list_by_hand, store};
use crate::by_hand::Failure;

pub(super) static DEFINITION: LazyLock<EntityDefinition> = LazyLock::new(Animal::definition);

/// Changes are tried so often while others are faster.
const ATTEMPTS: usize = 32;

pub(crate) fn serve(listener: TcpListener) -> std::io::Result<()> {
    let store = store();
    let server = HttpServer::new(move || App::new().app_data(web::Data::new(store.clone())).configure(configure));
    actix_web::rt::System::new().block_on(server.workers(1).listen(listener)?.run())
}

fn configure(app: &mut web::ServiceConfig) {
    let json = web::JsonConfig::default().limit(1 << 20).error_handler(|error, _| Failure::Unreadable(error).into());
    app.app_data(json.content_type(|media_type| media_type == "application/merge-patch+json"));
    app.app_data(web::PathConfig::default().error_handler(|error, _| malformed(error.to_string()).into()));
    app.app_data(list_by_hand::query_config());
    app.service(web::resource("/animals").route(web::get().to(list_by_hand::list)).route(web::post().to(create)));
    app.service(web::resource("/animals/{id}").route(web::get().to(view)).route(web::patch().to(change)));
}

#[derive(Serialize)]
struct Data<T> {
    data: T,
}

#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
struct New {
    #[validate(length(min = 1, max = 100))]
    name: String,
    species: Species,
    #[validate(range(min = 0.0, max = 10_000.0))]
    weight_kg: Option<f64>,
    #[validate(length(max = 10), custom(function = tags_have_length))]
    tags: Vec<String>,
    vaccinated: bool,
}

/// What is absent stays as it is; only the weight may be null.
#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
struct Changes {
    #[serde(default, deserialize_with = "given")]
    #[validate(length(min = 1, max = 100))]
    name: Option<String>,
    #[serde(default, deserialize_with = "given")]
    species: Option<Species>,
    #[serde(default, deserialize_with = "given")]
    #[validate(range(min = 0.0, max = 10_000.0))]
    weight_kg: Option<Option<f64>>,
    #[serde(default, deserialize_with = "given")]
    #[validate(length(max = 10), custom(function = tags_have_length))]
    tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "given")]
    vaccinated: Option<bool>,
}

fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn tags_have_length(tags: &[String]) -> Result<(), ValidationError> {
    match tags.iter().all(|tag| (1..=30).contains(&tag.chars().count())) {
        true => Ok(()),
        false => Err(ValidationError::new("length")),
    }
}

async fn view(
    request: HttpRequest,
    id: web::Path<Uuid>,
    store: web::Data<MemoryStore>,
) -> Result<HttpResponse, Failure> {
    let Versioned { entity, version } = find(&store, *id).await?;
    check_match(&request, version)?;
    let mut response = HttpResponse::Ok();
    response.insert_header((ETAG, tag(version)));
    Ok(match names_current(&request, version) {
        true => response.status(StatusCode::NOT_MODIFIED).finish(),
        false => response.json(Data::<Animal> { data: entity }),
    })
}

async fn create(new: web::Json<New>, store: web::Data<MemoryStore>) -> Result<HttpResponse, Failure> {
    new.validate()?;
    let New { name, species, weight_kg, tags, vaccinated } = new.into_inner();
    let (id, now) = (Uuid::nil(), now());
    let animal = Animal { id, name, species, weight_kg, tags, vaccinated, created_at: now, updated_at: now };
    let Versioned { entity, version } = store.insert(Statement::new(&DEFINITION), animal).await?;
    let location = format!("/animals/{}", entity.id);
    let mut response = HttpResponse::Created();
    response.insert_header((LOCATION, location)).insert_header((ETAG, tag(version)));
    Ok(response.json(Data::<Animal> { data: entity }))
}

async fn change(
    request: HttpRequest,
    id: web::Path<Uuid>,
    changes: web::Json<Changes>,
    store: web::Data<MemoryStore>,
) -> Result<HttpResponse, Failure> {
    changes.validate()?;
    for _ in 0..ATTEMPTS {
        let Versioned { entity: mut animal, version } = find(&store, *id).await?;
        check_match(&request, version)?;
        if names_current(&request, version) {
            return Err(Failure::Status(StatusCode::PRECONDITION_FAILED, "`If-None-Match` names this state.".into()));
        }
        merge(&mut animal, &changes);
        animal.updated_at = now();
        match store.update(Statement::new(&DEFINITION), animal, Some(version)).await {
            Err(StoreError::StaleVersion) => {}
            updated => {
                let Versioned { entity, version } = updated?;
                return Ok(HttpResponse::Ok()
                    .insert_header((ETAG, tag(version)))
                    .json(Data::<Animal> { data: entity }));
            }
        }
    }
    Err(StoreError::StaleVersion.into())
}

fn merge(animal: &mut Animal, changes: &Changes) {
    let Changes { name, species, weight_kg, tags, vaccinated } = changes;
    if let Some(name) = name {
        animal.name.clone_from(name);
    }
    if let Some(species) = species {
        animal.species = *species;
    }
    if let Some(weight_kg) = weight_kg {
        animal.weight_kg = *weight_kg;
    }
    if let Some(tags) = tags {
        animal.tags.clone_from(tags);
    }
    if let Some(vaccinated) = vaccinated {
        animal.vaccinated = *vaccinated;
    }
}

async fn find(store: &MemoryStore, id: Uuid) -> Result<Versioned<Animal>, Failure> {
    let found = store.find(Statement::new(&DEFINITION), &id.into()).await?;
    found.ok_or_else(|| Failure::Status(StatusCode::NOT_FOUND, "There is no such animal.".into()))
}

/// Stores keep microseconds.
fn now() -> Timestamp {
    Timestamp::from_microsecond(Timestamp::now().as_microsecond()).unwrap_or_default()
}

fn tag(version: Version) -> String {
    format!("\"{version}\"")
}

fn entity_tag(version: Version) -> header::EntityTag {
    header::EntityTag::new_strong(version.to_string())
}

/// Checks `If-Match`.
fn check_match(request: &HttpRequest, version: Version) -> Result<(), Failure> {
    if !request.headers().contains_key(IF_MATCH) {
        return Ok(());
    }
    let holds = match IfMatch::parse(request).map_err(|error| malformed(error.to_string()))? {
        IfMatch::Any => true,
        IfMatch::Items(tags) => tags.iter().any(|tag| tag.strong_eq(&entity_tag(version))),
    };
    let failure = || Failure::Status(StatusCode::PRECONDITION_FAILED, "`If-Match` does not name this state.".into());
    if holds { Ok(()) } else { Err(failure()) }
}

/// Returns `true` if `If-None-Match` names the state.
fn names_current(request: &HttpRequest, version: Version) -> bool {
    request.headers().contains_key(IF_NONE_MATCH)
        && match IfNoneMatch::parse(request) {
            Ok(IfNoneMatch::Any) => true,
            Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|tag| tag.weak_eq(&entity_tag(version))),
            Err(_) => false,
        }
}

pub(super) fn malformed(detail: String) -> Failure {
    Failure::Status(StatusCode::UNPROCESSABLE_ENTITY, detail)
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let status = match error {
            StoreError::NotFound => StatusCode::NOT_FOUND,
            StoreError::Conflict { .. } => StatusCode::CONFLICT,
            StoreError::InvalidValue { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            StoreError::StaleVersion | StoreError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::Status(status, error.to_string())
    }
}
