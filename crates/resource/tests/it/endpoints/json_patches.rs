//! JSON Patches (RFC 6902) of entities.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{Endpoints, HookContext, Presenter};
use serde_json::{Value, json};

use super::merge_patches::{Profile, Profiles, profile, whole};
use super::staff::{shown, world};
use super::tenants::outcome;

const JSON_PATCH: &str = "application/json-patch+json";

fn profiles() -> Profiles {
    let profiles = Profiles::with(Endpoints::json_patch);
    profiles.insert(profile());
    profiles
}

fn send(profiles: &Profiles, patch: &Value) -> TestResponse {
    let response = profiles.client.patch("/profiles/1").body(JSON_PATCH, patch.to_string()).send();
    response.assert_documented();
    response
}

/// A patch of the profile, and the changed members.
#[test]
fn operations_change_an_entity() {
    let many: Vec<_> = (0..100).map(|number| json!({"op": "replace", "path": "/limit", "value": number})).collect();
    for (patch, expected) in [
        (json!([]), json!({})),
        (json!([{"op": "replace", "path": "/title", "value": "Eve"}]), json!({"title": "Eve"})),
        (json!([{"op": "test", "path": "/address", "value": {"zip": "0150", "city": "Oslo"}}]), json!({})),
        (json!([{"op": "remove", "path": "/note"}]), json!({"note": null})),
        (json!([{"op": "remove", "path": "/address/zip"}]), json!({"address": {"city": "Oslo", "zip": null}})),
        (
            json!([{"op": "copy", "from": "/address", "path": "/second"}]),
            json!({"second": {"city": "Oslo", "zip": "0150"}}),
        ),
        (
            json!([{"op": "add", "path": "/second", "value": {"city": "Bonn"}}]),
            json!({"second": {"city": "Bonn", "zip": null}}),
        ),
        (json!([{"op": "add", "path": "/tags/0", "value": "zero"}]), json!({"tags": ["zero", "one", "two"]})),
        (json!([{"op": "add", "path": "/tags/-", "value": "three"}]), json!({"tags": ["one", "two", "three"]})),
        (json!([{"op": "move", "from": "/tags/0", "path": "/tags/1"}]), json!({"tags": ["two", "one"]})),
        (
            json!([{"op": "move", "from": "/note", "path": "/title"}, {"op": "add", "path": "/title", "value": "Eve"}]),
            json!({"title": "Eve", "note": null}),
        ),
        (
            json!([{"op": "replace", "path": "/id", "value": 2}, {"op": "replace", "path": "/id", "value": 1}]),
            json!({}),
        ),
        (json!(many), json!({"limit": 99})),
    ] {
        let mut whole = whole();
        whole.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
        assert_eq!(outcome(&send(&profiles(), &patch)), (200, whole), "{patch}");
    }
}

/// The pointers refer to the operations. If a value is invalid, `property` is its place in the entity.
#[test]
fn violations_point_to_operations() {
    let long = "x".repeat(600_000);
    for (patch, expected) in [
        (json!({"title": "Eve"}), "422 \"\" type"),
        (json!([{"op": "replace", "path": "/title"}]), "422 /0/value required"),
        (json!([{"op": "add", "path": "/note", "value": "\0"}]), "422 /0/value invalid"),
        (json!([{"op": "test", "path": "/title", "value": "Eve"}]), "409 /0/value test_failed"),
        (json!([{"op": "test", "path": "/colour", "value": null}]), "409 /0/value test_failed"),
        (json!([{"op": "remove", "path": "/colour"}]), "409 /0/path no_target"),
        (json!([{"op": "remove", "path": "/tags/2"}]), "409 /0/path no_target"),
        (json!([{"op": "remove", "path": ""}]), "422 /0/path invalid"),
        (json!([{"op": "replace", "path": "", "value": 7}]), "422 /0/value type"),
        (json!([{"op": "add", "path": "/colour", "value": 7}]), "422 /0/value unknown_property /colour"),
        (json!([{"op": "remove", "path": "/title"}]), "422 /0 null /title"),
        (json!([{"op": "remove", "path": "/address/city"}]), "422 /0 null /address/city"),
        (
            json!([{"op": "add", "path": "/address", "value": {"city": "OSLO"}}]),
            "422 /0/value/city invalid /address/city",
        ),
        (
            json!([{"op": "add", "path": "/title", "value": "Eve"}, {"op": "add", "path": "/title", "value": "E"}]),
            "422 /1/value min_length /title",
        ),
        (json!([{"op": "add", "path": "/tags/-", "value": 7}]), "422 /0/value type /tags/2"),
        (json!([{"op": "add", "path": "/limit", "value": 1}]), "422 /0/value too_many /limit"),
        (json!([{"op": "replace", "path": "/id", "value": 2}]), "422 /0/value read_only /id"),
        (json!([{"op": "remove", "path": "/id"}]), "422 /0 read_only /id"),
        (
            json!([{"op": "add", "path": "/note", "value": long}, {"op": "copy", "from": "/note", "path": "/title"}]),
            "422 /1 invalid",
        ),
        (Value::Array(vec![json!({"op": "remove", "path": "/tags/0"}); 101]), "422 \"\" max_items"),
    ] {
        let profiles = profiles();
        let response = send(&profiles, &patch);
        let violations = response.violations().into_iter().map(|one| {
            let pointer = if one.pointer.is_empty() { "\"\"" } else { &one.pointer };
            let property = one.params.get("property").and_then(Value::as_str).unwrap_or_default();
            format!("{pointer} {} {property}", one.code).trim_end().to_owned()
        });
        let violations: Vec<_> = violations.collect();
        let shortened: String = patch.to_string().chars().take(200).collect();
        assert_eq!(format!("{} {}", response.status().as_u16(), violations.join(", ")), expected, "{shortened}");
        // Nothing changes if one operation fails.
        let stored = outcome(&profiles.client.get("/profiles/1").send()).1;
        assert_eq!(stored, whole(), "{shortened}");
    }
}

