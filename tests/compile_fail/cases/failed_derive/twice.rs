use restwright::Schema;

#[derive(Schema, Schema)]
struct Pet {
    name: String,
}

fn main() {}
