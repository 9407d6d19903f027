//! The animals in process, like the tests of a user.

mod postgres;
mod resource;

use animals::authentication::{Authentication, SCOPES};
use animals::shapes::{
    Address, CreateShelterHeaders201, CreateShelterRequest, CreateShelterResponse201, Shelter, ShelterCreated,
    ShelterInput,
};
use animals::{REQUESTS, api_for};
use restwright::Output;
use restwright::auth::ApiKey;
use restwright::schema::Bag;
use restwright::testing::{TestClient, TestResponse, assert_guests_only_at};
use serde_json::{Value, json};

/// Returns a client with a key for all scopes.
fn client() -> TestClient {
    client_with(&SCOPES)
}

fn client_with(scopes: &[&str]) -> TestClient {
    let new = ApiKey::generate("tests").unwrap();
    let key = new.key().clone().scopes(scopes.iter().copied());
    let authentication = Authentication::default().key(key);
    client_on("sqlite::memory:", &authentication).with_header("X-Api-Key", new.text())
}

/// A client of the animals in the database at a URL.
fn client_on(url: &str, authentication: &Authentication) -> TestClient {
    let client = TestClient::new(api_for(authentication, REQUESTS, animals::store_at(url)).unwrap());
    client.start().unwrap();
    client
}

/// Returns a pet with all properties.
fn mia() -> Value {
    json!({
        "name": "Mia",
        "species": "cat",
        "birth_date": "2021-05-04",
        "weight_kg": 4.2,
        "tags": ["shy", "indoor"],
        "owner": {
            "name": "Ada",
            "email": "ada@example.com",
            "address": {"street": "Am Markt 1", "city": "Jena", "zip": "07743"},
        },
        "vaccinations": [{"vaccine": "rabies", "date": "2022-01-31"}],
    })
}

/// Returns the same pet with another value at a pointer.
fn mia_with(pointer: &str, value: Value) -> Value {
    let mut pet = mia();
    *pet.pointer_mut(pointer).unwrap() = value;
    pet
}

/// Returns the pointers and codes of a response's violations, in order.
fn violations(response: &TestResponse) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let problem = response.json::<Value>();
    let errors = problem["errors"].as_array().unwrap().iter();
    errors.map(|error| (text(&error["pointer"]), text(&error["code"]))).collect()
}

fn expected(violations: &[(&str, &str)]) -> Vec<(String, String)> {
    violations.iter().map(|(pointer, code)| ((*pointer).to_owned(), (*code).to_owned())).collect()
}

#[test]
fn health_is_ok() {
    let response = client().get("/health").send();
    response.assert_status(200).assert_documented();
    assert_eq!(response.json::<Value>(), json!({"status": "ok"}));
}

#[test]
fn no_operation_is_public_by_accident() {
    assert_guests_only_at(&animals::api().unwrap(), ["GET /health", "GET /livez", "GET /readyz", "POST /shelters"]);
}

#[test]
fn pets_require_their_scopes() {
    for (method, path, scope) in [
        ("POST", "/pets", "pets:create"),
        ("GET", "/pets/0", "pets:read"),
        ("GET", "/pets?page=0", "pets:read"),
        ("GET", "/pets/by-offset?limit=0", "pets:read"),
        ("GET", "/pets/by-cursor?limit=0", "pets:read"),
        ("PATCH", "/pets/0", "pets:update"),
        ("DELETE", "/pets/0", "pets:delete"),
    ] {
        let send = |client: &TestClient| {
            let request = client.request(method.parse().unwrap(), path);
            if ["POST", "PATCH"].contains(&method) { request.json(&json!({"name": ""})).send() } else { request.send() }
        };
        let others: Vec<_> = SCOPES.into_iter().filter(|other| *other != scope).collect();
        let refused = send(&client_with(&others));
        refused.assert_status(403).assert_documented();
        assert_eq!(refused.json::<Value>()["missing_scopes"], json!([scope]), "{method} {path}");
        send(&client_with(&[scope])).assert_status(422).assert_documented();
        let guest = send(&TestClient::new(animals::api().unwrap()));
        guest.assert_status(401).assert_documented();
        let challenges: Vec<_> = guest.headers().get_all("www-authenticate").iter().collect();
        assert_eq!(
            challenges,
            [&*format!("Bearer realm=\"animals\", scope=\"{scope}\""), "ApiKey realm=\"animals\""],
            "{method} {path}"
        );
    }
}

