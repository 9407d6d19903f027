//! The accesses of groups and routes add up.

use restwright_core::auth::{Access, AuthorizationContext, Decision, Identity, Policy};
use restwright_core::{Result, Route};
use restwright_runtime::{Api, Group};
use restwright_testing::TestClient;
use serde_json::{Value, json};

use crate::support::{RED, WRONG_RED, Who, check, configuration, route};

pub(crate) const BLUE: &str = "blue realm=\"who\"";
const GREEN: &str = "green realm=\"who\"";

fn public() -> Access {
    Access::public()
}

fn red() -> restwright_core::auth::SchemeAccess {
    Access::authenticated("red")
}

fn blue() -> restwright_core::auth::SchemeAccess {
    Access::authenticated("blue")
}

/// Builds an Api with a route `/a` in a group `/g`.
fn inside(group: impl Into<Access>, own: impl Into<Access>) -> TestClient {
    client(Group::new("/g").access(group).controller(route("/a", own)))
}

fn client(group: Group) -> TestClient {
    TestClient::new(Api::builder(configuration()).group(group).build().unwrap())
}

pub(crate) fn errors(group: Group) -> Vec<String> {
    let built = Api::builder(configuration()).group(group).build();
    built.map(|_| Vec::new()).unwrap_or_else(|errors| errors.messages().to_vec())
}

fn security(client: &TestClient) -> Value {
    let operation = client.api().operations().next().unwrap();
    json!(operation.security)
}

/// Returns the access in the table of routes.
fn explained(client: &TestClient) -> String {
    let explained = client.api().explain();
    let row = explained.lines().next().unwrap();
    let columns: Vec<_> = row.split("  ").filter(|column| !column.is_empty()).collect();
    columns[3].to_owned()
}

/// Returns the subjects of an admitted caller, by scheme.
#[track_caller]
fn admitted(client: &TestClient, headers: &[(&str, &str)]) -> String {
    check(client, "/g/a?n=1", headers, 200, &[])["who"].as_str().unwrap().to_owned()
}

#[test]
fn one_scheme_holds_the_scopes_of_both() {
    let client = inside(red().all_scopes(["a:b"]), red().all_scopes(["c:d"]));
    let needs = |scope: &str| format!("red realm=\"who\", error=\"insufficient_scope\", scope=\"{scope}\"");
    check(&client, "/g/a", &[], 401, &[RED]);
    check(&client, "/g/a", &[("X-red", "wrong")], 401, &[WRONG_RED]);
    check(&client, "/g/a", &[("X-red", "ann c:d")], 403, &[&needs("a:b")]);
    check(&client, "/g/a", &[("X-red", "ann a:b")], 403, &[&needs("c:d")]);
    assert_eq!(admitted(&client, &[("X-red", "ann a:b c:d")]), "ann by red");
    assert_eq!(security(&client), json!([{ "red": ["a:b", "c:d"] }]));
    assert_eq!(explained(&client), "red: a:b (group /g) and red: c:d (route)");
}

#[test]
fn lists_the_scopes_of_group_and_route_in_bearer_challenges() {
    let jwt = || Access::authenticated("jwt");
    let client = inside(jwt().all_scopes(["a:b"]), jwt().all_scopes(["c:d", "a:b"]));
    check(&client, "/g/a", &[], 401, &["Bearer realm=\"who\", scope=\"a:b c:d\""]);
    // Next to the key of the route, the token needs only the group's scopes.
    let client = inside(jwt().all_scopes(["a:b"]), red().and("jwt").all_scopes(["c:d"]));
    check(&client, "/g/a", &[], 401, &["Bearer realm=\"who\", scope=\"a:b\"", RED]);
    assert_eq!(security(&client), json!([{ "jwt": ["a:b"], "red": ["c:d"] }]));
}

