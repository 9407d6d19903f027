//! The bytes of responses whose members are removed or added, for entities that serde writes in different forms.

use restwright::auth::{Access, Identity};
use restwright::prelude::*;
use restwright::testing::{TestClient, TestRequest};
use restwright_resource::MemoryStore;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;

use super::callers::Callers;

/// Writes an entity in the form that its name selects.
fn write<S: Serializer>(id: i64, form: &str, secret: Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Plain<'e> {
        id: i64,
        form: &'e str,
        #[serde(skip_serializing_if = "Option::is_none")]
        secret: Option<i64>,
        inner: Inner,
    }
    #[derive(Serialize)]
    struct Inner {
        secret: u128,
    }
    #[derive(Serialize)]
    enum Variants {
        Struct {
            secret: i64,
        },
        #[serde(rename = "secret")]
        Newtype(Inner),
        Tuple(i64, f64),
    }
    #[derive(Serialize)]
    struct Flat<'e> {
        secret: Option<i64>,
        #[serde(flatten)]
        plain: Plain<'e>,
        last: char,
    }
    let inner = || Inner { secret: u128::MAX };
    let plain = || Plain { id, form, secret, inner: inner() };
    match form {
        "plain" => plain().serialize(serializer),
        "some" => Some(Box::new(plain())).serialize(serializer),
        "flat" => Flat { secret, plain: plain(), last: '"' }.serialize(serializer),
        "map" => {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("secret", &1.50)?;
            map.serialize_entry("a\"b\\", "\u{1}")?;
            map.serialize_entry("secret", "again")?;
            map.serialize_entry(&7, &plain())?;
            map.end()
        }
        "only" => {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("secret", &inner())?;
            map.end()
        }
        "struct variant" => Variants::Struct { secret: 1 }.serialize(serializer),
        "secret variant" => Variants::Newtype(inner()).serialize(serializer),
        "tuple variant" => Variants::Tuple(1, 0.1).serialize(serializer),
        "null" => serializer.serialize_none(),
        "text" => serializer.serialize_str("{\"secret\":1}"),
        "list" => [inner()].serialize(serializer),
        raw => RawValue::from_string(raw.to_owned()).map_err(serde::ser::Error::custom)?.serialize(serializer),
    }
}

macro_rules! odd {
    ($name:ident, $path:literal $(, $($setting:tt)*)?) => {
        /// An odd one.
        #[derive(Clone, Debug, Deserialize, Resource)]
        #[resource(path = $path, batch, export, delete(view), pagination = page(default = 50, max = 100, total = false) $(, $($setting)*)?)]
        struct $name {
            #[property(id)]
            id: i64,
            #[property(sort, filter(eq))]
            form: String,
            #[property(read = "read")]
            secret: Option<i64>,
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                write(self.id, &self.form, self.secret, serializer)
            }
        }
    };
}

odd!(Odd, "/odd");
odd!(Added, "/added", computed(length: usize, is_long: bool));

impl Added {
    fn length(&self, _: &Identity) -> usize {
        self.form.len()
    }

    fn is_long(&self, _: &Identity) -> bool {
        self.form.len() > 5
    }
}

