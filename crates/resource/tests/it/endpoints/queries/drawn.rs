//! Random filters match the items that a naive evaluation of the JSON matches.

use serde_json::{Map, Value, json};

use super::super::sent::Random;
use super::Queries;

const TITLES: [&str; 6] = ["a", "B", "ab", "Ba", "c", "\u{1F980}a"];

fn filter(random: &mut Random, depth: usize) -> Value {
    let mut filter = Map::new();
    for _ in 0..random.below(3) {
        let (name, value) = match random.below(if depth == 0 { 2 } else { 5 }) {
            0 => {
                let value = TITLES[random.below(TITLES.len())];
                let operator = ["eq", "ne", "gt", "contains", "starts_with"][random.below(5)];
                ("title", json!({operator: value, "in": TITLES[..1 + random.below(TITLES.len())]}))
            }
            1 => match random.below(3) {
                0 => ("size", json!({"is_null": random.below(2) == 0})),
                1 => ("size", json!({"in": [random.below(4), random.below(4)]})),
                _ => ("size", json!({(["eq", "gt"][random.below(2)]): random.below(4)})),
            },
            2 => ("not", self::filter(random, depth - 1)),
            number => {
                let items: Vec<_> = (0..1 + random.below(3)).map(|_| self::filter(random, depth - 1)).collect();
                (if number == 3 { "any" } else { "all" }, json!(items))
            }
        };
        filter.insert(name.to_owned(), value);
    }
    Value::Object(filter)
}

fn holds(filter: &Value, item: &Value) -> bool {
    filter.as_object().unwrap().iter().all(|(name, value)| match name.as_str() {
        "any" => value.as_array().unwrap().iter().any(|one| holds(one, item)),
        "all" => value.as_array().unwrap().iter().all(|one| holds(one, item)),
        "not" => !holds(value, item),
        field => value.as_object().unwrap().iter().all(|(operator, operand)| compares(operator, operand, &item[field])),
    })
}

fn compares(operator: &str, operand: &Value, value: &Value) -> bool {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_lowercase();
    match operator {
        "eq" => value == operand,
        "ne" => value != operand,
        "in" => operand.as_array().unwrap().contains(value),
        "gt" => match (value.as_i64(), value.as_str()) {
            (Some(value), _) => value > operand.as_i64().unwrap(),
            (_, Some(value)) => value > operand.as_str().unwrap(),
            _ => false,
        },
        "contains" => text(value).contains(&text(operand)),
        "starts_with" => text(value).starts_with(&text(operand)),
        "is_null" => value.is_null() == operand.as_bool().unwrap(),
        other => panic!("{other}"),
    }
}

#[test]
fn random_filters_match_the_items_of_a_naive_evaluation() {
    let queries = Queries::empty();
    let mut random = Random(20_261_125);
    let mut items = Vec::new();
    for id in 1..=40 {
        let size = [json!(null), json!(0), json!(1), json!(2), json!(3)][random.below(5)].clone();
        let item = json!({"id": id, "title": TITLES[random.below(TITLES.len())], "state": "open", "size": size});
        queries.create("/tickets", &item_without_id(&item));
        items.push(item);
    }
    let mut counts = [0; 41];
    for _ in 0..3_000 {
        let depth = random.below(7);
        let mut filter = filter(&mut random, depth);
        while conditions(&filter) > 100 {
            filter = self::filter(&mut random, 2);
        }
        let expected: Vec<_> =
            items.iter().filter(|item| holds(&filter, item)).map(|item| item["id"].as_i64().unwrap()).collect();
        counts[expected.len()] += 1;
        assert_eq!(queries.ids("ann", &json!({"filter": filter})), expected, "{filter}");
    }
    // The filters are neither all true nor all false.
    assert!(counts[1..40].iter().sum::<u32>() > 500, "{counts:?}");
}

fn item_without_id(item: &Value) -> Value {
    let mut item = item.clone();
    item.as_object_mut().unwrap().remove("id");
    item
}

/// Returns the number of conditions in a filter.
fn conditions(filter: &Value) -> usize {
    let members = filter.as_object().unwrap().iter();
    let counts = members.map(|(name, value)| match name.as_str() {
        "any" | "all" => value.as_array().unwrap().iter().map(conditions).sum(),
        "not" => conditions(value),
        _ => value.as_object().unwrap().len(),
    });
    // An empty filter counts as a condition.
    counts.sum::<usize>().max(1)
}