/// A caller changes what they see: a field that they may not read is a name that does not exist.
#[test]
fn operations_respect_the_rights_of_the_caller() {
    let test = |value: i64| json!([{"op": "test", "path": "/salary", "value": value}]);
    let raise = json!([{"op": "add", "path": "/salary", "value": 9}]);
    let copy = json!([{"op": "copy", "from": "/badge", "path": "/name"}]);
    let remove = json!([{"op": "remove", "path": "/salary"}]);
    let guess = json!([{"op": "test", "path": "/zzzzzz", "value": 7}]);
    for (caller, patch, expected) in [
        ("ann", &guess, "409 test_failed /0/value"),
        ("ann", &test(7), "409 test_failed /0/value"),
        ("ann", &test(8), "409 test_failed /0/value"),
        ("ann read", &test(7), r#"200 Ann 7 "b1" ["n"] created"#),
        ("ann", &copy, "409 no_target /0/from"),
        ("ann read", &copy, r#"200 b1 7 "b1" ["n"] created"#),
        ("ann", &raise, "422 unknown_property /0/value"),
        ("ann read", &raise, "422 read_only /0/value"),
        ("ann write", &raise, "200 Ann"),
        ("ann read write", &raise, r#"200 Ann 9 "b1" ["n"] created"#),
        ("ann write", &remove, "409 no_target /0/path"),
        ("ann read", &remove, "422 read_only /0"),
        ("ann read write", &remove, r#"200 Ann null "b1" ["n"] created"#),
    ] {
        let world = world();
        let id = world.create(&json!({"name": "Ann", "salary": 7, "badge": "b1", "notes": ["n"]}));
        let request = world.0.patch(format!("/staff/{id}")).header("X-Caller", caller);
        let response = request.body(JSON_PATCH, patch.to_string()).send();
        response.assert_documented();
        assert_eq!(shown(&response), expected, "{caller}: {patch}");
    }
}

/// Two callers add a tag at the same time: the patch of the second is applied to the entity of the first.
#[test]
fn preconditions_and_media_types_are_checked() {
    let profiles = profiles();
    let patch = json!([{"op": "add", "path": "/tags/-", "value": "three"}]).to_string();
    let tag = profiles.client.get("/profiles/1").send().header("etag").unwrap().to_owned();
    for (tag, expected) in [(&*tag, 200), (&*tag, 412), ("*", 422)] {
        let request = profiles.client.patch("/profiles/1").header("If-Match", tag);
        request.body(JSON_PATCH, patch.clone()).send().assert_status(expected).assert_documented();
    }
    let accepted = "application/merge-patch+json, application/json, application/json-patch+json";
    let response = profiles.client.patch("/profiles/1").body("text/plain", "[]").send();
    response.assert_status(415).assert_documented().assert_header("accept-patch", accepted);
    let without = Profiles::with(Endpoints::put);
    without.insert(profile());
    without.client.patch("/profiles/1").body(JSON_PATCH, patch).send().assert_status(415).assert_documented();
}

/// Hides the code of each address.
struct HiddenZip;

impl Presenter<Profile> for HiddenZip {
    async fn present(&self, _: &mut HookContext<'_>, profiles: &mut [Profile]) -> Result<()> {
        profiles.iter_mut().for_each(|profile| profile.address.zip = Some("***".to_owned()));
        Ok(())
    }
}

#[test]
fn what_a_presenter_hides_stays_in_the_store() {
    let profiles = Profiles::with(|endpoints| endpoints.json_patch().presenter(HiddenZip));
    profiles.insert(profile());
    let changed = send(&profiles, &json!([{"op": "replace", "path": "/address/city", "value": "Bergen"}]));
    assert_eq!(outcome(&changed).1["address"], json!({"city": "Bergen", "zip": "***"}));
    let stored = Endpoints::<Profile>::new(profiles.store.clone(), Access::public());
    let stored = Api::builder(Configuration::new("profiles", "1.0.0")).module(&stored).build().unwrap();
    let stored = TestClient::new(stored).get("/profiles/1").send();
    assert_eq!(outcome(&stored).1["address"], json!({"city": "Bergen", "zip": "0150"}));
}