#[test]
fn the_environment_sets_the_callers() {
    let read = |variables: &[(&str, &str)]| {
        let find =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Authentication::from_variables(find)
    };
    let provider = [("JWKS_URL", "https://a.example/keys"), ("JWT_ISSUER", "https://a.example"), ("JWT_AUDIENCE", "b")];
    let (authentication, made) = read(&[]).unwrap();
    let client = client_on("sqlite::memory:", &authentication);
    client.get("/pets/1").header("X-Api-Key", made.unwrap().text()).send().assert_status(200);
    let (authentication, made) = read(&[("DEV_API_KEY", "dev.0123456789abcdef")]).unwrap();
    assert!(made.is_none());
    let client = client_on("sqlite::memory:", &authentication);
    client.get("/pets/1").header("X-Api-Key", "dev.0123456789abcdef").send().assert_status(200);
    let (authentication, made) = read(&provider).unwrap();
    assert!(made.is_none());
    let client = client_on("sqlite::memory:", &authentication);
    client.get("/pets/1").header("Authorization", "Bearer x").send().assert_status(401);
    assert!(read(&provider[..2]).unwrap_err().contains("belong together"));
    let refused = read(&[("DEV_API_KEY", "too short")]).unwrap_err();
    assert!(refused.starts_with("DEV_API_KEY: ") && !refused.contains("too short"), "{refused}");
}

#[test]
fn a_pet_is_created_changed_and_deleted() {
    let client = client();
    let created = client.post("/pets").json(&mia()).send();
    created.assert_status(201).assert_documented();
    assert_eq!(created.header("location"), Some("/pets/1001"));
    let mut pet = mia();
    pet["id"] = 1_001.into();
    assert_eq!(created.json::<Value>(), json!({ "data": pet }));

    let viewed = client.get("/pets/1001").send();
    viewed.assert_status(200).assert_documented();
    assert_eq!(viewed.json::<Value>(), json!({ "data": pet }));

    let changes = json!({"weight_kg": 5, "birth_date": null, "tags": []});
    let changed = client.patch("/pets/1001").json(&changes).send();
    changed.assert_status(200).assert_documented();
    pet["weight_kg"] = json!(5.0);
    pet["birth_date"] = Value::Null;
    pet["tags"] = json!([]);
    assert_eq!(changed.json::<Value>(), json!({ "data": pet }));

    client.delete("/pets/1001").send().assert_status(204).assert_documented();
    for response in [
        client.get("/pets/1001").send(),
        client.patch("/pets/1001").json(&changes).send(),
        client.delete("/pets/1001").send(),
    ] {
        response.assert_status(404).assert_documented();
        assert_eq!(response.json::<Value>()["code"], "pet_not_found");
    }
    let second = client.post("/pets").json(&mia()).send();
    assert_eq!(second.header("location"), Some("/pets/1002"), "an id is never given twice");
}

