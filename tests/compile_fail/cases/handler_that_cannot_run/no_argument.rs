use restwright::prelude::*;

async fn greet() -> Result<Data<u8>> {
    Ok(Data(1))
}

fn main() {
    let _ = Route::get("/hello").id("greet").public().handler(greet);
}
