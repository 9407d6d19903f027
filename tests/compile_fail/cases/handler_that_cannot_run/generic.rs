use restwright::prelude::*;

async fn view<T>(_: ()) -> Result<NoContent> {
    Ok(NoContent)
}

fn main() {
    let _ = Route::get("/pets").id("view").public().handler(view);
}
