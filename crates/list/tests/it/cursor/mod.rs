//! Cursors: what they belong to, and where they lead.

mod shared;
mod walk;

use std::time::Duration;

use restwright::Clock;
use restwright::list::CursorKey;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde_json::Value;

use crate::pets::{ListByCursor, client, client_with, five};
use crate::{get, ids, violations};

/// Resolves a link of a response of the list of pets.
fn link(response: &restwright::testing::TestResponse, relation: &str) -> Option<String> {
    crate::link("/pets/by-cursor", response, relation)
}

fn cursor(response: &restwright::testing::TestResponse, name: &str) -> Option<String> {
    response.json::<Value>()["pagination"][name].as_str().map(str::to_owned)
}

#[test]
fn envelopes_and_links() {
    let client = client(&five());
    let first = get(&client, "/pets/by-cursor?order_by=id&limit=2");
    assert_eq!(ids(&first), [1, 2]);
    let pagination = &first.json::<Value>()["pagination"];
    assert_eq!(pagination["limit"], 2);
    assert_eq!(pagination["has_more"], true);
    assert_eq!((&pagination["current_cursor"], &pagination["previous_cursor"]), (&Value::Null, &Value::Null));

    let second = get(&client, &link(&first, "next").unwrap());
    assert_eq!(ids(&second), [3, 4]);
    assert_eq!(cursor(&second, "current_cursor"), cursor(&first, "next_cursor"));
    let third = get(&client, &link(&second, "next").unwrap());
    assert_eq!(ids(&third), [5]);
    assert_eq!((cursor(&third, "next_cursor"), link(&third, "next")), (None, None));

    let back = get(&client, &link(&third, "prev").unwrap());
    assert_eq!(ids(&back), [3, 4]);
    assert_eq!(ids(&get(&client, &link(&back, "next").unwrap())), [5]);
    let start = get(&client, &link(&back, "prev").unwrap());
    assert_eq!(ids(&start), [1, 2]);
    assert_eq!(link(&start, "prev"), None);
    assert_eq!(ids(&get(&client, &link(&start, "next").unwrap())), [3, 4]);
    assert_eq!(link(&start, "first").unwrap(), "/pets/by-cursor?limit=2&order_by=id");
}

#[test]
fn a_cursor_belongs_to_its_list() {
    let client = client(&five());
    let next = |target: &str| cursor(&get(&client, target), "next_cursor").unwrap();
    let cursor = next("/pets/by-cursor?order_by=name&limit=2&weight_kg[gte]=1&age[lt]=50");
    for same in [
        "/pets/by-cursor?order_by=name&limit=2&weight_kg[gte]=1&age[lt]=50",
        "/pets/by-cursor?order_by=%2Bname&limit=3&filter[age][lt]=50&filter[weight_kg][gte]=1.0",
        "/pets/by-cursor?order_by=name,id&weight_kg[gte]=1&age[lt]=50",
    ] {
        get(&client, &format!("{same}&cursor={cursor}")).assert_status(200);
    }
    for (one, same) in [
        ("weight_kg[gte]=-0.0", "weight_kg[gte]=0"),
        ("height_m[gt]=-0", "height_m[gt]=0"),
        ("weight_kg[between]=-0,99", "weight_kg[between]=0,99"),
        ("weight_kg[in]=4.5,30,0,-0.0", "weight_kg[in]=-0.0,30&weight_kg[in]=4.5"),
        ("species[in]=dog,cat,dog", "species[in]=cat,dog"),
    ] {
        let list = |query: &str, cursor: &str| format!("/pets/by-cursor?{query}&limit=1{cursor}");
        let cursor = next(&list(one, ""));
        get(&client, &list(same, &format!("&cursor={cursor}"))).assert_status(200);
    }
    for other in [
        "/pets/by-cursor?order_by=-name&weight_kg[gte]=1&age[lt]=50",
        "/pets/by-cursor?order_by=name,-id&weight_kg[gte]=1&age[lt]=50",
        "/pets/by-cursor?order_by=id,name&weight_kg[gte]=1&age[lt]=50",
        "/pets/by-cursor?order_by=name,age&weight_kg[gte]=1&age[lt]=50",
        "/pets/by-cursor?order_by=name&weight_kg[gte]=1",
        "/pets/by-cursor?weight_kg[gte]=1&age[lt]=50",
        "/pets/by-cursor?order_by=name&weight_kg[gte]=2&age[lt]=50",
        "/pets/by-cursor?order_by=name&weight_kg[gt]=1&age[lt]=50",
        "/pets/by-cursor?order_by=name",
        "/owners/ada/pets?order_by=name&weight_kg[gte]=1&age[lt]=50",
    ] {
        let found = violations(&get(&client, &format!("{other}&cursor={cursor}")));
        assert_eq!(found, [("cursor_mismatch".to_owned(), "/cursor".to_owned())], "{other}");
    }
    let of_ada = get(&client, "/owners/ada/pets?limit=2");
    let next = crate::link("/owners/ada/pets", &of_ada, "next").unwrap();
    get(&client, &next).assert_status(200);
    let found = violations(&get(&client, &next.replace("ada", "grace")));
    assert_eq!(found, [("cursor_mismatch".to_owned(), "/cursor".to_owned())]);
}

