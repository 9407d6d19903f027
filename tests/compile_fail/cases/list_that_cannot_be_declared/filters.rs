use restwright::Filters;
use restwright::list::Filter;

#[derive(Filters)]
struct Mistakes {
    #[filter(equals, contain)]
    name: Filter<String>,
    #[filter(eq)]
    age: u8,
    weight_kg: Filter<f64>,
    #[filter(eq = 1, rename)]
    calm: Filter<bool>,
}

#[derive(Filters)]
struct Unnamed(Filter<String>);

#[derive(Filters)]
struct Generic<T> {
    #[filter(eq)]
    value: Filter<T>,
}

#[derive(Filters)]
enum NoStruct {}

#[derive(Filters)]
struct NotAValue {
    #[filter(eq)]
    value: Filter<std::time::Duration>,
}

#[derive(Filters)]
#[filter(rename_all = "camelcase", eq)]
struct WrongRule {
    #[filter(eq)]
    value: Filter<String>,
}

fn main() {}
