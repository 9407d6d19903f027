//! The order, the tags, the cursors and the idempotency keys of resources with fields that only some callers may read.

use serde_json::{Value, json};

use super::staff::{shown, world};

#[test]
fn the_default_order_leaves_out_what_is_hidden() {
    let world = world();
    let ids: Vec<_> = [1, 3, 2].map(|salary| world.create(&json!({"name": "Ann", "salary": salary}))).into();
    for (caller, expected) in [("ann", [0, 1, 2]), ("ann write", [0, 1, 2]), ("ann read", [1, 2, 0])] {
        let listed = world.send(caller, "GET", "/staff", None).json::<Value>();
        let listed: Vec<_> = listed["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!(listed, expected.map(|index| ids[index].as_str()), "{caller}");
    }
}

#[test]
fn a_tag_belongs_to_what_its_caller_reads() {
    let world = world();
    let id = world.create(&json!({"name": "Ann", "salary": 7}));
    let path = format!("/staff/{id}");
    let tag = |caller: &str| {
        let viewed = world.send(caller, "GET", &path, None);
        viewed.assert_header("cache-control", "private, no-cache");
        viewed.header("etag").unwrap().to_owned()
    };
    let (hidden, all) = (tag("ann"), tag("ann read"));
    assert_ne!(hidden, all);
    assert_eq!([tag("ann write"), tag("bob read write")], [hidden.clone(), all.clone()]);
    let view = |caller: &str, tag: &str| {
        let viewed = world.0.get(&path).header("X-Caller", caller).header("If-None-Match", tag).send();
        viewed.assert_header("cache-control", "private, no-cache");
        viewed.status().as_u16()
    };
    // A response that was cached without the permission is not valid with it.
    assert_eq!([view("ann", &hidden), view("ann", &all), view("ann read", &hidden)], [304, 200, 200]);
    // A change needs the tag of the current version, which any caller may have got.
    let change = |caller: &str, tag: &str| {
        let request = world.0.patch(&path).header("X-Caller", caller).header("If-Match", tag);
        request.json(&json!({"name": "Bob"})).send()
    };
    let changed = change("ann", &all);
    changed.assert_status(200);
    change("ann", &hidden).assert_status(412);
    change("ann read", changed.header("etag").unwrap()).assert_status(200);
    for (method, path) in [("GET", "/staff"), ("POST", "/staff"), ("POST", &*format!("{path}/raise")), ("PUT", &*path)]
    {
        let body = (method != "GET" && !path.ends_with("raise")).then(|| json!({"name": "Bob"}));
        world.send("ann", method, path, body.as_ref()).assert_header("cache-control", "private, no-cache");
    }
}

#[test]
fn a_cursor_and_a_key_belong_to_what_their_caller_may() {
    let world = world();
    for salary in 1..4 {
        world.create(&json!({"name": "Ann", "salary": salary}));
    }
    for other in ["ann", "ann write", "ann read"] {
        let first = world.send("ann read write", "GET", "/staff?limit=1&order_by=name", None).json::<Value>();
        let cursor = first["pagination"]["next_cursor"].as_str().unwrap();
        let next = format!("/staff?limit=1&order_by=name&cursor={cursor}");
        world.send("ann read write", "GET", &next, None).assert_status(200);
        assert_eq!(shown(&world.send(other, "GET", &next, None)), "422 cursor_mismatch /cursor", "{other}");
        let create = |caller: &str| {
            let request = world
                .0
                .post("/staff")
                .header("X-Caller", caller)
                .header("Idempotency-Key", format!("k-{}", other.replace(' ', "-")));
            request.json(&json!({"name": "Bob"})).send()
        };
        create("ann read write").assert_status(201);
        create("ann read write").assert_status(201).assert_header("idempotency-replayed", "true");
        assert_eq!(shown(&create(other)), "409 idempotency_rights_changed", "{other}");
    }
}
