use restwright::Response;

#[derive(Response)]
#[response(status = 200)]
struct Pet {
    name: String,
}

fn main() {}
