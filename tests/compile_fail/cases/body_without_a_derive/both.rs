use restwright::prelude::*;

struct NewPet {
    name: String,
}

#[derive(Request)]
struct CreatePet {
    #[body]
    pet: NewPet,
}

#[derive(Response)]
#[response(status = 204)]
struct Done;

struct Create;

impl Controller for Create {
    type Request = CreatePet;
    type Response = Done;

    fn route(&self) -> Route {
        Route::post("/pets").public()
    }

    async fn handle(&self, _: CreatePet) -> Result<Done> {
        Ok(Done)
    }
}

fn main() {
    let _ = Api::builder(Configuration::new("pets", "1.0.0")).controller(Create).build();
}
