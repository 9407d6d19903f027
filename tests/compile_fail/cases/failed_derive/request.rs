use restwright::prelude::*;

#[derive(Request)]
struct GetPet {
    #[segment]
    #[property(minimun = 1)]
    id: i64,
}

#[derive(Response)]
#[response(status = 204)]
struct Done;

struct Get;

impl Controller for Get {
    type Request = GetPet;
    type Response = Done;

    fn route(&self) -> Route {
        Route::get("/pets/{id}").public()
    }

    async fn handle(&self, request: GetPet) -> Result<Done> {
        let _ = request.id;
        Ok(Done)
    }
}

fn main() {
    let _ = Api::builder(Configuration::new("pets", "1.0.0")).controller(Get).build();
}
