use restwright::prelude::*;

#[derive(Request)]
struct Greet {
    #[segment]
    name: String,
}

async fn greet(_: Greet, _: Identity) -> Result<Data<u8>> {
    Ok(Data(1))
}

fn main() {
    let _ = Route::get("/hello/{name}").id("greet").public().handler(greet);
}
