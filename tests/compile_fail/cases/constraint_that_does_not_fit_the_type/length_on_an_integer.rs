use restwright::Schema;

#[derive(Schema)]
struct Pet {
    #[property(min_length = 1)]
    age: i64,
}

fn main() {}
