//! Walks over lists that change meanwhile.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::link;
use crate::ids;
use crate::pets::{Pet, Shelter, client, five};

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
