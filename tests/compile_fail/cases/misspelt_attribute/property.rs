use restwright::Schema;

#[derive(Schema)]
struct Pet {
    #[property(min_lenght = 1, maxlength = 5, regex = "a")]
    name: String,
    #[property(format = "emial")]
    email: String,
    #[property(modes(create, view), exclude(list), sort)]
    note: String,
}

fn main() {}