#[test]
fn two_schemes_are_needed_together() {
    let client = inside(red().all_scopes(["a:b"]), blue().all_scopes(["c:d"]));
    let all = check(&client, "/g/a", &[], 401, &[RED, BLUE]);
    assert_eq!(all["detail"], "Credentials are required: the header `X-red`; and the header `X-blue`.");
    for (headers, missing) in [(("X-red", "ann a:b c:d"), "blue"), (("X-blue", "ann a:b c:d"), "red")] {
        let problem = check(&client, "/g/a", &[headers], 401, &[RED, BLUE]);
        let expected = format!("The credentials are incomplete: the header `X-{missing}` is also required.");
        assert_eq!(problem["detail"], expected);
    }
    check(&client, "/g/a", &[("X-red", "wrong"), ("X-blue", "app c:d")], 401, &[WRONG_RED, BLUE]);
    check(
        &client,
        "/g/a",
        &[("X-red", "ann a:b"), ("X-blue", "wrong")],
        401,
        &[RED, &WRONG_RED.replace("red", "blue")],
    );
    assert_eq!(security(&client), json!([{ "red": ["a:b"], "blue": ["c:d"] }]));
    assert_eq!(explained(&client), "red: a:b (group /g) and blue: c:d (route)");
    // Each scope belongs to the scheme that it was declared with.
    let needs = |scheme, scope| format!("{scheme} realm=\"who\", error=\"insufficient_scope\", scope=\"{scope}\"");
    check(&client, "/g/a", &[("X-red", "ann c:d"), ("X-blue", "app a:b c:d")], 403, &[&needs("red", "a:b")]);
    check(&client, "/g/a", &[("X-red", "ann a:b c:d"), ("X-blue", "app a:b")], 403, &[&needs("blue", "c:d")]);
    let found = check(&client, "/g/a?n=1", &[("X-red", "ann a:b"), ("X-blue", "app c:d")], 200, &[]);
    assert_eq!(found, json!({ "who": "ann by red, app by blue", "scopes": "a:b" }));
}

/// Allows only Ann.
struct Ann;

impl Policy for Ann {
    async fn decide(&self, context: &AuthorizationContext<'_>) -> Result<Decision> {
        let identity = context.identity();
        assert_eq!(identity.scheme(), Some("blue"));
        assert_eq!(identity.of_scheme("red").and_then(Identity::subject), Some("app"));
        Ok(if identity.subject() == Some("ann") { Decision::Allow } else { Decision::deny("not Ann") })
    }
}

#[test]
fn checks_requirements_against_the_scheme_they_were_declared_with() {
    for (own, holds) in [
        (blue().all_scopes(["a:b", "c:d"]), "ann a:b c:d"),
        (blue().any_scope(["a:b", "c:d"]), "ann c:d"),
        (blue().all_permissions(["feed", "see"]), "ann feed see"),
        (blue().any_permission(["feed", "see"]), "ann see"),
        (blue().any_role("/realm/roles", ["owner"]), "ann owner"),
        (blue().policy(Ann), "ann"),
    ] {
        let needs = own.to_string();
        let client = inside(red(), own);
        let all = "a:b c:d feed see owner";
        assert_eq!(admitted(&client, &[("X-red", "app"), ("X-blue", holds)]), "app by red, ann by blue", "{needs}");
        let lacking = [("X-red", format!("app {all}")), ("X-blue", "bob".to_owned())];
        let lacking = lacking.iter().fold(client.get("/g/a"), |request, (name, value)| request.header(name, value));
        lacking.send().assert_status(403).assert_documented();
    }
    // The same holds for the requirements of the group.
    let client = inside(red().all_permissions(["feed"]), blue().all_permissions(["see"]));
    assert_eq!(admitted(&client, &[("X-red", "app feed"), ("X-blue", "ann see")]), "app by red, ann by blue");
    let lacking = "red realm=\"who\", error=\"insufficient_scope\"";
    check(&client, "/g/a", &[("X-red", "app see"), ("X-blue", "ann feed see")], 403, &[lacking]);
}

#[test]
fn combines_the_alternatives_of_group_and_route() {
    let client =
        inside(red().or("blue").all_scopes(["a:b"]), Access::authenticated("green").or("jwt").all_scopes(["c:d"]));
    assert_eq!(
        security(&client),
        json!([
            { "red": ["a:b"], "green": ["c:d"] },
            { "red": ["a:b"], "jwt": ["c:d"] },
            { "blue": ["a:b"], "green": ["c:d"] },
            { "blue": ["a:b"], "jwt": ["c:d"] },
        ])
    );
    for outer in ["red", "blue"] {
        for (inner, name) in [("green", "green"), ("jwt", "Bearer")] {
            let headers = [(format!("X-{outer}"), "ann a:b"), (format!("X-{name}"), "app c:d")];
            let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            assert_eq!(admitted(&client, &headers), format!("ann by {outer}, app by {inner}"));
        }
    }
    let bearer = "Bearer realm=\"who\", scope=\"c:d\"";
    check(&client, "/g/a", &[("X-red", "ann a:b"), ("X-blue", "ann a:b")], 401, &[RED, BLUE, GREEN, bearer]);
    check(&client, "/g/a", &[("X-green", "app c:d")], 401, &[RED, BLUE, GREEN, bearer]);
}

