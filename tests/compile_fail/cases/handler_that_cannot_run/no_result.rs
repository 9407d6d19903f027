use restwright::prelude::*;

async fn greet(_: ()) -> Data<u8> {
    Data(1)
}

fn main() {
    let _ = Route::get("/hello").id("greet").public().handler(greet);
}
