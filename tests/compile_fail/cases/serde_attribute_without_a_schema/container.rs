use restwright::Schema;

#[derive(Schema)]
#[serde(from = "String", rename_all = "camel_case")]
struct Pet {
    name: String,
}

#[derive(Schema)]
#[serde(tag = "type")]
enum Either {
    Left { value: i64 },
    #[serde(untagged)]
    Right { value: i64 },
}

#[derive(Schema)]
#[serde(tag = "type")]
enum Open {
    Known { value: i64 },
    #[serde(other)]
    Unknown,
}

#[derive(Schema)]
#[serde(tag = "type")]
struct Tagged {
    name: String,
}

#[derive(Schema)]
#[serde(rename_all(serialize = "camelCase"))]
enum TwoNames {
    OneOrTwo,
}

fn main() {}