#[test]
fn the_same_alternatives_in_group_and_route_stay_alternatives() {
    let either = || red().or("blue");
    let client = inside(either().all_scopes(["a:b"]), either().all_scopes(["c:d"]));
    assert_eq!(security(&client), json!([{ "red": ["a:b", "c:d"] }, { "blue": ["a:b", "c:d"] }]));
    for scheme in ["red", "blue"] {
        assert_eq!(admitted(&client, &[(&format!("X-{scheme}"), "ann a:b c:d")]), format!("ann by {scheme}"));
    }
    // In another order, both together are also an alternative, which comes first.
    let client = inside(either().all_scopes(["a:b"]), blue().or("red").all_scopes(["c:d"]));
    assert_eq!(
        security(&client),
        json!([{ "red": ["a:b"], "blue": ["c:d"] }, { "red": ["a:b", "c:d"] }, { "blue": ["a:b", "c:d"] }])
    );
    assert_eq!(admitted(&client, &[("X-red", "ann a:b"), ("X-blue", "app c:d")]), "ann by red, app by blue");
    assert_eq!(admitted(&client, &[("X-red", "ann a:b c:d")]), "ann by red");
    assert_eq!(admitted(&client, &[("X-blue", "app a:b c:d")]), "app by blue");
}

#[test]
fn conjunctions_add_up() {
    let client = inside(red().and("blue").all_scopes(["a:b"]), Access::authenticated("green").and("blue"));
    assert_eq!(security(&client), json!([{ "red": ["a:b"], "blue": [], "green": [] }]));
    let (red, blue, green) = (("X-red", "ann a:b"), ("X-blue", "bob"), ("X-green", "cat"));
    assert_eq!(admitted(&client, &[red, blue, green]), "ann by red, bob by blue, cat by green");
    for headers in [[red, blue], [red, green], [blue, green]] {
        check(&client, "/g/a", &headers, 401, &[RED, BLUE, GREEN]);
    }
    assert_eq!(explained(&client), "red + blue: a:b (group /g) and green + blue (route)");
}

#[test]
fn a_route_in_a_public_group_can_require_more() {
    let client = inside(public(), red().all_scopes(["a:b"]));
    check(&client, "/g/a", &[], 401, &[RED]);
    assert_eq!(admitted(&client, &[("X-red", "ann a:b")]), "ann by red");
    assert_eq!((security(&client), &*explained(&client)), (json!([{ "red": ["a:b"] }]), "red: a:b"));
    let client = inside(public(), Access::optional("red"));
    assert_eq!(admitted(&client, &[]), "guest by nothing");
    check(&client, "/g/a", &[("X-red", "wrong")], 401, &[WRONG_RED]);
    let client = inside(public(), public());
    assert_eq!((security(&client), &*explained(&client)), (json!([]), "public"));
    assert_eq!(admitted(&client, &[]), "guest by nothing");
}

#[test]
fn combines_optional_groups_with_stricter_routes() {
    // A public route requires nothing more.
    let client = inside(Access::optional("red").all_scopes(["pets:read"]), public());
    assert_eq!(security(&client), json!([{ "red": ["pets:read"] }, {}]));
    assert_eq!(admitted(&client, &[]), "guest by nothing");
    check(&client, "/g/a", &[("X-red", "wrong")], 401, &[WRONG_RED]);
    let needs = "red realm=\"who\", error=\"insufficient_scope\", scope=\"pets:read\"";
    check(&client, "/g/a", &[("X-red", "ann")], 403, &[needs]);
    // A route that requires the same scheme admits no guests.
    let client = inside(Access::optional("red").all_scopes(["pets:read"]), red().all_scopes(["a:b"]));
    assert_eq!(security(&client), json!([{ "red": ["pets:read", "a:b"] }]));
    check(&client, "/g/a", &[], 401, &[RED]);
    check(&client, "/g/a", &[("X-red", "ann a:b")], 403, &[needs]);
    assert_eq!(admitted(&client, &[("X-red", "ann a:b pets:read")]), "ann by red");
    // A route that requires another scheme: for the group, a caller without the group's credentials is a guest.
    let client = inside(Access::optional("red").all_scopes(["pets:read"]), blue());
    assert_eq!(security(&client), json!([{ "red": ["pets:read"], "blue": [] }, { "blue": [] }]));
    check(&client, "/g/a", &[], 401, &[RED, BLUE]);
    check(&client, "/g/a", &[("X-red", "ann pets:read")], 401, &[RED, BLUE]);
    check(&client, "/g/a", &[("X-red", "ann"), ("X-blue", "app")], 403, &[needs]);
    assert_eq!(admitted(&client, &[("X-blue", "app")]), "app by blue");
    assert_eq!(admitted(&client, &[("X-red", "ann pets:read"), ("X-blue", "app")]), "ann by red, app by blue");
    // A guest who lacks a scope must authenticate.
    let client = inside(Access::optional("red").all_scopes(["a:b"]), blue());
    check(&client, "/g/a", &[("X-blue", "app a:b")], 401, &[RED, BLUE]);
    // Two optional schemes.
    let client = inside(Access::optional("red"), Access::optional("blue"));
    assert_eq!(security(&client), json!([{ "red": [], "blue": [] }, { "red": [] }, { "blue": [] }, {}]));
    assert_eq!(explained(&client), "optional red (group /g) and optional blue (route)");
    for (headers, who) in [
        (&[][..], "guest by nothing"),
        (&[("X-red", "ann")], "ann by red"),
        (&[("X-blue", "app")], "app by blue"),
        (&[("X-red", "ann"), ("X-blue", "app")], "ann by red, app by blue"),
    ] {
        assert_eq!(admitted(&client, headers), who);
    }
    restwright_testing::assert_guests_only_at(client.api(), ["GET /g/a"]);
}

