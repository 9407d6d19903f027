use restwright::{Problem, Response};

#[derive(Response)]
#[response(status = 204, contenttype = "text/csv")]
struct Done;

#[derive(Problem)]
enum Wrong {
    #[problem(status = 404, titel = "Not here")]
    NotFound,
}

fn main() {}
