use std::collections::{BTreeMap, HashMap};

use restwright::Schema;

#[derive(Schema)]
struct Point {
    x: i64,
}

#[derive(Schema)]
enum Size {
    #[serde(alias = "tiny")]
    Small,
}

#[derive(Schema)]
struct Keys {
    points: HashMap<Point, u8>,
    sizes: BTreeMap<Size, u8>,
    doubles: BTreeMap<f64, u8>,
}

fn main() {}
