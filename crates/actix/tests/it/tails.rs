//! Tails of paths, as they come over a socket.

use crate::client::RawResponse;
use crate::server::Server;

/// A path, and the tail that the controller is given; `None` is a 404.
type Row = (&'static str, Option<&'static str>);

const ROWS: [Row; 26] = [
    ("/tree/a/b.c/..d/...", Some("a/b.c/..d/...")),
    ("/tree/a%20b/%C3%A4", Some("a b/ä")),
    // What is decoded twice is not this server's.
    ("/tree/a%252Fb/%252e%252e", Some("a%2Fb/%2e%2e")),
    // A `%` without two digits is plain, and does not become the start of an encoding.
    ("/tree/..%2%66private%2%66x", Some("..%2fprivate%2fx")),
    ("/tree/..%%32Fx", Some("..%2Fx")),
    ("/tree/private", Some("private")),
    ("/tree/", None),
    ("/tree/a/", None),
    ("/tree//a", None),
    ("/tree/a//b", None),
    ("/tree/./a", None),
    ("/tree/a/..", None),
    ("/tree/a/../private/x", None),
    ("/tree/%2e%2E/tree/private/x", None),
    ("/tree/.%2e/tree/private/x", None),
    ("/tree//private/x", None),
    ("/tree/./private/x", None),
    ("/tree/private%2Fx", None),
    ("/tree/private%2fx", None),
    ("/tree/private%5Cx", None),
    ("/tree/private\\x", None),
    ("/tree/private/x/", None),
    ("/objects/a//b/", Some("a//b/")),
    ("/objects/../a%2Fb", Some("../a/b")),
    ("/objects/a%5cb", Some("a\\b")),
    ("/objects/%2e%2e", Some("..")),
];

/// Compares the response to each path below `prefix`.
pub(crate) fn check(prefix: &str, mut send: impl FnMut(String) -> RawResponse) {
    let mut get = |path: &str| send(format!("GET {prefix}{path} HTTP/1.1\r\nHost: t\r\n\r\n"));
    for (path, expected) in ROWS {
        let response = get(path);
        match expected {
            Some(tail) => assert_eq!(response.json(), serde_json::json!({"status": tail}), "{path}"),
            None => drop(response.assert_problem(404, "not_found")),
        }
    }
    get("/tree/private/x").assert_problem(401, "unauthenticated");
    get("/tree/%70rivate/x").assert_problem(401, "unauthenticated");
}

#[test]
fn only_a_normal_tail_is_handed_over_unless_the_route_takes_any() {
    let server = Server::start();
    check("", |request| server.send(request));
}
