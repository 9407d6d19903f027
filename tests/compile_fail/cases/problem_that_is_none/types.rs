use restwright::Problem;

struct Opaque;

#[derive(Problem)]
enum Wrong {
    #[problem(status = 404, detail = "There is no {0}.")]
    Shown(Opaque),
    #[problem(status = 500)]
    Cause(#[source] Opaque),
}

fn main() {}
