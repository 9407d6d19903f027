use restwright::Schema;

#[derive(Schema)]
#[schema(titel = "Pet", name = "a pet")]
struct Pet {
    name: String,
}

fn main() {}
