use restwright::Schema;
use restwright::schema::Invalid;

fn even(_: &i64) -> Result<(), Invalid> {
    Ok(())
}

fn no_result(_: &String) {}

#[derive(Schema)]
#[schema(validate = even)]
struct Pet {
    #[property(validate = even)]
    name: String,
    #[property(validate = no_result)]
    species: String,
    #[property(validate = missing)]
    note: String,
}

fn main() {}