#[test]
fn a_cursor_that_was_changed_is_refused() {
    let client = client(&five());
    let target = link(&get(&client, "/pets/by-cursor?limit=2"), "next").unwrap();
    let (_, cursor) = target.split_once("cursor=").unwrap();
    let cursor = cursor.split('&').next().unwrap();
    for position in 0..cursor.len() {
        let mut changed = cursor.as_bytes().to_vec();
        changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
        let changed = target.replace(cursor, &String::from_utf8(changed).unwrap());
        let found = violations(&get(&client, &changed));
        assert_eq!(found, [("cursor_invalid".to_owned(), "/cursor".to_owned())], "at {position}");
    }
    let elsewhere = client_with(&five(), CursorKey::new([8; 32]));
    assert_eq!(violations(&get(&elsewhere, &target)), [("cursor_invalid".to_owned(), "/cursor".to_owned())]);
}

#[test]
fn a_cursor_expires() {
    let clock = Clock::manual(1_000);
    let key = CursorKey::new([7; 32]).expires_after(Duration::from_secs(60));
    let configuration = Configuration::new("pets", "1.0.0").with(key).clock(clock.clone());
    let client = TestClient::new(Api::builder(configuration).controller(ListByCursor(five())).build().unwrap());
    let target = link(&get(&client, "/pets/by-cursor?limit=2"), "next").unwrap();
    clock.advance(Duration::from_secs(60));
    get(&client, &target).assert_status(200);
    clock.advance(Duration::from_secs(1));
    assert_eq!(violations(&get(&client, &target)), [("cursor_expired".to_owned(), "/cursor".to_owned())]);
}

#[test]
fn a_process_without_a_key_makes_one_for_all_its_cursors() {
    let without_key = || {
        let configuration = Configuration::new("pets", "1.0.0");
        TestClient::new(Api::builder(configuration).controller(ListByCursor(five())).build().unwrap())
    };
    let (one, other) = (without_key(), without_key());
    let target = link(&get(&one, "/pets/by-cursor?order_by=id&limit=2"), "next").unwrap();
    assert_eq!(ids(&get(&other, &target)), [3, 4]);
    assert_eq!(Document::from_api(one.api()).to_json(), Document::from_api(other.api()).to_json());
    assert_eq!(violations(&get(&client(&five()), &target))[0].0, "cursor_invalid");
}

#[test]
fn the_way_back_from_a_page_that_was_emptied() {
    let pets = five();
    let client = client(&pets);
    let first = get(&client, "/pets/by-cursor?order_by=id&limit=3");
    pets.lock().unwrap().truncate(3);
    let empty = get(&client, &link(&first, "next").unwrap());
    assert_eq!(ids(&empty), [] as [i64; 0]);
    assert_eq!(cursor(&empty, "next_cursor"), None);
    let back = get(&client, &link(&empty, "prev").unwrap());
    assert_eq!(ids(&back), [1, 2, 3]);
    pets.lock().unwrap().clear();
    let gone = get(&client, &link(&empty, "prev").unwrap());
    assert_eq!(ids(&gone), [] as [i64; 0]);
    pets.lock().unwrap().extend(five().lock().unwrap().iter().cloned());
    assert_eq!(ids(&get(&client, &link(&gone, "next").unwrap())), [4, 5]);
}
