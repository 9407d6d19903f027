use restwright::Schema;

#[derive(Schema)]
struct Pet {
    #[property]
    name: String,
    #[property(min_length)]
    species: String,
    #[property(unique_items = true)]
    tags: Vec<String>,
    #[property(min_length = )]
    note: String,
    #[property(modes = "create")]
    age: u8,
    #[property(items(validate = check))]
    list: Vec<String>,
}

fn main() {}
