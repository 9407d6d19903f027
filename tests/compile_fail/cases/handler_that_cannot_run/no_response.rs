use restwright::prelude::*;

struct Greeting;

async fn greet(_: ()) -> Result<Greeting> {
    Ok(Greeting)
}

async fn text(_: ()) -> Result<String> {
    Ok("hello".to_owned())
}

async fn maybe(_: ()) -> Result<Option<Data<u8>>> {
    Ok(None)
}

fn main() {
    let _ = Route::get("/hello").id("greet").public().handler(greet);
    let _ = Route::get("/text").id("text").public().handler(text);
    let _ = Route::get("/maybe").id("maybe").public().handler(maybe);
}
