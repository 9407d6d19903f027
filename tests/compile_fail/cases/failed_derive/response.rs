use restwright::prelude::*;
use serde::Serialize;

#[derive(Request)]
struct GetPet;

#[derive(Serialize, Schema, Response)]
#[response(stauts = 200)]
struct Pet {
    name: String,
}

struct Get;

impl Controller for Get {
    type Request = GetPet;
    type Response = Pet;

    fn route(&self) -> Route {
        Route::get("/pet").public()
    }

    async fn handle(&self, _: GetPet) -> Result<Pet> {
        Ok(Pet { name: String::new() })
    }
}

fn main() {
    let _ = Api::builder(Configuration::new("pets", "1.0.0")).controller(Get).build();
}
