use restwright::prelude::*;

fn greet(_: ()) -> Result<Data<&'static str>> {
    Ok(Data("hello"))
}

fn main() {
    let _ = Route::get("/hello").id("greet").public().handler(greet);
}
