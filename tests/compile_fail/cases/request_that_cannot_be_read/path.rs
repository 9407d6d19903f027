use restwright::Request;

#[derive(Request)]
struct GetPet {
    #[path]
    id: i64,
}

fn main() {}
