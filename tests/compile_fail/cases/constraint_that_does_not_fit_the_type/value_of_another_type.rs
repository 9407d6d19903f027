use restwright::Schema;

#[derive(Schema)]
struct Pet {
    #[property(min_length = "1")]
    name: String,
    #[property(maximum = "many")]
    age: u8,
    #[property(pattern = 5)]
    code: String,
}

fn main() {}
