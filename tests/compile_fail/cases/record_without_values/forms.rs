use restwright::Record;

#[derive(Record)]
struct Unnamed(i64);

#[derive(Record)]
enum NoStruct {}

#[derive(Record)]
struct Mistakes {
    #[record(skipp)]
    id: i64,
    #[record(skip = true)]
    name: String,
    #[record]
    tags: Vec<String>,
}

fn main() {}
