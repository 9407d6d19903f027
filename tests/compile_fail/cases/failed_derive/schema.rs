use restwright::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, Schema)]
struct Toy {
    #[property(min_lenght = 1)]
    name: String,
}

#[derive(Request)]
struct GiveToys {
    #[body]
    toys: Vec<Toy>,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Given {
    toys: Vec<Toy>,
    favourite: Option<Toy>,
}

struct Give;

impl Controller for Give {
    type Request = GiveToys;
    type Response = Given;

    fn route(&self) -> Route {
        Route::post("/toys").public()
    }

    async fn handle(&self, request: GiveToys) -> Result<Given> {
        Ok(Given { toys: request.toys, favourite: None })
    }
}

fn main() {
    let _ = Api::builder(Configuration::new("pets", "1.0.0")).controller(Give).build();
}
