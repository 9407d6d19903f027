//! The same API declared in restwright.

use std::net::TcpListener;

use actix_web::{App, HttpServer};
use restwright::Host;
use restwright::list::{CursorKey, LinkHeader};
use restwright::prelude::*;
use serde::{Deserialize, Serialize};

use crate::list_declared::{ListPets, ListPetsByCursor};
use crate::token;

pub(crate) fn serve(listener: TcpListener, routes: usize) -> std::io::Result<()> {
    Ok(restwright::run(Host::new(api(routes)).workers(1).listen(listener)?.serve())?)
}

pub(crate) fn serve_in_app(listener: TcpListener, routes: usize) -> std::io::Result<()> {
    let api = api(routes);
    let server = HttpServer::new(move || App::new().service(restwright::service(api.clone())));
    actix_web::rt::System::new().block_on(server.workers(1).listen(listener)?.run())
}

/// Health stands in the middle of the further routes.
pub(crate) fn api(routes: usize) -> Api {
    let configuration = Configuration::new("speed", "1.0.0").with(CursorKey::new([7; 32]));
    let mut builder = Api::builder(token::declared::authenticators(configuration));
    let further = routes.saturating_sub(if routes < 4 { 1 } else { 3 });
    for number in 0..further {
        if number == further / 2 {
            builder = builder.controller(Health);
        }
        builder = builder.controller(Shelter { number });
    }
    if routes >= 4 {
        builder = builder
            .controller(Create { path: "/pets".to_owned() })
            .controller(Place)
            .controller(ListPets { path: "/pets", links: LinkHeader::On })
            .controller(ListPets { path: "/pets/linked", links: LinkHeader::On })
            .controller(ListPets { path: "/pets/unlinked", links: LinkHeader::Off })
            .controller(ListPetsByCursor)
            .group(token::declared::routes());
    }
    builder.build().expect("the declaration has no mistakes")
}

/// Half of the routes with a body, half with a parameter.
pub(crate) fn typed_api(routes: usize) -> Api {
    let mut builder = Api::builder(Configuration::new("speed", "1.0.0"));
    for number in 0..routes / 2 {
        builder = builder.controller(Create { path: format!("/pets{number}") }).controller(Shelter { number });
    }
    builder.build().expect("the declaration has no mistakes")
}

pub(crate) struct Health;

impl Controller for Health {
    type Request = HealthRequest;
    type Response = HealthResponse;

    fn route(&self) -> Route {
        Route::get("/health").public()
    }

    async fn handle(&self, _: HealthRequest) -> Result<HealthResponse> {
        Ok(HealthResponse { status: "ok" })
    }
}

#[derive(Request)]
pub(crate) struct HealthRequest;

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
pub(crate) struct HealthResponse {
    status: &'static str,
}

struct Create {
    path: String,
}

impl Controller for Create {
    type Request = CreateRequest;
    type Response = CreateResponse;

    fn route(&self) -> Route {
        Route::post(&*self.path).id(self.path.replace("/pets", "createPet")).public()
    }

    async fn handle(&self, CreateRequest { pet }: CreateRequest) -> Result<CreateResponse> {
        let Pet { name, species, weight_kg, tags, owner } = pet;
        let data = StoredPet { id: 1, name, species, weight_kg, tags, owner };
        Ok(CreateResponse { location: format!("/pets/{}", data.id), created: Created { data } })
    }
}

#[derive(Request)]
struct CreateRequest {
    #[body]
    pet: Pet,
}

#[derive(Deserialize, Schema)]
struct Pet {
    #[property(min_length = 1, max_length = 100)]
    name: String,
    species: Species,
    #[property(exclusive_minimum = 0.0, maximum = 10_000.0)]
    weight_kg: f64,
    #[property(max_items = 10, items(min_length = 1, max_length = 30))]
    tags: Vec<String>,
    owner: Owner,
}

#[derive(Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Species {
    Dog,
    Cat,
    Bird,
    Fish,
    Horse,
}

#[derive(Deserialize, Serialize, Schema)]
struct Owner {
    #[property(min_length = 1, max_length = 100)]
    name: String,
    #[property(format = "email")]
    email: String,
    address: Address,
}

#[derive(Deserialize, Serialize, Schema)]
struct Address {
    #[property(min_length = 1, max_length = 200)]
    street: String,
    #[property(min_length = 1, max_length = 100)]
    city: String,
    #[property(pattern = "^[0-9]{5}$")]
    zip: String,
}

#[derive(Response)]
#[response(status = 201)]
struct CreateResponse {
    #[header("Location")]
    location: String,
    #[body]
    created: Created,
}

#[derive(Serialize, Schema)]
struct Created {
    data: StoredPet,
}

#[derive(Serialize, Schema)]
struct StoredPet {
    id: i64,
    name: String,
    species: Species,
    weight_kg: f64,
    tags: Vec<String>,
    owner: Owner,
}

struct Place;

impl Controller for Place {
    type Request = PlaceRequest;
    type Response = PlaceResponse;

    fn route(&self) -> Route {
        Route::get("/shelters/{shelter}/pets/{pet}").public()
    }

    async fn handle(&self, PlaceRequest { shelter, pet }: PlaceRequest) -> Result<PlaceResponse> {
        Ok(PlaceResponse { shelter, pet })
    }
}

#[derive(Request)]
struct PlaceRequest {
    #[segment]
    shelter: i64,
    #[segment]
    pet: i64,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct PlaceResponse {
    shelter: i64,
    pet: i64,
}

/// One of the many.
struct Shelter {
    number: usize,
}

impl Controller for Shelter {
    type Request = ShelterRequest;
    type Response = ShelterResponse;

    fn route(&self) -> Route {
        let number = self.number;
        Route::get(format!("/shelters{number}/{{id}}")).id(format!("viewShelter{number}")).public()
    }

    async fn handle(&self, ShelterRequest { id }: ShelterRequest) -> Result<ShelterResponse> {
        Ok(ShelterResponse { id })
    }
}

#[derive(Request)]
struct ShelterRequest {
    #[segment]
    id: i64,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct ShelterResponse {
    id: i64,
}
