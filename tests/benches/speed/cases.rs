//! The requests to both sides, and the responses that both must have.

use crate::token::TOKEN;

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Routes in the API; what is asked for stands in the middle of them.
    pub(crate) routes: usize,
    /// `{id}` in its path is the identifier of an animal.
    pub(crate) request: fn() -> Vec<u8>,
    pub(crate) status: u16,
    /// What the response's body holds, so that a side cannot win by responding with less.
    pub(crate) holds: &'static [&'static str],
}

pub(crate) const CASES: &[Case] = &[
    Case { name: "health", title: "health", routes: 4, request: health, status: 200, holds: &[r#"{"status":"ok"}"#] },
    Case {
        name: "post",
        title: "valid POST",
        routes: 4,
        request: || post(VALID),
        status: 201,
        holds: &[r#"{"data":{"id":1,"#, r#""zip":"12345""#],
    },
    Case {
        name: "violations",
        title: "POST with 4 violations",
        routes: 4,
        request: || post(FOUR_VIOLATIONS),
        status: 422,
        holds: &["/name", "/weight_kg", "/owner/email", "/owner/address/zip"],
    },
    Case {
        name: "path",
        title: "path with 2 parameters",
        routes: 4,
        request: || get("/shelters/7/pets/42"),
        status: 200,
        holds: &[r#"{"shelter":7,"pet":42}"#],
    },
    Case {
        name: "list",
        title: "list with 2 filters, 2 sort fields, page 2",
        routes: 4,
        request: || get(LIST),
        status: 200,
        holds: &[r#"{"data":[{"id":21,"#, r#""has_more":true}}"#, r#"; rel="prev", <?page=3&limit=20&filter%5B"#],
    },
    Case {
        name: "list-linked",
        title: "the same, by hand without `Link`",
        routes: 4,
        request: || get(&LIST.replace("/pets?", "/pets/linked?")),
        status: 200,
        holds: &[r#"{"data":[{"id":21,"#, r#""has_more":true}}"#],
    },
    Case {
        name: "list-unlinked",
        title: "the same, both without `Link`",
        routes: 4,
        request: || get(&LIST.replace("/pets?", "/pets/unlinked?")),
        status: 200,
        holds: &[r#"{"data":[{"id":21,"#, r#""has_more":true}}"#],
    },
    Case {
        name: "cursor",
        title: "the same list by cursor, first page (by hand: by page)",
        routes: 4,
        request: || get(LIST_BY_CURSOR),
        status: 200,
        holds: &[r#"{"data":[{"id":1,"#, r#""has_more":true"#],
    },
    Case {
        name: "resource-view",
        title: "resource: view",
        routes: 4,
        request: || get("/animals/{id}"),
        status: 200,
        holds: &[r#"{"data":{"id":""#, r#""tags":["calm","house-trained"],"vaccinated":"#, r#""updated_at":"1970"#],
    },
    Case {
        name: "resource-create",
        title: "resource: create",
        routes: 4,
        request: || with_body("POST /animals", "application/json", ANIMAL),
        status: 201,
        holds: &[r#"{"data":{"id":""#, r#""name":"Rex","species":"dog","weight_kg":12.5,"tags":["calm","#, "/animals/"],
    },
    Case {
        name: "resource-list",
        title: "resource: list of 20 with 2 filters and a sort",
        routes: 4,
        request: || get(ANIMALS),
        status: 200,
        holds: &[r#"{"data":[{"id":""#, r#"}],"pagination":{"page":1,"page_size":20,"total":300,"#, r#"; rel="last""#],
    },
    Case {
        name: "resource-patch",
        title: "resource: patch",
        routes: 4,
        request: || with_body("PATCH /animals/{id}", "application/merge-patch+json", CHANGES),
        status: 200,
        holds: &[
            r#"{"data":{"id":""#,
            r#""weight_kg":null,"tags":["calm","old"],"vaccinated":true,"created_at":"1970"#,
        ],
    },
    Case {
        name: "token",
        title: "GET with an RS256 token",
        routes: 4,
        request: || with_token("/me"),
        status: 200,
        holds: &[r#"{"subject":"ann"}"#],
    },
    Case {
        name: "remembered",
        title: "GET with a remembered token",
        routes: 4,
        request: || with_token("/remembered/me"),
        status: 200,
        holds: &[r#"{"subject":"ann"}"#],
    },
    Case {
        name: "routes-2",
        title: "health among 2 routes",
        routes: 2,
        request: health,
        status: 200,
        holds: &[r#"{"status":"ok"}"#],
    },
    Case {
        name: "routes-1000",
        title: "health among 1,000 routes",
        routes: 1000,
        request: health,
        status: 200,
        holds: &[r#"{"status":"ok"}"#],
    },
    Case {
        name: "limited",
        title: "health with a limit, 100,000 keys",
        routes: 2,
        request: health,
        status: 200,
        holds: &[r#"{"status":"ok"}"#],
    },
];

impl Case {
    /// The case is one of the endpoints of a resource, which are a separate API.
    pub(crate) fn is_of_resource(&self) -> bool {
        self.name.starts_with("resource-")
    }
}

pub(crate) fn named(name: &str) -> &'static Case {
    CASES.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case is called {name}"))
}

const LIST: &str =
    "/pets?filter[species][in]=dog,cat&filter[weight_kg][gte]=2.5&order_by=-weight_kg,name&page=2&limit=20";

const LIST_BY_CURSOR: &str =
    "/pets/by-cursor?filter[species][in]=dog,cat&filter[weight_kg][gte]=2.5&order_by=-weight_kg,name&limit=20";

const ANIMALS: &str = "/animals?filter[species][in]=dog,cat&filter[weight_kg][gte]=2.5&order_by=-weight_kg&limit=20";

const ANIMAL: &str =
    r#"{"name":"Rex","species":"dog","weight_kg":12.5,"tags":["calm","house-trained"],"vaccinated":true}"#;

const CHANGES: &str = r#"{"name":"Rex","weight_kg":null,"tags":["calm","old"],"vaccinated":true}"#;

const VALID: &str = r#"{"name":"Rex","species":"dog","weight_kg":12.5,"tags":["calm","house-trained"],"owner":{"name":"Ada Byron","email":"ada@example.com","address":{"street":"12 High Street","city":"London","zip":"12345"}}}"#;

const FOUR_VIOLATIONS: &str = r#"{"name":"","species":"dog","weight_kg":0.0,"tags":["calm","house-trained"],"owner":{"name":"Ada Byron","email":"ada at example.com","address":{"street":"12 High Street","city":"London","zip":"1234"}}}"#;

fn health() -> Vec<u8> {
    get("/health")
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: speed/1\r\nAccept: */*\r\n\r\n").into_bytes()
}

fn with_token(path: &str) -> Vec<u8> {
    format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: speed/1\r\nAccept: */*\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    )
    .into_bytes()
}

fn post(body: &str) -> Vec<u8> {
    with_body("POST /pets", "application/json", body)
}

fn with_body(start: &str, media_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{start} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: speed/1\r\nAccept: */*\r\n\
         Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
