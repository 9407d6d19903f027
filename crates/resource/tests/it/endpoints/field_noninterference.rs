//! Noninterference of hidden fields: their values change nothing in any response to a caller who may not read them.
//!
//! Two runs get the same random requests by `ann`. Between them, `root` stores other hidden values in each run. Status, headers and body are
//! compared, without request ids, dates, entity tags, times and the content of cursors.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::staff::{World, world};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()].clone()
    }
}

/// One run: an Api, and its identifiers by their number, which is the same in both runs.
struct Run {
    world: World,
    ids: Vec<String>,
}

/// A request: method, path and body. `<3>` in the path is replaced with the identifier at index 3 of [`Run::ids`].
#[derive(Clone, Debug)]
struct Sent(&'static str, String, Option<Value>);

impl Run {
    fn new() -> Self {
        Self { world: world(), ids: Vec::new() }
    }

    fn send(&mut self, caller: &str, Sent(method, path, body): &Sent) -> (u16, String, String) {
        let missing = "018f0000-0000-7000-8000-000000000000".to_owned();
        let number = path.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(number, _)| number);
        let id = number.map(|number| self.ids.get(number.parse::<usize>().unwrap()).unwrap_or(&missing).clone());
        let path = match (number, &id) {
            (Some(number), Some(id)) => path.replace(&format!("<{number}>"), id),
            _ => path.clone(),
        };
        let response = self.world.send(caller, method, &path, body.as_ref());
        let mut json: Value = serde_json::from_str(response.text()).unwrap_or_default();
        let data = json["data"].as_array().cloned().unwrap_or_else(|| vec![json["data"].clone()]);
        if response.status() == 201 {
            self.ids.extend(data.iter().map(|one| one["id"].as_str().unwrap().to_owned()));
        }
        if let Some(json) = json.as_object_mut() {
            json.remove("request_id");
        }
        for cursor in ["next_cursor", "previous_cursor"] {
            if let Some(Value::String(cursor)) = json.pointer_mut(&format!("/pagination/{cursor}")) {
                *cursor = "a cursor".to_owned();
            }
        }
        let left_out = ["date", "etag", "x-request-id", "link"];
        let headers = response.headers().iter().filter(|(name, _)| !left_out.contains(&name.as_str()));
        let headers: String = headers.map(|(name, value)| format!("{name}: {}\n", value.to_str().unwrap())).collect();
        (response.status().as_u16(), self.numbered(&headers), self.numbered(&json.to_string()))
    }

    fn numbered(&self, text: &str) -> String {
        let ids = self.ids.iter().enumerate();
        ids.fold(text.to_owned(), |text, (number, id)| text.replace(id.as_str(), &format!("<{number}>")))
    }
}

fn request(random: &mut Random, known: usize) -> Sent {
    let one = format!("/staff/<{}>", random.below(known as u64 + 1));
    let name = random.one(&["Ann", "Bob", "Robert"]);
    // Guesses of hidden values, which only take a few.
    let hidden = random.one(&[
        ("salary", json!(1)),
        ("salary", json!(2)),
        ("salary", Value::Null),
        ("pay", json!(1)),
        ("badge", json!("b1")),
        ("badge", json!("b2")),
        ("notes", json!(["n1"])),
        ("created_at", json!("2020-01-01T00:00:00Z")),
        ("name", json!("Bob")),
    ]);
    let mut body = json!({"name": name});
    if random.below(2) == 0 {
        body[hidden.0] = hidden.1.clone();
    }
    let list = random.one(&[
        "",
        "?name=Ann",
        "?salary=1",
        "?filter[salary][gt]=1",
        "?order_by=salary",
        "?order_by=-name",
        "?limit=1",
        "?order_by=name,-salary",
        "?salary[gt]=0&name=Bob",
        "?salery=1",
        "?q=hidden-1",
        "?q=5&limit=1",
        "?q=b",
    ]);
    match random.below(10) {
        0 => Sent("POST", "/staff".to_owned(), Some(body)),
        1 => Sent("POST", "/staff/batch".to_owned(), Some(json!({"data": [{"name": "Cid"}, body]}))),
        2 | 3 => Sent("PATCH", one, Some(body)),
        4 | 5 => Sent("PUT", one, Some(body)),
        6 => Sent("GET", one, None),
        7 if random.below(8) == 0 => Sent("DELETE", one, None),
        7 => Sent("POST", format!("{one}/raise"), None),
        _ => Sent("GET", format!("/staff{list}"), None),
    }
}

#[test]
fn hidden_values_change_no_response() {
    let pairs = std::env::var("RESTWRIGHT_PAIRS").map_or(1_500, |pairs| pairs.parse().unwrap());
    let mut random = Random(20_261_124);
    let (mut left, mut right) = (Run::new(), Run::new());
    let mut statuses = BTreeSet::new();
    for number in 0..pairs {
        if number % 100 == 0 {
            (left, right) = (Run::new(), Run::new());
        }
        if random.below(3) == 0 {
            // A badge is unique, which `reveals(badge)` accepts, so hidden badges are not the ones that requests contain.
            for run in [&mut left, &mut right] {
                let mut hidden = json!({"salary": random.below(3) + 1, "notes": [format!("n{}", random.below(3))]});
                hidden["badge"] = json!(format!("hidden-{}", random.below(1_000_000_000)));
                let id = random.below(run.ids.len() as u64 + 1);
                run.send("root read write", &Sent("PATCH", format!("/staff/<{id}>"), Some(hidden)));
            }
            continue;
        }
        let sent = request(&mut random, left.ids.len());
        let (one, other) = (left.send("ann", &sent), right.send("ann", &sent));
        statuses.insert(one.0);
        assert_eq!(one, other, "pair {number}: {sent:?}");
        assert!(
            !["salary", "badge", "notes"].iter().any(|name| one.0 < 300 && one.2.contains(name)),
            "{sent:?} {one:?}"
        );
    }
    assert!([200, 201, 404, 422].iter().all(|status| statuses.contains(status)), "{statuses:?}");
}
