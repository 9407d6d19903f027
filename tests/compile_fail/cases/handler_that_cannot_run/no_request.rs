use restwright::prelude::*;

struct Greet {
    name: String,
}

async fn greet(request: Greet) -> Result<Data<String>> {
    Ok(Data(request.name))
}

async fn text(request: String) -> Result<Data<String>> {
    Ok(Data(request))
}

fn main() {
    let _ = Route::get("/hello").id("greet").public().handler(greet);
    let _ = Route::get("/text").id("text").public().handler(text);
}
