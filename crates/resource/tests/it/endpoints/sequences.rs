//! Compares random requests of two tenants with a plain map.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use super::tenants::{Tenants, outcome};

#[derive(Clone, Debug)]
enum Step {
    Create(Item),
    Batch(Vec<Item>),
    BatchPatch(Vec<(Item, Condition)>),
    BatchDelete(Vec<(&'static str, Condition)>),
    Put(Item, Condition),
    Patch(&'static str, Option<&'static str>, Condition),
    Delete(&'static str, Condition),
    View(&'static str, Condition),
    List,
}

/// An identifier and a title.
type Item = (&'static str, &'static str);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Condition {
    None,
    IfMatch,
    IfMatchStale,
    IfMatchAny,
    IfNoneMatch,
    IfNoneMatchAny,
}

/// The titles by tenant and identifier, with the tag of the last response.
#[derive(Default)]
struct Model {
    titles: BTreeMap<(&'static str, &'static str), &'static str>,
    tags: BTreeMap<(&'static str, &'static str), String>,
}

impl Condition {
    /// Returns the status with which the condition rejects a change of an existing or a missing entity.
    fn refuses(self, exists: bool) -> bool {
        match self {
            Self::None => false,
            Self::IfMatchStale => true,
            Self::IfMatch | Self::IfMatchAny => !exists,
            Self::IfNoneMatch | Self::IfNoneMatchAny => exists,
        }
    }

    fn header(self, tag: &str) -> Option<(&'static str, String)> {
        match self {
            Self::None => None,
            Self::IfMatch => Some(("If-Match", tag.to_owned())),
            Self::IfMatchStale => Some(("If-Match", "\"stale\"".to_owned())),
            Self::IfMatchAny => Some(("If-Match", "*".to_owned())),
            Self::IfNoneMatch => Some(("If-None-Match", tag.to_owned())),
            Self::IfNoneMatchAny => Some(("If-None-Match", "*".to_owned())),
        }
    }
}

/// The expected status, with the returned titles or the code and the pointers of the problem.
type Expected = (u16, Value);

fn failed(status: u16, code: &str, errors: &str) -> Expected {
    (status, json!([code, errors]))
}

impl Model {
    /// Returns the field in which an entity conflicts with others.
    fn conflict(&self, tenant: &str, (id, title): Item, is_new: bool) -> Option<&'static str> {
        let mut own = self.titles.iter().filter(|((owner, _), _)| *owner == tenant);
        if is_new && own.clone().any(|((_, other), _)| *other == id) {
            return Some("id");
        }
        own.any(|((_, other), taken)| *other != id && *taken == title).then_some("title")
    }

    fn create(&mut self, tenant: &'static str, items: &[Item], place: impl Fn(usize) -> String) -> Option<Expected> {
        let before = self.titles.clone();
        for (index, item) in items.iter().enumerate() {
            if let Some(field) = self.conflict(tenant, *item, true) {
                self.titles = before;
                return Some(failed(409, "conflict", &format!("{}/{field} conflict", place(index))));
            }
            self.titles.insert((tenant, item.0), item.1);
        }
        None
    }

    fn set(&mut self, tenant: &'static str, item: Item) -> Expected {
        if self.conflict(tenant, item, false).is_some() {
            return failed(409, "conflict", "/title conflict");
        }
        self.titles.insert((tenant, item.0), item.1);
        (200, json!(item.1))
    }

    /// Changes all entities of a batch in descending order of their identifiers, or none.
    fn change_all(
        &mut self,
        tenant: &'static str,
        items: &[(&'static str, Condition)],
        change: impl Fn(&mut Self, usize) -> Option<Expected>,
    ) -> Option<Expected> {
        let repeated = |index: &usize| items[..*index].iter().any(|(id, _)| *id == items[*index].0);
        let repeated: Vec<_> = (0..items.len()).filter(repeated).collect();
        if !repeated.is_empty() {
            let errors: Vec<_> = repeated.iter().map(|index| format!("/data/{index}/id unique_items")).collect();
            return Some(failed(422, "invalid_request", &errors.join(", ")));
        }
        let before = self.titles.clone();
        let mut order: Vec<_> = (0..items.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(items[*index].0));
        for index in order {
            let (id, condition) = items[index];
            let refused = if !before.contains_key(&(tenant, id)) {
                Some(failed(422, "invalid_request", &format!("/data/{index}/id missing_reference")))
            } else if condition == Condition::IfMatchStale {
                Some(failed(412, "precondition_failed", &format!("/data/{index}/if_match conflict")))
            } else {
                change(self, index)
            };
            if refused.is_some() {
                self.titles = before;
                return refused;
            }
        }
        None
    }

    fn expected(&mut self, tenant: &'static str, step: &Step) -> Expected {
        let refused = || failed(412, "precondition_failed", "");
        let missing = || failed(404, "not_found", "");
        match step {
            Step::Create(item) => {
                self.create(tenant, &[*item], |_| String::new()).unwrap_or_else(|| (201, json!(item.1)))
            }
            Step::Batch(items) => {
                let titles: Vec<_> = items.iter().map(|(_, title)| *title).collect();
                self.create(tenant, items, |index| format!("/data/{index}")).unwrap_or((201, json!(titles)))
            }
            Step::BatchPatch(items) => {
                let ids: Vec<_> = items.iter().map(|((id, _), condition)| (*id, *condition)).collect();
                let change = |model: &mut Self, index: usize| match model.set(tenant, items[index].0) {
                    (200, _) => None,
                    (status, _) => Some(failed(status, "conflict", &format!("/data/{index}/changes/title conflict"))),
                };
                let titles: Vec<_> = items.iter().map(|((_, title), _)| *title).collect();
                self.change_all(tenant, &ids, change).unwrap_or((200, json!(titles)))
            }
            Step::BatchDelete(ids) => {
                let delete = |model: &mut Self, index: usize| {
                    model.titles.remove(&(tenant, ids[index].0));
                    None
                };
                self.change_all(tenant, ids, delete).unwrap_or((204, Value::Null))
            }
            Step::Put(item, condition) => {
                let exists = self.titles.contains_key(&(tenant, item.0));
                if condition.refuses(exists) {
                    return refused();
                }
                let (status, shown) = self.set(tenant, *item);
                (if status == 200 && !exists { 201 } else { status }, shown)
            }
            Step::Patch(id, title, condition) => match self.titles.get(&(tenant, *id)).copied() {
                None => missing(),
                Some(_) if condition.refuses(true) => refused(),
                Some(old) => self.set(tenant, (id, title.unwrap_or(old))),
            },
            Step::Delete(id, condition) => match self.titles.get(&(tenant, *id)) {
                None => missing(),
                Some(_) if condition.refuses(true) => refused(),
                Some(_) => {
                    self.titles.remove(&(tenant, *id));
                    (204, Value::Null)
                }
            },
            Step::View(id, condition) => match self.titles.get(&(tenant, *id)) {
                None => missing(),
                Some(_) if *condition == Condition::IfMatchStale => refused(),
                Some(_) if condition.refuses(true) => (304, Value::Null),
                Some(title) => (200, json!(title)),
            },
            Step::List => {
                let mut titles: Vec<_> =
                    self.titles.iter().filter(|((owner, _), _)| *owner == tenant).map(|(_, title)| *title).collect();
                titles.sort_unstable();
                (200, json!(titles))
            }
        }
    }
}

/// Sends the request of a step and returns the values in its response.
fn send(tenants: &Tenants, model: &mut Model, tenant: &'static str, step: &Step) -> Expected {
    let item = |(id, title): &Item| json!({"id": id, "title": title});
    let (request, id, condition, body) = match step {
        Step::Create(new) => ("POST /contracts".to_owned(), new.0, Condition::None, Some(item(new))),
        Step::Batch(items) => {
            let items: Vec<_> = items.iter().map(item).collect();
            ("POST /contracts/batch".to_owned(), "", Condition::None, Some(json!({"data": items})))
        }
        Step::BatchPatch(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|((id, title), condition)| {
                    targeted(tenants, tenant, (id, *condition), json!({"changes": {"title": title}}))
                })
                .collect();
            ("PATCH /contracts/batch".to_owned(), "", Condition::None, Some(json!({"data": items})))
        }
        Step::BatchDelete(ids) => {
            let items: Vec<_> = ids.iter().map(|target| targeted(tenants, tenant, *target, json!({}))).collect();
            ("POST /contracts/batch/delete".to_owned(), "", Condition::None, Some(json!({"data": items})))
        }
        Step::Put(new, condition) => (format!("PUT /contracts/{}", new.0), new.0, *condition, Some(item(new))),
        Step::Patch(id, title, condition) => {
            let body = title.map_or(json!({}), |title| json!({"title": title}));
            (format!("PATCH /contracts/{id}"), *id, *condition, Some(body))
        }
        Step::Delete(id, condition) => (format!("DELETE /contracts/{id}"), *id, *condition, None),
        Step::View(id, condition) => (format!("GET /contracts/{id}"), *id, *condition, None),
        Step::List => ("GET /contracts?order_by=title".to_owned(), "", Condition::None, None),
    };
    // An earlier tag may belong to a deleted entity. The current tag is in the response to a view.
    if let (false, Some(tag)) = (id.is_empty(), view_tag(tenants, tenant, id)) {
        model.tags.insert((tenant, id), tag);
    }
    let tag = model.tags.get(&(tenant, id)).map_or("\"never\"", String::as_str);
    let header = condition.header(tag);
    let headers: Vec<_> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let response = tenants.send(tenant, &request, &headers, body);
    let (status, shown) = outcome(&response);
    let shown = match shown {
        Value::Object(one) => one["title"].clone(),
        Value::Array(all) if status < 400 => all.iter().map(|one| one["title"].clone()).collect(),
        other => other,
    };
    (status, shown)
}

/// Returns an item of a batch with its identifier and its tag.
fn targeted(tenants: &Tenants, tenant: &str, (id, condition): (&str, Condition), mut item: Value) -> Value {
    item["id"] = json!(id);
    match condition {
        Condition::IfMatch => item["if_match"] = json!(view_tag(tenants, tenant, id).unwrap_or("\"1\"".to_owned())),
        Condition::IfMatchStale => item["if_match"] = json!("\"stale\""),
        _ => {}
    }
    item
}

fn view_tag(tenants: &Tenants, tenant: &str, id: &str) -> Option<String> {
    let viewed = tenants.send(tenant, &format!("GET /contracts/{id}"), &[], None);
    viewed.header("etag").map(str::to_owned)
}

fn steps() -> impl Strategy<Value = Vec<(&'static str, Step)>> {
    let id = || prop_oneof![Just("c"), Just("d"), Just("e")];
    let title = || prop_oneof![Just("x"), Just("y"), Just("z")];
    let item = move || (id(), title());
    let condition = || {
        prop_oneof![
            4 => Just(Condition::None),
            1 => Just(Condition::IfMatch),
            1 => Just(Condition::IfMatchStale),
            1 => Just(Condition::IfMatchAny),
            1 => Just(Condition::IfNoneMatch),
            1 => Just(Condition::IfNoneMatchAny),
        ]
    };
    let step = prop_oneof![
        2 => item().prop_map(Step::Create),
        2 => vec(item(), 1..4).prop_map(Step::Batch),
        2 => vec((item(), condition()), 1..4).prop_map(Step::BatchPatch),
        1 => vec((id(), condition()), 1..4).prop_map(Step::BatchDelete),
        3 => (item(), condition()).prop_map(|(item, condition)| Step::Put(item, condition)),
        3 => (id(), proptest::option::of(title()), condition())
            .prop_map(|(id, title, condition)| Step::Patch(id, title, condition)),
        3 => (id(), condition()).prop_map(|(id, condition)| Step::Delete(id, condition)),
        1 => (id(), condition()).prop_map(|(id, condition)| Step::View(id, condition)),
        1 => Just(Step::List),
    ];
    vec((prop_oneof![Just("a"), Just("b")], step), 1..30)
}

#[test]
fn endpoints_behave_like_a_map() {
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&steps(), |steps| {
        let (tenants, mut model) = (Tenants::new(), Model::default());
        for (tenant, step) in steps {
            let found = send(&tenants, &mut model, tenant, &step);
            let expected = model.expected(tenant, &step);
            if found != expected {
                return Err(TestCaseError::fail(format!("{tenant} {step:?}: {found:?} instead of {expected:?}")));
            }
        }
        for tenant in ["a", "b"] {
            let found = send(&tenants, &mut model, tenant, &Step::List);
            if found != model.expected(tenant, &Step::List) {
                return Err(TestCaseError::fail(format!("{tenant}: {found:?} in the end")));
            }
        }
        Ok(())
    });
    outcome.unwrap();
}