#[test]
fn checks_every_bound_of_a_pet() {
    let client = client();
    let text = |length| Value::from("x".repeat(length));
    let many = |count, value: &Value| Value::from(vec![value.clone(); count]);
    let vaccination = json!({"vaccine": "rabies", "date": "2022-01-31"});
    for (pointer, admitted, refused) in [
        ("/name", vec![text(1), text(100)], vec![(text(0), "min_length"), (text(101), "max_length")]),
        ("/species", vec!["dog".into(), "horse".into()], vec![("cow".into(), "enum"), (1.into(), "type")]),
        ("/birth_date", vec![Value::Null, "2024-02-29".into()], vec![("2023-02-29".into(), "format")]),
        (
            "/weight_kg",
            vec![json!(0.001), json!(10_000)],
            vec![(json!(0), "exclusive_minimum"), (json!(10_000.01), "maximum"), (json!("4"), "type")],
        ),
        ("/tags", vec![json!([]), many(10, &text(30))], vec![(many(11, &text(1)), "max_items")]),
        ("/tags/0", vec![text(1), text(30)], vec![(text(0), "min_length"), (text(31), "max_length")]),
        ("/owner/name", vec![text(1), text(100)], vec![(text(0), "min_length"), (text(101), "max_length")]),
        ("/owner/email", vec!["a@b.example".into()], vec![("nobody".into(), "format"), (Value::Null, "null")]),
        ("/owner/address/street", vec![text(200)], vec![(text(0), "min_length"), (text(201), "max_length")]),
        ("/owner/address/city", vec![text(100)], vec![(text(0), "min_length"), (text(101), "max_length")]),
        (
            "/owner/address/zip",
            vec!["00000".into()],
            vec![("1234".into(), "pattern"), ("123456".into(), "pattern"), ("1234٣".into(), "pattern")],
        ),
        ("/vaccinations", vec![many(50, &vaccination)], vec![(many(51, &vaccination), "max_items")]),
        ("/vaccinations/0/vaccine", vec![text(100)], vec![(text(0), "min_length"), (text(101), "max_length")]),
        ("/vaccinations/0/date", vec!["1999-12-31".into()], vec![("31.12.1999".into(), "format")]),
    ] {
        for value in admitted {
            client.post("/pets").json(&mia_with(pointer, value)).send().assert_status(201).assert_documented();
        }
        for (value, code) in refused {
            let response = client.post("/pets").json(&mia_with(pointer, value)).send();
            response.assert_status(422).assert_documented();
            assert_eq!(violations(&response), expected(&[(pointer, code)]));
        }
    }
}

#[test]
fn returns_all_violations_in_one_response() {
    let owner = json!({"name": "Ada", "email": "x", "address": {}});
    let body = json!({"name": "", "species": "cow", "weight_kg": -1, "owner": owner});
    let mut found = violations(&client().post("/pets").json(&body).send());
    found.sort();
    let mut all = expected(&[
        ("/name", "min_length"),
        ("/species", "enum"),
        ("/weight_kg", "exclusive_minimum"),
        ("/owner/email", "format"),
        ("/owner/address/street", "required"),
        ("/owner/address/city", "required"),
        ("/owner/address/zip", "required"),
    ]);
    all.sort();
    assert_eq!(found, all);
}

#[test]
fn ids_are_checked() {
    let client = client();
    for path in ["/pets/0", "/pets/x", "/pets/1.5", "/pets/99999999999999999999"] {
        let response = client.get(path).send();
        response.assert_status(422).assert_documented();
        assert_eq!(response.json::<Value>()["errors"][0]["in"], "path", "{path}");
    }
}

/// Names each field, so the test does not compile if the generated types change.
#[test]
fn shelters_have_generated_types() {
    let address = Address { street: "Am Markt 1".to_owned(), city: "Jena".to_owned(), zip: "07743".to_owned() };
    let body = ShelterInput { name: "Paws".to_owned(), places: 40, address: address.clone(), phones: None };
    let request = CreateShelterRequest { body };
    let body = Bag::try_from(request.body.clone()).unwrap();
    let created = client().post("/shelters").json(body.value()).send();
    let ShelterCreated { data } = Bag::new(created.json::<Value>()).try_into().unwrap();
    let ShelterInput { name, places, phones, .. } = request.body;
    assert_eq!(data, Shelter { id: 1, name, places, address, phones });
    let headers = CreateShelterHeaders201 { location: created.header("location").unwrap().to_owned() };
    let response = CreateShelterResponse201 { headers, body: ShelterCreated { data } };
    assert_eq!(response.headers.location, "/shelters/1");
    assert!(Output::try_from(response).is_ok());
}

