use restwright::prelude::*;

fn main() {
    let _ = Route::get("/hello").id("greet").public().handler(|_: ()| Ok(Data("hello")));
}
