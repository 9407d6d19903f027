use restwright::Request;

#[derive(Request)]
struct Misfit {
    #[query]
    #[property(min_length = 1)]
    page: i64,
}

fn main() {}
