//! The scope of the caller in handwritten endpoints.

use restwright::auth::{Access, Identity};
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright::testing::TestClient;
use restwright_resource::{CallerScope, Endpoints, EntityStore, MemoryStore};
use serde::Serialize;
use serde_json::json;

use super::tenants::configuration;

/// A town of a tenant.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/towns")]
struct Town {
    #[property(id)]
    id: i64,
    #[property(scope = "tenant", exclude(view, list))]
    tenant: String,
    name: String,
}

/// A street, whose tenant the application finds.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/towns/{town_id}/streets")]
struct Street {
    #[property(id)]
    id: i64,
    #[property(scope, exclude(view, list))]
    tenant: String,
    #[property(parent(Town))]
    town_id: i64,
}

/// A color, which all tenants share.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/colors")]
struct Color {
    #[property(id)]
    id: i64,
}

#[derive(Request)]
struct Count<R: restwright::resource::Resource> {
    scope: CallerScope<R>,
}

fn count<R: restwright::resource::Resource>(store: &MemoryStore, route: Route) -> impl Controller {
    let store = store.clone();
    route.handler(async move |Count { scope }: Count<R>| {
        Ok(Data(EntityStore::<R>::new(&store, &scope).count(&()).await?))
    })
}

fn by_tenant(caller: &Identity) -> Option<restwright::list::Value<'static>> {
    caller.claim("tenant").and_then(|tenant| tenant.as_str()).map(|tenant| tenant.to_owned().into())
}

fn access() -> Access {
    Access::authenticated("caller").into()
}

fn streets(store: &MemoryStore) -> Endpoints<Street> {
    Endpoints::<Street>::new(store.clone(), access()).scope("tenant", by_tenant)
}

#[test]
fn a_handwritten_endpoint_has_the_scope_of_the_resource() {
    let store = MemoryStore::new();
    let towns = Endpoints::<Town>::new(store.clone(), access());
    let streets_of = {
        let store = store.clone();
        #[derive(Request)]
        struct Streets {
            #[segment]
            id: i64,
            scope: CallerScope<Street>,
        }
        let route = Route::get("/counts/{id}/streets").id("countStreets").access(access());
        route.handler(async move |Streets { id, scope }: Streets| {
            let scope = scope.into_inner().with("town_id", id);
            Ok(Data(EntityStore::<Street>::new(&store, &scope).count(&()).await?))
        })
    };
    let api = Api::builder(configuration())
        // The order of the declarations does not matter.
        .controller(count::<Town>(&store, Route::get("/counts/towns").id("countTowns").access(access())))
        .module(&towns.lift_scope("tenant", Mode::List, "auditor"))
        .module(&streets(&store))
        .controller(streets_of);
    let client = TestClient::new(api.build().unwrap());
    let send = |caller: &str, path: &str| client.get(path).header("X-Caller", caller).send();
    let create = |caller: &str, path: &str, body: serde_json::Value| {
        client.post(path).header("X-Caller", caller).json(&body).send().assert_status(201);
    };
    create("a", "/towns", json!({"name": "Ulm"}));
    create("a", "/towns", json!({"name": "Jena"}));
    create("b", "/towns", json!({"name": "Bonn"}));
    create("a", "/towns/1/streets", json!({}));
    for (caller, path, expected) in [
        ("a", "/counts/towns", 2),
        ("b", "/counts/towns", 1),
        ("c", "/counts/towns", 0),
        // A permission for the list of the resource does not lift the scope here.
        ("b auditor", "/counts/towns", 1),
        ("a", "/counts/1/streets", 1),
        ("b", "/counts/1/streets", 0),
    ] {
        let response = send(caller, path);
        response.assert_status(200).assert_documented().assert_json(&json!({"data": expected}));
    }
    for caller in ["-", "null", "empty", "7", "- auditor"] {
        for path in ["/counts/towns", "/counts/1/streets", "/counts/x/streets"] {
            let response = send(caller, path);
            response.assert_status(403).assert_problem("forbidden").assert_documented();
            assert!(response.text().contains("contain no value for `tenant`"), "{}", response.text());
        }
    }
    client.get("/counts/towns").send().assert_status(401);
}

#[test]
fn rejects_scopes_that_are_not_declared_once() {
    let store = MemoryStore::new();
    let builder = || Api::builder(configuration());
    let town = |route: Route| count::<Town>(&store, route);
    let towns = || Endpoints::<Town>::new(store.clone(), access());
    let others = [Mode::Create, Mode::View, Mode::Update, Mode::Delete].into_iter();
    for (api, expected) in [
        (
            builder().controller(town(Route::get("/n").id("count").access(access()))),
            "the Api has no endpoints of this resource",
        ),
        (
            builder().module(&towns()).controller(town(Route::get("/n").id("count").public())),
            "guests have no value of `tenant`",
        ),
        (
            builder().controller(count::<Color>(&store, Route::get("/n").id("count").access(access()))),
            "a `CallerScope` of `colors`, which has no scope field",
        ),
        (
            builder()
                .module(&towns())
                .module(&streets(&store).without(Mode::List))
                .module(&others.fold(streets(&store), |streets, mode| streets.without(mode)))
                .controller(count::<Street>(&store, Route::get("/n").id("count").access(access()))),
            "declare different sources of its scope",
        ),
    ] {
        let errors = api.build().unwrap_err().to_string();
        assert!(errors.contains(expected), "{errors} lacks {expected}");
    }
}
