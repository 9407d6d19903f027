use restwright::{Patch, Schema};
use serde::Deserialize;

type Perhaps<T> = Patch<T>;

#[derive(Deserialize, Schema)]
struct Changes {
    name: Patch<String>,
    note: Perhaps<Option<String>>,
    #[serde(default)]
    fine: Patch<String>,
}

fn main() {}
