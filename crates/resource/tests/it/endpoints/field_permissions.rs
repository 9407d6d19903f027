//! Fields that only some callers may read or write: what each operation shows and accepts.

use serde_json::{Value, json};

use super::staff::{shown, world};

/// The callers of the table: who may do nothing, read, write, and both.
const CALLERS: [&str; 4] = ["ann", "ann read", "ann write", "ann read write"];

/// Each operation by each caller. The last part of an expected response is what is stored afterwards.
#[test]
fn each_operation_shows_and_accepts_what_its_caller_may() {
    let unknown = |pointer: &str| format!("422 unknown_property {pointer} | 7");
    let read_only = |pointer: &str| format!("422 read_only {pointer} | 7");
    let same = |text: &str| [(); 4].map(|()| text.to_owned());
    // The callers who may read see everything.
    let seen = |hidden: &str, all: &str| [hidden, all, hidden, all].map(str::to_owned);
    let of = |texts: [&str; 4]| texts.map(str::to_owned);
    let one = "/staff/{}";
    let all = r#"Ann 7 "b1" ["n"] created"#;
    let with = |text: &str| format!("200 {text}");
    for (method, path, body, expected) in [
        ("GET", one, None, seen("200 Ann | 7", &format!("200 {all} | 7"))),
        ("GET", "/staff", None, seen("200 Ann | 7", &format!("200 {all} | 7"))),
        ("GET", "/staff?name=Ann", None, seen("200 Ann | 7", &format!("200 {all} | 7"))),
        ("DELETE", one, None, seen("200 Ann | ", &format!("200 {all} | "))),
        (
            "POST",
            "/staff/{}/raise",
            None,
            seen("200 Ann | 100", &format!("{} | 100", with(r#"Ann 100 "b1" ["n"] created"#))),
        ),
        ("POST", "/staff", Some(json!({"name": "Bob"})), seen("201 Bob | 7", "201 Bob null null [] created | 7")),
        (
            "POST",
            "/staff",
            Some(json!({"name": "Bob", "salary": 9})),
            [unknown("/salary"), read_only("/salary"), "201 Bob | 7".into(), "201 Bob 9 null [] created | 7".into()],
        ),
        (
            "POST",
            "/staff",
            Some(json!({"pay": 9, "name": "Robert"})),
            of([
                "422 unknown_property /pay, max_length /name | 7",
                "422 read_only /pay, max_length /name | 7",
                "422 max_length /name | 7",
                "422 max_length /name | 7",
            ]),
        ),
        (
            "POST",
            "/staff",
            Some(json!({"name": "Bob", "salary": -1})),
            of([
                "422 unknown_property /salary | 7",
                "422 read_only /salary | 7",
                "422 minimum /salary | 7",
                "422 minimum /salary | 7",
            ]),
        ),
        (
            "POST",
            "/staff",
            Some(json!({"name": "Bob", "badge": "b1"})),
            of([
                "422 unknown_property /badge | 7",
                "422 read_only /badge | 7",
                "409 conflict | 7",
                "409 conflict /badge | 7",
            ]),
        ),
        (
            "POST",
            "/staff/batch",
            Some(json!({"data": [{"name": "Bob"}, {"name": "Cid", "salary": 9, "notes": []}]})),
            of([
                "422 unknown_property /data/1/salary, unknown_property /data/1/notes | 7",
                "422 read_only /data/1/salary, read_only /data/1/notes | 7",
                "201 Bob, Cid | 7",
                "201 Bob null null [] created, Cid 9 null [] created | 7",
            ]),
        ),
        (
            "POST",
            "/staff/batch",
            Some(json!({"data": [{"name": "Bob", "badge": "b2"}, {"name": "Cid", "badge": "b1"}]})),
            of([
                "422 unknown_property /data/0/badge, unknown_property /data/1/badge | 7",
                "422 read_only /data/0/badge, read_only /data/1/badge | 7",
                "409 conflict | 7",
                "409 conflict /data/1/badge | 7",
            ]),
        ),
        ("PATCH", one, Some(json!({"name": "Bob"})), seen("200 Bob | 7", r#"200 Bob 7 "b1" ["n"] created | 7"#)),
        (
            "PATCH",
            one,
            Some(json!({"salary": 9})),
            [
                unknown("/salary"),
                read_only("/salary"),
                "200 Ann | 9".into(),
                r#"200 Ann 9 "b1" ["n"] created | 9"#.into(),
            ],
        ),
        (
            "PATCH",
            one,
            Some(json!({"salary": null})),
            [
                unknown("/salary"),
                read_only("/salary"),
                "200 Ann | null".into(),
                r#"200 Ann null "b1" ["n"] created | null"#.into(),
            ],
        ),
        // The stored value: callers who read it may send it back, and other callers do not learn that they guessed it.
        (
            "PATCH",
            one,
            Some(json!({"salary": 7})),
            [unknown("/salary"), format!("200 {all} | 7"), "200 Ann | 7".into(), format!("200 {all} | 7")],
        ),
        (
            "PATCH",
            one,
            Some(json!({"notes": ["n"], "name": "Robert"})),
            of([
                "422 unknown_property /notes, max_length /name | 7",
                "422 max_length /name | 7",
                "422 max_length /name | 7",
                "422 max_length /name | 7",
            ]),
        ),
        (
            "PATCH",
            one,
            Some(json!({"created_at": "2020-01-01T00:00:00Z"})),
            [unknown("/created_at"), read_only("/created_at"), unknown("/created_at"), read_only("/created_at")],
        ),
        // A violation of a value that the caller neither sent nor may read names neither the field nor the rule.
        ("PATCH", one, Some(json!({"name": "Chief"})), seen("422 invalid  | 7", "422 underpaid  | 7")),
        (
            "PATCH",
            one,
            Some(json!({"name": "Chief", "salary": 8})),
            of([
                "422 unknown_property /salary | 7",
                "422 underpaid /salary, read_only /salary | 7",
                "422 underpaid /salary | 7",
                "422 underpaid /salary | 7",
            ]),
        ),
        (
            "POST",
            "/staff",
            Some(json!({"name": "Chief"})),
            of([
                "422 invalid  | 7",
                "422 underpaid /salary | 7",
                "422 underpaid /salary | 7",
                "422 underpaid /salary | 7",
            ]),
        ),
        // A replacement keeps what its caller may not write.
        (
            "PUT",
            one,
            Some(json!({"name": "Bob"})),
            of([
                "200 Bob | 7",
                r#"200 Bob 7 "b1" ["n"] created | 7"#,
                "200 Bob | null",
                "200 Bob null null [] created | null",
            ]),
        ),
        (
            "PUT",
            one,
            Some(json!({"name": "Bob", "salary": 9, "badge": "b1", "notes": ["m"]})),
            of([
                "422 unknown_property /salary, unknown_property /badge, unknown_property /notes | 7",
                "422 read_only /salary, read_only /notes | 7",
                "200 Bob | 9",
                r#"200 Bob 9 "b1" ["m"] created | 9"#,
            ]),
        ),
        ("GET", "/staff?salary=7", None, seen("422 unknown_property /salary | 7", &format!("200 {all} | 7"))),
        (
            "GET",
            "/staff?filter[salary]=7",
            None,
            seen("422 unknown_filter /filter[salary] | 7", &format!("200 {all} | 7")),
        ),
        ("GET", "/staff?filter[salary][gt]=8", None, seen("422 unknown_filter /filter[salary][gt] | 7", "200  | 7")),
        (
            "GET",
            "/staff?order_by=-salary",
            None,
            seen("422 unknown_sort_field /order_by | 7", &format!("200 {all} | 7")),
        ),
        (
            "GET",
            "/staff?order_by=name,salary",
            None,
            seen("422 unknown_sort_field /order_by | 7", &format!("200 {all} | 7")),
        ),
        ("GET", "/staff?order_by=name,name", None, same("422 duplicate_sort_field /order_by | 7")),
    ] {
        for (caller, expected) in CALLERS.iter().zip(expected) {
            let world = world();
            let id = world.create(&json!({"name": "Ann", "salary": 7, "badge": "b1", "notes": ["n"]}));
            let response = world.send(caller, method, &path.replace("{}", &id), body.as_ref());
            let stored = world.send("root read", "GET", &format!("/staff/{id}"), None).json::<Value>();
            let stored = stored.pointer("/data/salary").map(Value::to_string).unwrap_or_default();
            assert_eq!(format!("{} | {stored}", shown(&response)), expected, "{caller}: {method} {path} {body:?}");
        }
    }
}

/// A name that the caller may not read is treated like one that does not exist, in every byte of the response.
#[test]
fn a_hidden_name_is_an_unknown_name() {
    let world = world();
    let id = world.create(&json!({"name": "Ann", "salary": 7}));
    let one = &*format!("/staff/{id}");
    for (method, path, body) in [
        ("GET", "/staff?NAME=7", ""),
        ("GET", "/staff?NAME[gt]=x", ""),
        ("GET", "/staff?NAMEx=7&xNAME[gt]=7", ""),
        ("GET", "/staff?filter[NAME]=7", ""),
        ("GET", "/staff?filter[NAME][in]=7", ""),
        ("GET", "/staff?filter[NAME=7", ""),
        ("GET", "/staff?order_by=NAME", ""),
        ("GET", "/staff?order_by=NAME,-NAME,name", ""),
        ("POST", "/staff", r#"{"NAME": 7, "name": "Robert", "other": 1}"#),
        ("POST", "/staff", r#"{"name": "Bob", "NAME": {"a": 1}}"#),
        ("POST", "/staff", r#"{"NAME": 7, "NAME": 8}"#),
        ("POST", "/staff", r#"{"NAME": "\u0000"}"#),
        ("POST", "/staff", r#"{"NAME": 7, "name": "#),
        ("POST", "/staff/batch", r#"{"data": [{"NAME": 7}, {"name": 7, "NAME": null}], "NAME": 1}"#),
        ("PATCH", one, r#"{"NAME": 7, "id": "x"}"#),
        ("PATCH", one, r#"{"NAME": null, "name": "Robert"}"#),
        ("PUT", one, r#"{"NAME": 7}"#),
        ("PUT", one, r#"{"name": "Bob", "NAME": 7, "id": "x"}"#),
    ] {
        for hidden in ["salary", "badge", "notes", "created_at", "pay"] {
            let send = |name: &str| {
                let (path, body) = (path.replace("NAME", name), body.replace("NAME", name));
                let request = match method {
                    "GET" => world.0.get(&path),
                    "POST" => world.0.post(&path),
                    "PATCH" => world.0.patch(&path),
                    _ => world.0.put(&path),
                };
                let request = request.header("X-Caller", "ann");
                let is_sent = !body.is_empty();
                let request = if is_sent { request.body("application/json", body) } else { request };
                let response = request.send();
                let mut json: Value = serde_json::from_str(response.text()).unwrap();
                json.as_object_mut().unwrap().remove("request_id");
                (response.status(), json.to_string().replace(name, "NAME"))
            };
            // As long as the hidden name, because positions in malformed JSON are counted.
            let unknown = "z".repeat(hidden.len());
            assert_eq!(send(hidden), send(&unknown), "{method} {path} {body} {hidden}");
        }
    }
}
