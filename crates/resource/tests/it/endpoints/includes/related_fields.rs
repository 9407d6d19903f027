//! Filters and orders by fields of related entities.

use restwright::auth::{Access, CrudAccess};
use restwright::http::Method;
use restwright::list::Operator;
use restwright::schema::Mode;
use restwright_resource::{Hooks, Relation};
use serde_json::{Value, json};

use super::{Person, Tickets, builder, caller, comments, people, tickets};
use crate::endpoints::counting_store::CountingStore;

/// Tickets whose lists can be filtered and sorted by the fields of their holder.
fn held(people_access: impl Into<CrudAccess>) -> Tickets {
    let operators = [Operator::Eq, Operator::Ne, Operator::Contains, Operator::IsNull];
    let holder = Relation::one("holder").field("assignee_id").filter("name", operators).sort("name");
    let holder = holder.filter("salary", [Operator::Gt]).sort("salary");
    let store = CountingStore::default();
    let api = builder().module(&people(&store, people_access)).module(&comments(&store));
    Tickets::of(api.module(&tickets(&store).include(holder)), store)
}

/// Returns the titles of a list, or the code and the pointers of its violations.
fn titles(tickets: &Tickets, caller: &str, query: &str) -> (u16, String) {
    let request = tickets.client.get(format!("/tickets{query}")).header("X-Caller", caller);
    outcome(&request.send())
}

fn outcome(response: &restwright::testing::TestResponse) -> (u16, String) {
    let body: Value = response.assert_documented().json();
    let of = |list: &Value, one: &dyn Fn(&Value) -> String| {
        list.as_array().into_iter().flatten().map(one).collect::<Vec<_>>().join(" ")
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let shown = match body.get("data") {
        Some(data) => of(data, &|one| text(&one["title"])),
        None => of(&body["errors"], &|one| format!("{} {}", text(&one["pointer"]), text(&one["code"]))),
    };
    (response.status().as_u16(), shown)
}

#[test]
fn lists_are_filtered_and_sorted_by_what_the_caller_sees() {
    let tickets = held(caller());
    for (caller, query, status, expected) in [
        ("ann", "?holder.name=Ann", 200, "Roof"),
        ("ann", "?filter[holder.name][contains]=N", 200, "Roof"),
        ("ann", "?holder.name=Bob", 200, ""),
        // Only callers with `secrets` see Eve. For others, the assignee of the door is null.
        ("ann", "?holder.name=Eve", 200, ""),
        ("ann secrets", "?holder.name=Eve", 200, "Door"),
        ("ann", "?holder.name[ne]=Ann&order_by=title", 200, "Door Wall"),
        ("ann", "?holder.name[is_null]=true&order_by=title", 200, "Door Wall"),
        ("ann secrets", "?holder.name[is_null]=true", 200, "Wall"),
        ("ann", "?holder.name[is_null]=false", 200, "Roof"),
        ("ann secrets", "?holder.name[is_null]=false&holder.name[ne]=Ann", 200, "Door"),
        ("ann", "?order_by=holder.name", 200, "Door Wall Roof"),
        ("ann", "?order_by=-holder.name", 200, "Roof Wall Door"),
        ("ann secrets", "?order_by=holder.name", 200, "Wall Roof Door"),
        ("ann secrets", "?order_by=-holder.name&limit=1&page=2", 200, "Roof"),
        ("ann secrets", "?order_by=holder.name,-title&include=holder", 200, "Wall Roof Door"),
        ("ann south", "?order_by=holder.name", 200, ""),
        // The salary exists for callers with `hr`.
        ("ann hr", "?holder.salary[gt]=6", 200, "Roof"),
        ("ann hr secrets", "?holder.salary[gt]=6&order_by=holder.salary,title", 200, "Door Roof"),
        ("ann", "?filter[holder.salary][gt]=6", 422, "/filter[holder.salary][gt] unknown_filter"),
        ("ann", "?order_by=holder.salary", 422, "/order_by unknown_sort_field"),
        ("ann", "?filter[holder.name][gt]=A", 422, "/filter[holder.name][gt] unknown_operator"),
        ("ann", "?filter[holder.title]=A", 422, "/filter[holder.title] unknown_filter"),
        ("ann", "?filter[reporter.name]=A", 422, "/filter[reporter.name] unknown_filter"),
        ("ann", "?order_by=comments.position", 422, "/order_by unknown_sort_field"),
    ] {
        assert_eq!(titles(&tickets, caller, query), (status, expected.to_owned()), "{caller} {query}");
    }
}

#[test]
fn a_query_combines_conditions_on_related_entities() {
    let tickets = held(caller());
    for (caller, body, status, expected) in [
        ("ann", json!({"filter": {"not": {"holder.name": {"eq": "Ann"}}}, "order_by": ["title"]}), 200, "Door Wall"),
        (
            "ann secrets",
            json!({"filter": {"any": [{"holder.name": {"eq": "Eve"}}, {"holder.name": {"is_null": true}}]}, "order_by": ["-holder.name"]}),
            200,
            "Door Wall",
        ),
        ("ann", json!({"filter": {"holder.salary": {"gt": 1}}}), 422, "/filter/holder.salary unknown_filter"),
        ("ann", json!({"filter": {"holder.name": {"eq": 7}}}), 422, "/filter/holder.name/eq type"),
    ] {
        let request = tickets.client.request(Method::QUERY, "/tickets").header("X-Caller", caller);
        assert_eq!(outcome(&request.json(&body).send()), (status, expected.to_owned()), "{caller} {body}");
    }
}

#[test]
fn a_caller_without_access_to_the_related_entities_cannot_filter_by_them() {
    let staff = Access::authenticated("caller").all_permissions(["hr"]);
    let tickets = held(CrudAccess::from(caller()).with(Mode::View, staff));
    for (caller, query, status) in [
        ("ann", "", 200),
        ("ann", "?holder.name=Ann", 403),
        ("ann", "?order_by=holder.name", 403),
        ("ann hr", "?holder.name=Ann&order_by=holder.name", 200),
    ] {
        assert_eq!(titles(&tickets, caller, query).0, status, "{caller} {query}");
    }
}

#[test]
fn rejects_fields_that_cannot_be_compared() {
    let store = CountingStore::default();
    let one = |name: &str| Relation::one(name).field("assignee_id");
    let plain = || people(&store, caller());
    for (people, relation, expected) in [
        (plain(), one("owner").filter("age", [Operator::Eq]), "filters or sorts by the field `age`"),
        (plain(), one("owner").sort("tenant"), ""),
        (plain(), Relation::many("few", 2).of("comments").sort("position"), "only relations of the first level"),
        (
            plain(),
            Relation::many("few", 2).of("comments").include(Relation::one("author").sort("name")),
            "only relations of the first level",
        ),
        (plain(), one("owner").filter("name", [Operator::Has]), "the operator `has` is for lists"),
        (plain().hooks(EveryList), one("owner").sort("name"), "hooks or presenters run in lists of `people`"),
    ] {
        let api = builder().module(&people).module(&comments(&store)).module(&tickets(&store).include(relation));
        match api.build() {
            Ok(_) => assert_eq!(expected, ""),
            Err(errors) => assert!(!expected.is_empty() && errors.to_string().contains(expected), "{errors}"),
        }
    }
    let api = builder()
        .module(&plain())
        .module(&tickets(&store))
        .module(&comments(&store).include(Relation::one("by").field("author_id").sort("name")));
    api.build().unwrap();
}

struct EveryList;

impl Hooks<Person> for EveryList {
    const MODES: &'static [Mode] = &[Mode::List];
}
