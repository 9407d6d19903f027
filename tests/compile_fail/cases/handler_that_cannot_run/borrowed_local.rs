use restwright::prelude::*;

fn main() {
    let name = String::from("Ada");
    let _ = Route::get("/hello").id("greet").public().handler(async |_: ()| Ok(Data(name.len())));
}
