use restwright::Schema;

struct Opaque;

#[derive(Schema)]
struct Pet {
    name: String,
    opaque: Opaque,
}

fn main() {}
