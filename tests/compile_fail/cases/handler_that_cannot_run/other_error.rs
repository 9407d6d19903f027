use restwright::prelude::*;

async fn read(_: ()) -> std::io::Result<Data<String>> {
    Ok(Data(std::fs::read_to_string("greeting")?))
}

fn main() {
    let _ = Route::get("/hello").id("read").public().handler(read);
}