/// Each form, with the JSON for a caller who may not read `secret`, and for a caller who may.
const FORMS: [(&str, &str, &str); 16] = [
    (
        "plain",
        r#"{"id":1,"form":"plain","inner":{"secret":340282366920938463463374607431768211455}}"#,
        r#"{"id":1,"form":"plain","inner":{"secret":340282366920938463463374607431768211455}}"#,
    ),
    (
        "some",
        r#"{"id":2,"form":"some","inner":{"secret":340282366920938463463374607431768211455}}"#,
        r#"{"id":2,"form":"some","inner":{"secret":340282366920938463463374607431768211455}}"#,
    ),
    (
        "flat",
        r#"{"id":3,"form":"flat","inner":{"secret":340282366920938463463374607431768211455},"last":"\""}"#,
        r#"{"secret":null,"id":3,"form":"flat","inner":{"secret":340282366920938463463374607431768211455},"last":"\""}"#,
    ),
    (
        "map",
        r#"{"a\"b\\":"\u0001","7":{"id":4,"form":"map","inner":{"secret":340282366920938463463374607431768211455}}}"#,
        r#"{"secret":1.5,"a\"b\\":"\u0001","secret":"again","7":{"id":4,"form":"map","inner":{"secret":340282366920938463463374607431768211455}}}"#,
    ),
    ("only", "{}", r#"{"secret":{"secret":340282366920938463463374607431768211455}}"#),
    ("struct variant", r#"{"Struct":{"secret":1}}"#, r#"{"Struct":{"secret":1}}"#),
    ("secret variant", "{}", r#"{"secret":{"secret":340282366920938463463374607431768211455}}"#),
    ("tuple variant", r#"{"Tuple":[1,0.1]}"#, r#"{"Tuple":[1,0.1]}"#),
    (
        r#"{ "id" : 1, "\u0073ecret" : 12345678901234567890.10, "x" :[ 1 ,{"secret": 2}] }"#,
        r#"{"id":1,"x":[ 1 ,{"secret": 2}]}"#,
        r#"{ "id" : 1, "\u0073ecret" : 12345678901234567890.10, "x" :[ 1 ,{"secret": 2}] }"#,
    ),
    (r#"{"\u0061": 1e400}"#, r#"{"a":1e400}"#, r#"{"\u0061": 1e400}"#),
    ("{ }", "{}", "{ }"),
    ("{}", "{}", "{}"),
    (r#"{ "secret":1 , "secret" : 2}"#, "{}", r#"{ "secret":1 , "secret" : 2}"#),
    ("null", "null", "null"),
    ("text", r#""{\"secret\":1}""#, r#""{\"secret\":1}""#),
    ("7.0", "7.0", "7.0"),
];

/// The number of forms that are objects. They are the first ones.
const OBJECTS: usize = 13;

fn client() -> TestClient {
    let store = MemoryStore::new();
    let access = || Access::authenticated("caller");
    let api = Api::builder(Configuration::new("odd", "1.0.0").authenticator("caller", Callers))
        .resource::<Odd>(store.clone(), access())
        .resource::<Added>(store, access());
    TestClient::new(api.build().unwrap())
}

/// Checks a view, a batch, a page and an export as JSON lines of one resource. `add` adds the computed fields to the JSON of a form.
fn check(path: &str, forms: &[(&str, &str, &str)], add: fn(&str, &str) -> String) {
    let client = client();
    let created: Vec<_> = forms.iter().map(|(form, ..)| json!({"form": form})).collect();
    let send = |request: TestRequest<'_>, caller: &str| {
        let response = request.header("X-Caller", caller).send();
        assert!(response.status().is_success(), "{}", response.text());
        response.text().to_owned()
    };
    for (caller, is_masked) in [("ann", true), ("ann read", false)] {
        let expected = forms.iter().map(|(form, masked, whole)| add(form, if is_masked { masked } else { whole }));
        let expected: Vec<_> = expected.collect();
        let batch = client.post(format!("{path}/batch")).json(&json!({"data": created}));
        let batch = send(batch, caller);
        if is_masked {
            assert_eq!(batch, format!("{{\"data\":[{}]}}", expected.join(",")));
        }
        for (index, expected) in expected.iter().enumerate() {
            assert_eq!(send(client.get(format!("{path}/{}", index + 1)), caller), format!("{{\"data\":{expected}}}"));
        }
        let count = forms.len();
        let page = send(client.get(format!("{path}?limit={count}")), caller);
        let start = format!("{{\"data\":[{}],\"pagination\":{{\"page\":1,\"page_size\":{count},", expected.join(","));
        assert!(page.starts_with(&start), "{page}\n{start}");
        let lines = send(client.get(path).header("Accept", "application/jsonl"), caller);
        assert!(lines.starts_with(&format!("{}\n", expected.join("\n"))), "{lines}");
    }
}

#[test]
fn members_of_every_form_are_removed() {
    check("/odd", &FORMS, |_, json| json.to_owned());
}

#[test]
fn members_of_the_items_of_a_view_are_removed() {
    let client = client();
    for (id, form, masked) in [(1, "list", "[{}]"), (2, "[ 1 ]", "[1]")] {
        let response = client.post("/odd").header("X-Caller", "ann").json(&json!({"form": form})).send();
        assert_eq!(response.text(), format!("{{\"data\":{masked}}}"));
        let response = client.get(format!("/odd/{id}")).header("X-Caller", "ann").send();
        assert_eq!(response.text(), format!("{{\"data\":{masked}}}"));
    }
}

#[test]
fn members_are_added_to_every_form_of_an_object() {
    let add = |form: &str, json: &str| {
        let start = json.strip_suffix('}').unwrap();
        let comma = if start.trim_end().ends_with('{') { "" } else { "," };
        format!("{start}{comma}\"length\":{},\"is_long\":{}}}", form.len(), form.len() > 5)
    };
    check("/added", &FORMS[..OBJECTS], add);
}

#[test]
fn a_tag_and_a_row_contain_the_first_member_of_a_name() {
    let client = client();
    for (form, ..) in &FORMS[..OBJECTS] {
        client.post("/added").header("X-Caller", "ann").json(&json!({"form": form})).send().assert_status(201);
    }
    let tag = |caller: &str| {
        let response = client.get("/added/1").header("X-Caller", caller).send();
        response.header("etag").unwrap().split_once(';').unwrap().1.to_owned()
    };
    assert_eq!(tag("ann"), "~cbf29ce484222325.32080cd03cdcc71d2a7f8ee7ea4dc448\"");
    assert_eq!(tag("ann read"), "~eedbb6b077b614a3.32080cd03cdcc71d2a7f8ee7ea4dc448\"");
    let rows = client.get("/added").header("X-Caller", "ann read").header("Accept", "text/csv").send();
    let expected = [
        "id,form,secret,length,is_long",
        "1,plain,,5,false",
        "2,some,,4,false",
        "3,flat,,4,false",
        ",,1.5,3,false",
        r#",,"{""secret"":340282366920938463463374607431768211455}",4,false"#,
        ",,,14,true",
        r#",,"{""secret"":340282366920938463463374607431768211455}",14,true"#,
        ",,,13,true",
        "1,,12345678901234567890.10,79,true",
        ",,,17,true",
        ",,,3,false",
        ",,,2,false",
        ",,1,28,true",
        "",
    ];
    assert_eq!(rows.text(), expected.join("\r\n"));
}