#[test]
fn a_route_without_access_inherits_from_its_groups() {
    let silent = || Who(Route::get("/a").id("a"));
    let client = client(
        Group::new("/g")
            .authorize("red", ["a:b"])
            .group(Group::new("").authorize("blue", ["c:d"]).controller(silent())),
    );
    assert_eq!(explained(&client), "red: a:b (group /g) and blue: c:d (group /g)");
    check(&client, "/g/a", &[("X-red", "ann a:b")], 401, &[RED, BLUE]);
    assert_eq!(admitted(&client, &[("X-red", "ann a:b"), ("X-blue", "app c:d")]), "ann by red, app by blue");
}

#[test]
fn nested_groups_add_up() {
    let inner = Group::new("/i").authorize("red", ["b:b"]).controller(route("/a", red().all_scopes(["c:c"])));
    let client = client(Group::new("/g").public().group(Group::new("").authorize("red", ["a:a"]).group(inner)));
    assert_eq!(explained(&client), "red: a:a (group /g) and red: b:b (group /g/i) and red: c:c (route)");
    assert_eq!(security(&client), json!([{ "red": ["a:a", "b:b", "c:c"] }]));
    for scopes in ["b:b c:c", "a:a c:c", "a:a b:b"] {
        let response = client.get("/g/i/a").header("X-red", format!("ann {scopes}")).send();
        response.assert_status(403).assert_documented();
    }
    client.get("/g/i/a").header("X-red", "ann a:a b:b c:c").send().assert_status(422).assert_documented();
}

#[test]
fn rejects_open_routes_in_protected_groups() {
    let guarded = || Group::new("/g").authorize("red", ["a:b"]);
    assert_eq!(
        errors(
            guarded()
                .controller(route("/a", public()))
                .controller(route("/b", Access::optional("red")))
                .controller(route("/c", Access::authenticated("blue")))
                .group(Group::new("/open").public().controller(Who(Route::get("/d").id("d"))))
                .group(
                    Group::new("/open").public().controller(Who(Route::get("/e").id("e").override_access(public())))
                )
        ),
        [
            "GET /g/a: the route is public, but the group /g around it requires `red: a:b`; write `.override_access(Access::public())` on the route, or move it out of the group",
            "GET /g/b: the route admits guests, but the group /g around it requires `red: a:b`; write `.override_access(Access::optional(..))` on the route, or move it out of the group",
            "GET /g/open/d: the group /g/open is public, but the group /g around it requires `red: a:b`; move it out of that group, or write `.override_access(..)` on each of its routes",
        ]
    );
}

#[test]
fn overrides_access_only_explicitly() {
    let overriding = |path: &str, access: Access| Who(Route::get(path).id(path.to_owned()).override_access(access));
    let client = client(
        Group::new("/g")
            .authorize("red", ["a:b"])
            .controller(overriding("/a", public()))
            .controller(overriding("/guests", Access::optional("blue").into()))
            .controller(overriding("/key", blue().all_scopes(["c:d"]).into()))
            // The last declaration applies.
            .controller(Who(Route::get("/more").id("more").override_access(public()).authorize("blue", ["c:d"]))),
    );
    let explained = client.api().explain();
    for expected in [
        "public (overrides group /g)  ",
        "optional blue (overrides group /g)  ",
        "blue: c:d (overrides group /g)  ",
        "red: a:b (group /g) and blue: c:d (route)  ",
    ] {
        assert!(explained.contains(expected), "{explained}");
    }
    assert_eq!(admitted(&client, &[]), "guest by nothing");
    assert_eq!(security(&client), json!([]));
    check(&client, "/g/guests", &[], 422, &[]);
    check(&client, "/g/key", &[("X-blue", "app c:d")], 422, &[]);
    check(&client, "/g/key", &[("X-red", "app a:b")], 401, &[BLUE]);
    check(&client, "/g/more", &[("X-blue", "app c:d")], 401, &[RED, BLUE]);
    restwright_testing::assert_guests_only_at(client.api(), ["GET /g/a", "GET /g/guests"]);
}
