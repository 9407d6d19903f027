//! Cursors: what they belong to, and walks over lists that change.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use restwright::Clock;
use restwright::list::CursorKey;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde_json::Value;

use crate::pets::{ListByCursor, Pet, Shelter, client, client_with, five};
use crate::{get, ids, violations};

/// Where a link leads from an answer of the list of pets.
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
        "/pets/by-cursor?order_by=%2Bname&limit=3&filter[age][lt]=50&filter[weight_kg][gte]=1.0&other=1",
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
    let key = CursorKey::new([7; 32]).expires_after(Duration::from_secs(60)).clock(clock.clone());
    let client = client_with(&five(), key);
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
    assert_eq!(Document::of(one.api()).to_json(), Document::of(other.api()).to_json());
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

/// What happens between two pages.
#[derive(Clone, Debug)]
enum Change {
    Insert { name: u8, age: Option<u8> },
    Delete { index: prop::sample::Index },
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..4_u8, prop::option::of(0..3_u8)).prop_map(|(name, age)| Change::Insert { name, age }),
        any::<prop::sample::Index>().prop_map(|index| Change::Delete { index }),
    ]
}

/// Few names and ages, so that many are tied and many are null.
fn pet(id: i64, name: u8, age: Option<u8>) -> Pet {
    let mut pet = five().lock().unwrap()[4].clone();
    pet.id = id;
    pet.name = format!("n{name}");
    pet.nickname = (name > 1).then(|| format!("k{name}"));
    pet.age = age;
    pet
}

fn make(pets: &Shelter, last_id: &mut i64, change: &Change) {
    let mut pets = pets.lock().unwrap();
    match change {
        Change::Insert { name, age } => {
            // Later ids are not larger, so that what is new comes before and after.
            *last_id += 1;
            let id = if *last_id % 2 == 0 { *last_id } else { -*last_id };
            pets.push(pet(id, *name, *age));
        }
        Change::Delete { index } if !pets.is_empty() => {
            let index = index.index(pets.len());
            pets.remove(index);
        }
        Change::Delete { .. } => {}
    }
}

#[test]
fn a_walk_shows_what_stays_exactly_once_and_in_order() {
    let start = prop::collection::vec((0..4_u8, prop::option::of(0..3_u8)), 20..60);
    let changes = prop::collection::vec(prop::collection::vec(change(), 0..3), 60);
    let orders =
        ["age", "-age", "age,-nickname", "-nickname,age", "name,age", "-name", "id", "-nickname,-id", "age,name"];
    let walks = (start, changes, prop::sample::select(orders.to_vec()), 1..3_usize, prop::bool::ANY);
    let pages = Cell::new(0);
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(400) });
    let outcome = runner.run(&walks, |(start, changes, order, limit, backward)| {
        let pets: Shelter = Arc::default();
        let mut last_id = 0;
        for (name, age) in start {
            make(&pets, &mut last_id, &Change::Insert { name, age });
        }
        pages.set(pages.get() + walk(&pets, &mut last_id, &changes, order, limit, backward));
        Ok(())
    });
    outcome.unwrap();
    assert!(pages.get() >= 10_000, "{} pages", pages.get());
}

/// Walks a list that changes after each page, and returns how many pages there were.
fn walk(
    pets: &Shelter,
    last_id: &mut i64,
    changes: &[Vec<Change>],
    order: &str,
    limit: usize,
    backward: bool,
) -> usize {
    let client = client(pets);
    let mut target = format!("/pets/by-cursor?limit={limit}&order_by={order}");
    if backward {
        // The way to the end, on which the list stays as it is.
        while let Some(next) = link(&client.get(&target).send(), "next") {
            target = next;
        }
    }
    let relation = if backward { "prev" } else { "next" };
    let mut stays = ids(&client.get(format!("/pets?limit=100&order_by={order}")).send());
    let mut shown: Vec<i64> = Vec::new();
    let mut pages = 0;
    for changes in changes.iter().map(Some).chain(std::iter::repeat(None)) {
        let response = client.get(&target).send();
        pages += 1;
        let page = ids(&response).into_iter();
        if backward {
            shown.extend(page.rev())
        } else {
            shown.extend(page)
        }
        let Some(next) = link(&response, relation) else { break };
        target = next;
        for change in changes.into_iter().flatten() {
            make(pets, last_id, change);
            let left: Vec<i64> = pets.lock().unwrap().iter().map(|pet| pet.id).collect();
            stays.retain(|id| left.contains(id));
        }
    }
    let distinct: HashSet<_> = shown.iter().collect();
    assert_eq!(distinct.len(), shown.len(), "an item came twice: {shown:?}");
    shown.retain(|id| stays.contains(id));
    if backward {
        shown.reverse();
    }
    assert_eq!(shown, stays, "{order}");
    pages
}
