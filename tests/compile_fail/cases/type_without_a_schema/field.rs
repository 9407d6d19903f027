use restwright::Schema;

struct Opaque;

#[derive(Schema)]
struct Pet {
    name: String,
    opaque: Opaque,
}

#[derive(Schema)]
struct Pets {
    #[serde(default)]
    one: Option<Opaque>,
    all: Vec<Opaque>,
}

#[derive(Schema)]
struct Name(Opaque);

#[derive(Schema)]
#[serde(tag = "type", content = "value")]
enum Either {
    One(Opaque),
    Two { opaque: Opaque },
}

fn main() {}
