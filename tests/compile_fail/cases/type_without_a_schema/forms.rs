use restwright::Schema;

#[derive(Schema)]
struct Pair(String, #[serde(skip)] String);

#[derive(Schema)]
struct Unit;

#[derive(Schema)]
enum Untold {
    Number(i64),
    Nothing,
}

#[derive(Schema)]
enum Nothing {}

#[derive(Schema)]
#[serde(tag = "type")]
enum Positions {
    Point(f64, f64),
}

#[derive(Schema)]
union Bits {
    integer: u32,
    float: f32,
}

#[derive(Schema)]
#[serde(transparent)]
struct Around {
    left: i64,
    right: i64,
}

fn main() {}
