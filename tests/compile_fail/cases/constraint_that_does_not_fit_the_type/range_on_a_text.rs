use restwright::Schema;

#[derive(Schema)]
struct Pet {
    #[property(minimum = 1)]
    name: Option<String>,
    #[property(unique_items)]
    owner: String,
    #[property(min_items = 1)]
    notes: String,
    #[property(max_properties = 3)]
    tags: Vec<String>,
}

fn main() {}