#[test]
fn shelters_are_declared_at_run_time() {
    let client = client();
    let address = json!({"street": "Am Markt 1", "city": "Jena", "zip": "07743"});
    let shelter = json!({"name": "Paws", "places": 40, "address": address, "phones": ["+49 3641 1"]});
    let created = client.post("/shelters").json(&shelter).send();
    created.assert_status(201).assert_documented();
    assert_eq!(created.header("location"), Some("/shelters/1"));
    let mut kept = shelter.clone();
    kept["id"] = 1.into();
    assert_eq!(created.json::<Value>(), json!({ "data": kept }));

    let refused = json!({"name": "Paws", "places": 1001, "address": {"zip": "1"}});
    let refused = client.post("/shelters").json(&refused).send();
    refused.assert_status(422).assert_documented();
    let mut found = violations(&refused);
    found.sort();
    assert_eq!(
        found,
        expected(&[
            ("/address/city", "required"),
            ("/address/street", "required"),
            ("/address/zip", "pattern"),
            ("/places", "maximum"),
        ])
    );
}

#[test]
fn pets_are_listed_in_three_ways() {
    let client = client();
    let asked = "filter[species][in]=dog,cat&filter[weight_kg][gte]=2.5&order_by=-weight_kg,name&limit=50";
    let mut seen: Vec<Vec<i64>> = Vec::new();
    for start in ["/pets", "/pets/by-offset", "/pets/by-cursor"] {
        let mut ids = Vec::new();
        let mut target = Some(format!("{start}?{asked}"));
        while let Some(next) = target {
            let response = client.get(next).send();
            response.assert_status(200).assert_documented();
            let body: Value = response.json();
            ids.extend(body["data"].as_array().unwrap().iter().map(|pet| pet["id"].as_i64().unwrap()));
            let links = response.header("link").unwrap_or_default();
            let next = links.split(", ").find(|link| link.ends_with("rel=\"next\""));
            target = next.map(|link| format!("{start}{}", link.trim_start_matches('<').split('>').next().unwrap()));
        }
        seen.push(ids);
    }
    assert!(seen[0].len() > 300, "{}", seen[0].len());
    assert!(seen.iter().all(|ids| *ids == seen[0]));
}

#[test]
fn every_filter_of_pets_is_applied() {
    let client = client();
    let total = |query: &str| {
        let response = client.get(format!("/pets?{query}")).send();
        response.assert_status(200).assert_documented();
        response.json::<Value>()["pagination"]["total"].as_u64().unwrap()
    };
    assert_eq!(total(""), 1_000);
    assert_eq!(total("birth_date[is_null]=true"), 143);
    assert_eq!(total("filter[name]=Mia"), total("name[starts_with]=MI"));
    assert_eq!(total("name[contains]=%C3%84RG"), 59);
    assert_eq!(total("weight_kg[lt]=10") + total("weight_kg[gte]=10"), 1_000);
    assert_eq!(total("species=dog") + total("species[in]=cat,bird,fish,horse"), 1_000);
    assert_eq!(total("birth_date[gte]=2015-01-01") + total("birth_date[lt]=2015-01-01"), 857);
    let refused = client.get("/pets?filter[owner]=Ada&order_by=owner&page=0").send();
    refused.assert_status(422).assert_documented();
    let mut codes: Vec<_> = violations(&refused).into_iter().map(|(_, code)| code).collect();
    codes.sort();
    assert_eq!(codes, ["minimum", "unknown_filter", "unknown_sort_field"]);
}

#[test]
fn guests_learn_where_to_send_credentials() {
    let response = TestClient::new(animals::api().unwrap()).get("/pets").send();
    response.assert_status(401).assert_documented();
    let places = "`Authorization: Bearer ..`, or the header `X-Api-Key`";
    assert_eq!(response.json::<Value>()["detail"], format!("Credentials are required: {places}."));
}

#[test]
fn requests_are_limited_by_address() {
    let client = TestClient::new(api_for(&Authentication::default(), 2, animals::store_at("sqlite::memory:")).unwrap());
    client.get("/health").send().assert_status(200).assert_header("x-ratelimit-remaining", "1").assert_documented();
    client.get("/pets/1").send().assert_header("x-ratelimit-remaining", "0").assert_documented();
    client.get("/health").send().assert_problem("rate_limited").assert_header("retry-after", "30").assert_documented();
    let other = ([198, 51, 100, 7], 40000).into();
    client.get("/health").peer(other).send().assert_status(200);
}
