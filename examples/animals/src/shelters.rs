//! An endpoint that declares its schemas at run time, for example from a configuration file. The types in [`shapes`](crate::shapes) are generated
//! from it.

use std::sync::atomic::{AtomicI64, Ordering};

use restwright::operation::TagObject;
use restwright::{Input, Output};

use restwright::prelude::*;
use restwright::schema::{Property, PropertyCollection, SchemaObject, array, int32, int64, object, string};

use crate::pets::Address;
use crate::shapes::{
    CreateShelterHeaders201, CreateShelterRequest, CreateShelterResponse201, Shelter, ShelterCreated, ShelterInput,
};

/// Returns the properties of a shelter. The address has the same type as the address of a pet's owner.
fn shelter() -> PropertyCollection {
    PropertyCollection::new("Shelter")
        .description("A shelter for pets without an owner.")
        .property(int64("id").minimum(1).description("Set by the server, starting at 1.").read_only())
        .property(string("name").min_length(1).max_length(100).description("The name of the shelter."))
        .property(
            int32("places").minimum(1).maximum(1_000).description("The number of pets that the shelter has room for."),
        )
        .property(Property::of::<Address>("address").description("The address of the shelter."))
        .property(
            array("phones", SchemaObject::string().pattern("^\\+?[0-9 ]{3,20}$"))
                .max_items(5)
                .optional()
                .description("The phone numbers of the shelter."),
        )
}

/// Opens a shelter. The route is public, so you can see how invalid bodies are rejected. No shelter is stored.
#[derive(Debug, Default)]
pub struct CreateShelter {
    last_id: AtomicI64,
}

impl Controller for CreateShelter {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        let response = PropertyCollection::new("ShelterCreated").property(object("data", shelter()));
        Route::post("/shelters")
            .summary("Open a shelter")
            .description("Creates a shelter and returns it, but does not store it.")
            .tag(TagObject::new("Shelters").description("Shelters, with schemas that are declared at run time."))
            .public()
            .body(shelter())
            .response(201, response)
            .response_header(201, string("Location").description("The path of the shelter."))
    }

    async fn handle(&self, input: Input) -> Result<Output> {
        let CreateShelterRequest { body: ShelterInput { name, places, address, phones } } = input.try_into()?;
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let headers = CreateShelterHeaders201 { location: format!("/shelters/{id}") };
        let body = ShelterCreated { data: Shelter { id, name, places, address, phones } };
        CreateShelterResponse201 { headers, body }.try_into()
    }
}
