use restwright::Problem;

#[derive(Problem)]
enum Wrong {
    #[problem(status = 200)]
    Fine,
    NoStatus,
    #[problem(status = 404, code = "not found")]
    Code,
    #[problem(status = 409, code = "taken")]
    Taken,
    #[problem(status = 410, code = "taken")]
    AlsoTaken,
    #[problem(status = 404, detail = "There is no {idd}.")]
    Field { id: i64 },
    #[problem(status = 404, detail = "There is no {1}.")]
    Position(i64),
    #[problem(status = 404, detail = "There is no {id.")]
    Brace { id: i64 },
    #[problem(status = 500)]
    TwoCauses(#[source] std::io::Error, #[source] std::io::Error),
    #[problem(status = 500)]
    FromAndMore(#[from] std::io::Error, i64),
}

fn main() {}
