//! Fields that refer to other resources, and scopes.

use restwright::auth::{Access, Authentication, Authenticator, Identity};
use restwright::http::{HeaderName, HttpRequest};
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::resource::{Endpoints, MemoryStore};
use restwright::testing::TestClient;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::fields;

/// A contract, with the annex that is in force.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/contracts")]
struct Contract {
    #[property(id)]
    id: ContractId,
    #[property(scope = "tenant")]
    tenant: String,
    #[property(references(Annex, on_delete = restrict))]
    annex_id: Option<Uuid>,
    #[property(references = Contract)]
    follows: Option<ContractId>,
}

/// The identifier of a contract.
#[derive(Clone, Debug, Default, PartialEq, Serialize, serde::Deserialize, Schema)]
struct ContractId(i64);

/// An annex of a contract.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/contracts/{contract_id}/annexes", table = "annexes")]
struct Annex {
    #[property(id)]
    id: Uuid,
    #[property(parent(Contract, on_delete = cascade))]
    contract_id: ContractId,
    #[property(scope = "tenant", exclude(view, list))]
    tenant: String,
    text: String,
}

/// A note, whose author the application finds.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(scope)]
    author: String,
}

/// Reads the tenant from `X-Tenant`.
struct Tenants;

impl Authenticator for Tenants {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, "X-Tenant")
    }

    fn challenge(&self) -> String {
        "Tenants".to_owned()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&HeaderName::from_static("x-tenant")) {
            None => Authentication::NoCredentials,
            Some(tenant) => {
                let claims = json!({"tenant": tenant}).as_object().unwrap().clone();
                Authentication::Identity(Identity::builder(tenant).claims(claims).build())
            }
        }
    }
}

fn client() -> TestClient {
    let (store, access) = (MemoryStore::new(), || Access::authenticated("tenants"));
    let notes = Endpoints::<Note>::new(store.clone(), access())
        .scope("author", |identity: &Identity| identity.subject().map(|subject| subject.to_owned().into()));
    let api = Api::builder(Configuration::new("contracts", "1.0.0").authenticator("tenants", Tenants))
        .resource::<Contract>(store.clone(), access())
        .resource::<Annex>(store, access())
        .module(&notes);
    TestClient::new(api.build().unwrap())
}

#[test]
fn requests_are_in_the_scope_of_the_caller_and_the_parent() {
    let client = client();
    let send = |tenant: &str, request: &str, body: Option<Value>| {
        let (method, path) = request.split_once(' ').unwrap();
        let sent = client.request(method.parse().unwrap(), path).header("X-Tenant", tenant);
        let response = match body {
            Some(body) => sent.json(&body).send(),
            None => sent.send(),
        };
        response.assert_documented();
        response
    };
    send("ann", "POST /contracts", Some(json!({})))
        .assert_status(201)
        .assert_json(&json!({"data": {"id": 1, "tenant": "ann", "annex_id": null, "follows": null}}));
    let annex: Value =
        send("ann", "POST /contracts/1/annexes", Some(json!({"text": "more"}))).assert_status(201).json();
    let (annex, parent) = (annex["data"]["id"].clone(), annex["data"]["contract_id"].clone());
    assert_eq!(parent, 1);
    send("ann", "PATCH /contracts/1", Some(json!({"annex_id": annex}))).assert_status(200);
    send("bob", "GET /contracts/1", None).assert_status(404);
    send("bob", "POST /contracts/1/annexes", Some(json!({"text": "mine"}))).assert_status(404);
    send("ann", "POST /contracts", Some(json!({"tenant": "bob"}))).assert_status(422);
    send("ann", "GET /contracts/1/annexes", None).assert_status(200);
    send("ann", "POST /notes", Some(json!({}))).assert_json(&json!({"data": {"id": 1, "author": "ann"}}));
    send("bob", "GET /notes/1", None).assert_status(404);
}

#[test]
fn definitions_refer_to_each_other() {
    assert_eq!(
        fields::<Contract>(),
        [
            "id Integer",
            "tenant Text scope",
            "annex_id Uuid nullable -> annexes Restrict",
            "follows Integer nullable -> contracts Restrict",
        ]
    );
    assert_eq!(
        fields::<Annex>(),
        ["id Uuid", "contract_id Integer scope -> contracts Cascade of contracts", "tenant Text scope", "text Text"]
    );
    assert_eq!(Annex::PATH, "/contracts/{contract_id}/annexes");
}

#[test]
fn scopes_and_parents_are_no_matter_of_clients() {
    let annex = Annex::create(NewAnnex { text: "more".to_owned() });
    assert_eq!((annex.contract_id, annex.tenant.as_str()), (ContractId(0), ""));
    let json = serde_json::to_value(AnnexView::from(Annex::create(NewAnnex { text: String::new() }))).unwrap();
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "contract_id", "text"]);
}

#[test]
fn stores_and_endpoints_set_what_clients_do_not() {
    use restwright::resource::Entity as _;
    let mut annex = Annex::create(NewAnnex { text: "more".to_owned() });
    let id = Uuid::from_u128(7);
    assert!(annex.set_value("id", id.into()) && annex.set_value("contract_id", 3.into()));
    assert!(annex.set_value("tenant", "ann".to_owned().into()));
    assert_eq!((annex.id, annex.contract_id.clone(), annex.tenant.as_str()), (id, ContractId(3), "ann"));
    assert!(!annex.set_value("id", 7.into()) && !annex.set_value("text", "less".to_owned().into()));
    assert_eq!(annex.text, "more");
}
