use restwright::prelude::*;

#[derive(Request)]
struct ListPets {
    cursor: Cursor,
}

struct Pets;

impl Controller for Pets {
    type Request = ListPets;
    type Response = CursorResponse<String>;

    fn route(&self) -> Route {
        Route::get("/pets").public()
    }

    async fn handle(&self, _: ListPets) -> Result<CursorResponse<String>> {
        Err(Problem::not_found("none"))
    }
}

fn main() {}
