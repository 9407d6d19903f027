//! Requests with several `Content-Type` lines.

use crate::client::RawResponse;
use crate::server::Server;

/// Checks both hosts: `send` sends a request.
pub(crate) fn check(send: impl Fn(&str) -> RawResponse) {
    for (path, first, second) in [
        ("/pets", "application/json", "application/json"),
        ("/pets", "application/json", "text/plain"),
        ("/pets", "text/plain", "application/json"),
        ("/echo", "text/plain", "image/png"),
        ("/relay", "text/plain", "text/plain"),
    ] {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: t\r\nContent-Type: {first}\r\nContent-Type: {second}\r\nContent-Length: 14\r\n\r\n\
             {{\"name\":\"Rex\"}}"
        );
        let response = send(&request);
        let problem = response.assert_problem(400, "malformed_request").json();
        assert_eq!(problem["detail"], "The header `Content-Type` must appear only once.", "{request}");
    }
    let without_body = "GET /health HTTP/1.1\r\nHost: t\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\n";
    assert_eq!(send(without_body).status, 200);
}

#[test]
fn rejects_a_repeated_content_type_of_an_operation_with_a_body() {
    let server = Server::start();
    check(|request| server.send(request));
}
