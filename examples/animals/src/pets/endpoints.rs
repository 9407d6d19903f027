//! The endpoints of a single pet. Each is a route and a function.

use std::sync::Arc;

use restwright::prelude::*;

use super::{NewPet, PetChanges, PetError, PetRepository};

/// A pet by its id.
#[derive(Part, Request)]
struct PetById {
    /// The id of the pet.
    #[segment]
    #[property(minimum = 1)]
    id: i64,
}

/// Creates a pet and returns it.
#[derive(Request)]
struct CreatePet {
    #[body]
    pet: NewPet,
}

/// Changes the properties in the body and returns the pet.
#[derive(Request)]
struct UpdatePet {
    pet: PetById,
    #[body]
    changes: PetChanges,
}

pub(super) fn create(pets: Arc<PetRepository>) -> impl Controller {
    Route::post("").id("createPet").summary("Create a pet").handler(async move |request: CreatePet| {
        let pet = pets.create(request.pet);
        Ok(Created::at(Location::to("viewPet").with("id", pet.id), pet))
    })
}

pub(super) fn view(pets: Arc<PetRepository>) -> impl Controller {
    let route = Route::get("/{id}")
        .id("viewPet")
        .summary("Show a pet")
        .description("Returns the pet with this id.")
        .problems::<PetError>();
    route.handler(async move |pet: PetById| Ok(Data(pets.view(pet.id)?)))
}

pub(super) fn update(pets: Arc<PetRepository>) -> impl Controller {
    let route = Route::patch("/{id}").id("updatePet").summary("Change a pet").problems::<PetError>();
    route.handler(async move |request: UpdatePet| Ok(Data(pets.update(request.pet.id, request.changes)?)))
}

pub(super) fn delete(pets: Arc<PetRepository>) -> impl Controller {
    let route = Route::delete("/{id}")
        .id("deletePet")
        .summary("Delete a pet")
        .description("Deletes the pet with this id.")
        .problems::<PetError>();
    route.handler(async move |pet: PetById| {
        pets.delete(pet.id)?;
        Ok(NoContent)
    })
}
