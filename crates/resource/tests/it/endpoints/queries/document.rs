//! `QUERY` in documents of each version.

use restwright::openapi::{Document, DocumentOptions, OpenApiVersion};
use serde_json::{Value, json};

use super::Queries;

fn document(version: OpenApiVersion) -> Value {
    let queries = Queries::empty();
    let document = Document::with_options(queries.0.api(), &DocumentOptions::new(version));
    serde_json::from_str(&document.to_json()).unwrap()
}

#[test]
fn openapi_3_2_describes_the_query() {
    let document = document(OpenApiVersion::V3_2);
    let query = &document["paths"]["/tickets"]["query"];
    assert_eq!(query["operationId"], "queryQueriedTickets");
    assert_eq!(query["parameters"], Value::Null);
    let reference = &query["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(*reference, "#/components/schemas/TicketQuery");
    let schemas = &document["components"]["schemas"];
    let body = &schemas["TicketQuery"];
    let mut names: Vec<_> = body["properties"].as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["cursor", "filter", "include", "limit", "order_by", "q"]);
    let reference = json!({"$ref": "#/components/schemas/TicketQueryFilter"});
    let filter = &schemas["TicketQueryFilter"]["properties"];
    assert_eq!(filter["any"]["items"], reference);
    assert_eq!(filter["all"]["minItems"], 1);
    assert_eq!(filter["not"]["$ref"], reference["$ref"]);
    assert_eq!(filter["size"]["properties"]["eq"]["minimum"], 0);
    assert_eq!(filter["title"]["properties"]["in"]["maxItems"], 100);
    assert_eq!(filter["title"]["properties"]["contains"]["type"], "string");
    assert!(query["responses"]["200"]["headers"]["Accept-Query"].is_object());
    assert_eq!(query["responses"]["200"]["headers"]["Link"], Value::Null);
}

/// The list names the method that these versions cannot describe.
#[test]
fn earlier_versions_describe_the_post() {
    for version in [OpenApiVersion::V3_0, OpenApiVersion::V3_1] {
        let document = document(version);
        assert_eq!(document["paths"]["/tickets"]["query"], Value::Null, "{version}");
        let list = document["paths"]["/tickets"]["get"]["description"].as_str().unwrap();
        assert!(list.contains("`QUERY`"), "{list}");
        let post = &document["paths"]["/tickets/query"]["post"];
        assert_eq!(post["operationId"], "queryQueriedTicketsByPost", "{version}");
        let schemas = &document["components"]["schemas"];
        assert!(schemas["TicketQueryFilter"].is_object(), "{version}");
        // Only the omitted `QUERY` of customers uses it.
        assert_eq!(schemas["CustomerQuery"], Value::Null, "{version}");
    }
}
