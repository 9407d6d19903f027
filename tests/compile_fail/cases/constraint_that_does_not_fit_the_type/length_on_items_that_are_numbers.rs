use restwright::Schema;

#[derive(Schema)]
struct Pet {
    #[property(items(min_length = 1))]
    weights: Vec<f64>,
}

fn main() {}
