//! Invalid queries: each mistake is a violation with a code and the parameter as it was spelt, all of them at once.

use restwright::list::codes;
use restwright::testing::TestClient;
use restwright::{Api, Configuration};
use serde_json::json;

use crate::pets::{ListByPage, client, five, lenient_client};
use crate::{get, violations};

#[track_caller]
fn check(client: &TestClient, query: &str, expected: &[(&str, &str)]) {
    let found = violations(&get(client, &format!("/pets?{query}")));
    let found: Vec<_> = found.iter().map(|(code, pointer)| (code.as_str(), pointer.as_str())).collect();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn fields_and_operators() {
    let client = client(&five());
    for (query, code, pointer) in [
        ("filter[wings]=2", "unknown_filter", "/filter[wings]"),
        ("filter[wings][gt]=2", "unknown_filter", "/filter[wings][gt]"),
        ("filter[a/b~c]=2", "unknown_filter", "/filter[a~1b~0c]"),
        ("filter[species][gt]=dog", "unknown_operator", "/filter[species][gt]"),
        ("species[gt]=dog", "unknown_operator", "/species[gt]"),
        ("filter[name][like]=x", "unknown_operator", "/filter[name][like]"),
        ("filter[name][EQ]=x", "unknown_operator", "/filter[name][EQ]"),
        ("filter=x", "malformed_filter", "/filter"),
        ("filter[]=x", "malformed_filter", "/filter[]"),
        ("filter[name=x", "malformed_filter", "/filter[name"),
        ("filter[name]x=x", "malformed_filter", "/filter[name]x"),
        ("filter[name][eq][eq]=x", "malformed_filter", "/filter[name][eq][eq]"),
        ("name[=x", "malformed_filter", "/name["),
    ] {
        check(&client, query, &[(code, pointer)]);
    }
}

#[test]
fn rejects_undeclared_parameters_and_proposes_the_nearest() {
    let client = client(&five());
    for (query, closest) in [
        ("specie=cat", Some("species")),
        ("limt=2", Some("limit")),
        ("order-by=name", Some("order_by")),
        ("utm_source=mail", None),
        ("wings[=2", None),
        ("=", None),
    ] {
        let response = get(&client, &format!("/pets?{query}"));
        response.assert_status(422);
        let error = &response.json::<serde_json::Value>()["errors"][0];
        assert_eq!(
            (error["in"].as_str(), error["code"].as_str()),
            (Some("query"), Some("unknown_property")),
            "{query}"
        );
        assert_eq!(error["params"]["closest"].as_str(), closest, "{query}: {error}");
    }
}

#[test]
fn a_lenient_configuration_ignores_undeclared_parameters() {
    let client = lenient_client(&five());
    for query in ["wings=2", "wings[gt]=2", "wings[=2", "filters[name]=x", "="] {
        get(&client, &format!("/pets?{query}")).assert_status(200);
    }
}

#[test]
fn a_strict_configuration_refuses_them() {
    let api =
        Api::builder(Configuration::new("pets", "1.0.0").strict()).controller(ListByPage(five())).build().unwrap();
    let client = TestClient::new(api);
    get(&client, "/pets?filter[name][ne]=x&age[lt]=9&order_by=id&page=1&limit=1").assert_status(200);
    check(&client, "wings=2&age[lt]=9", &[("unknown_property", "/wings")]);
}

#[test]
fn values() {
    let client = client(&five());
    for (query, code) in [
        ("age=old", "type"),
        ("age=", "type"),
        ("age=1.5", "type"),
        ("age=300", "maximum"),
        ("age=-1", "minimum"),
        ("weight_kg=NaN", "type"),
        ("weight_kg=1e999", "type"),
        ("calm=yes", "type"),
        ("born=2023-02-29", "format"),
        ("seen=2024-05-01", "format"),
        ("chip=1", "format"),
        ("species=cow", "enum"),
        ("species[in]=dog,cow", "enum"),
        ("age[in]=1,", "type"),
        ("age[in]=", "empty_list"),
        ("name[in]=", "empty_list"),
        ("age[between]=1", "not_a_range"),
        ("age[between]=1,2,3", "not_a_range"),
        ("age[between]=", "not_a_range"),
        ("age[between]=1,x", "type"),
        ("age[between]=1&age[between]=2&age[between]=3", "not_a_range"),
        ("age[between]=1,2&age[between]=1,2", "not_a_range"),
        ("age[between]=1&age[between]=x", "type"),
        ("age[is_null]=", "type"),
        ("age[is_null]=1", "type"),
    ] {
        let pointer = format!("/{}", query.split_once('=').unwrap().0);
        check(&client, query, &[(code, &pointer)]);
        if query.contains('&') {
            continue;
        }
        let enclosed = format!("filter[{}", query.replacen(['[', '='], "]$", 1));
        let enclosed = if query.contains('[') { enclosed.replace('$', "[") } else { enclosed.replace('$', "=") };
        let pointer = format!("/{}", enclosed.split_once('=').unwrap().0);
        check(&client, &enclosed, &[(code, &pointer)]);
    }
}

#[test]
fn conditions_twice() {
    let client = client(&five());
    for (query, pointer) in [
        ("name=a&name=a", "/name"),
        ("filter[name]=a&name=b", "/name"),
        ("name=a&filter[name][eq]=b", "/filter[name][eq]"),
        ("age[gt]=1&filter[age][gt]=1", "/filter[age][gt]"),
    ] {
        check(&client, query, &[("duplicate_condition", pointer)]);
    }
}

#[test]
fn too_many_conditions() {
    let client = client(&five());
    let operators = ["ne", "gt", "gte", "lt", "lte"];
    let fields = [("name", "x"), ("nickname", "x"), ("age", "1"), ("weight_kg", "1")];
    let conditions =
        fields.iter().flat_map(|(name, value)| operators.map(|operator| format!("{name}[{operator}]={value}")));
    let twenty = conditions.collect::<Vec<_>>().join("&");
    get(&client, &format!("/pets?{twenty}")).assert_status(200);
    check(&client, &format!("{twenty}&calm=true&id=1"), &[("too_many_conditions", "/calm")]);
}

#[test]
fn each_of_several_values() {
    let client = client(&five());
    for (query, pointer, expected) in [
        ("age[in]=1,x,300", "/age[in]", &["type", "maximum"] as &[&str]),
        ("age[in]=x&filter[age][in]=-1,,2", "/age[in]", &["type", "minimum", "type"]),
        ("age[between]=x,300", "/age[between]", &["type", "maximum"]),
    ] {
        let expected: Vec<_> = expected.iter().map(|code| (*code, pointer)).collect();
        check(&client, query, &expected);
    }
}

#[test]
fn messages_say_what_to_write() {
    let client = client(&five());
    for (query, expected) in [
        ("age=03", serde_json::json!(["must be an integer, such as 42", "integer"])),
        ("weight_kg=NaN", serde_json::json!(["must be a number in JSON notation, such as 4.2", "number"])),
        ("name[is_null]=TRUE", serde_json::json!(["must be `true` or `false`", "boolean"])),
    ] {
        let body: serde_json::Value = get(&client, &format!("/pets?{query}")).json();
        let error = &body["errors"][0];
        assert_eq!(serde_json::json!([error["message"], error["params"]["expected"]]), expected, "{query}");
    }
    for (query, expected) in [
        (
            "species=dog&filter[species]=cat",
            "must occur only once; `filter[field]` and `field` are the same condition; for several values write `species[in]=a,b`",
        ),
        ("calm=true&calm=false", "must occur only once; `filter[field]` and `field` are the same condition"),
        ("name[ne]=a&name[ne]=b", "must occur only once; `filter[field]` and `field` are the same condition"),
        (
            "species[]=dog&species[]=cat",
            "must be `filter[field]` or `filter[field][operator]`; for several values write `filter[field][in]=a,b`",
        ),
        ("species[=dog", "must be `filter[field]` or `filter[field][operator]`"),
    ] {
        let body: serde_json::Value = get(&client, &format!("/pets?{query}")).json();
        assert_eq!(body["errors"][0]["message"], expected, "{query}");
    }
    let allowed = ["name", "nickname", "age", "weight_kg", "born", "id"];
    for (query, message, params) in [
        (
            "order_by=wings",
            "cannot sort by `wings`; known fields are name, nickname, age, weight_kg, born, id",
            serde_json::json!({"value": "wings", "allowed": allowed}),
        ),
        (
            "order_by=name,",
            "contains an empty field name; known fields are name, nickname, age, weight_kg, born, id",
            serde_json::json!({"value": "", "allowed": allowed}),
        ),
        ("order_by=name,-name", "sorts by `name` twice", serde_json::json!({"value": "name"})),
    ] {
        let body: serde_json::Value = get(&client, &format!("/pets?{query}")).json();
        assert_eq!(body["errors"][0]["message"], message, "{query}");
        assert_eq!(body["errors"][0]["params"], params, "{query}");
    }
}

#[test]
fn orders() {
    let client = client(&five());
    for (query, expected) in [
        ("order_by=wings", &["unknown_sort_field"] as &[&str]),
        ("order_by=", &["unknown_sort_field"]),
        ("order_by=name,", &["unknown_sort_field"]),
        ("order_by=--name", &["unknown_sort_field"]),
        ("order_by=name,-name", &["duplicate_sort_field"]),
        ("order_by=wings,name,name", &["unknown_sort_field", "duplicate_sort_field"]),
        ("order_by=name&order_by=-name", &["duplicate_sort_field"]),
        ("order_by=name&order_by=", &["unknown_sort_field"]),
        ("order_by=name&order_by=wings,age", &["unknown_sort_field"]),
    ] {
        let expected: Vec<_> = expected.iter().map(|code| (*code, "/order_by")).collect();
        check(&client, query, &expected);
    }
}

#[test]
fn pages() {
    let client = client(&five());
    for (path, parameter, value, code) in [
        ("/pets", "page", "0", "minimum"),
        ("/pets", "page", "-1", "minimum"),
        ("/pets", "page", "x", "type"),
        ("/pets", "page", "1.5", "type"),
        ("/pets", "page", "", "type"),
        ("/pets", "page", "9223372036854775807", "maximum"),
        ("/pets", "page", "10002", "maximum"),
        ("/pets", "page", "10001", "maximum"),
        ("/pets", "page", "502", "maximum"),
        ("/pets", "page", "10001&limit=2", "maximum"),
        ("/pets", "page", "9223372036854775808", "maximum"),
        ("/pets", "limit", "0", "minimum"),
        ("/pets", "limit", "-1", "minimum"),
        ("/pets", "limit", "101", "maximum"),
        ("/pets", "limit", "1&limit=2", "too_many_values"),
        ("/pets/by-offset", "offset", "-1", "minimum"),
        ("/pets", "page", "99999999999999999999", "maximum"),
        ("/pets/by-offset", "offset", "10001", "maximum"),
        ("/pets/by-offset", "offset", "10001&limit=1", "maximum"),
        ("/pets/by-offset", "offset", "9223372036854775807", "maximum"),
        ("/pets/by-offset", "offset", "9223372036854775808", "maximum"),
        ("/pets/by-offset", "limit", "0", "minimum"),
        ("/pets/by-cursor", "limit", "101", "maximum"),
        ("/pets/by-cursor", "cursor", "", "min_length"),
        ("/pets/by-cursor", "cursor", "x", "cursor_invalid"),
    ] {
        let found = violations(&get(&client, &format!("{path}?{parameter}={value}")));
        assert_eq!(found, [(code.to_owned(), format!("/{parameter}"))], "{path} {parameter}={value}");
    }
    let message = |target| {
        let body = get(&client, target).json::<serde_json::Value>();
        (body["errors"][0]["message"].clone(), body["errors"][0]["params"].clone())
    };
    assert_eq!(message("/pets?page=99999999999999999999"), (json!("must be at most 10001"), json!({"maximum": 10001})));
    assert_eq!(
        message("/pets?page=102&limit=100"),
        (json!("must be at most 101 with a `limit` of 100"), json!({"maximum": 101}))
    );
    // The largest page and offset.
    for (page, limit) in [(10_001, 1), (501, 20), (101, 100)] {
        get(&client, &format!("/pets?page={page}&limit={limit}")).assert_status(200);
        get(&client, &format!("/pets/by-offset?offset=10000&limit={limit}")).assert_status(200);
    }
}

#[test]
fn several_at_once() {
    let client = client(&five());
    let query = "filter[wings]=2&age=old&species[in]=&name=a&name=b&order_by=wings&page=0&limit=1000";
    check(
        &client,
        query,
        &[
            ("unknown_filter", "/filter[wings]"),
            ("duplicate_condition", "/name"),
            ("type", "/age"),
            ("empty_list", "/species[in]"),
            ("unknown_sort_field", "/order_by"),
            ("minimum", "/page"),
            ("maximum", "/limit"),
        ],
    );
}

#[test]
fn a_flood_of_brackets_has_few_violations() {
    let client = client(&five());
    for flood in [
        "filter[[",
        "[",
        "]",
        "filter[]&",
        "filter[a]&",
        "name[]&",
        "[]=&",
        "name[in]=1,1&",
        "age[between]=1,1&",
        "%5B",
        "order_by=,&",
    ] {
        let response = get(&client, &format!("/pets?{}", flood.repeat(64 * 1024 / flood.len())));
        let body = response.bytes().len();
        assert!(body < 64 * 1024, "{flood}: {body} bytes");
    }
}

#[test]
fn the_catalogue_names_the_codes() {
    for code in ["unknown_filter", "cursor_expired", "not_a_range"] {
        assert!(codes::ALL.iter().any(|(known, _)| known == code), "{code}");
    }
}
