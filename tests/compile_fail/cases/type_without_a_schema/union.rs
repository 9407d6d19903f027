use restwright::Schema;

#[derive(Schema)]
union Number {
    integer: u32,
    double: f32,
}

fn main() {}
