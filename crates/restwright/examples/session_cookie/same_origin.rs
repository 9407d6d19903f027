//! Protection from requests of other origins.

use restwright::Next;
use restwright::http::{HeaderName, HttpRequest, HttpResponse, StatusCode, header};
use restwright::operation::Operation;
use restwright::prelude::*;
use restwright::problem::ProblemKind;

const CROSS_ORIGIN: ProblemKind =
    ProblemKind::new(StatusCode::FORBIDDEN, "cross_origin", "The request comes from another origin");

/// A middleware that rejects unsafe requests from pages of other origins, which browsers send with the caller's cookies.
///
/// `SameSite` alone allows other hosts of the same domain, and does not protect the login.
pub(crate) struct SameOrigin;

impl Middleware for SameOrigin {
    fn describe(&self, operation: &mut Operation) {
        if !operation.method.is_safe() {
            operation.add_problem(CROSS_ORIGIN);
        }
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        if request.method().is_safe() || is_own(request) {
            Ok(next.run(request).await)
        } else {
            Err(Problem::new(CROSS_ORIGIN))
        }
    }
}

/// Returns whether a request comes from a page of this origin, or not from a browser, which is the only client with cookies of others.
fn is_own(request: &HttpRequest) -> bool {
    match request.header(&HeaderName::from_static("sec-fetch-site")) {
        Some(site) => site == "same-origin" || site == "none",
        // An older browser. A proxy has to forward the `Host` that the browser sent.
        None => request.header_bytes(&header::ORIGIN).is_none_or(|origin| {
            let host = request.header_bytes(&header::HOST).unwrap_or_default();
            !host.is_empty() && origin.strip_suffix(host).is_some_and(|scheme| scheme.ends_with(b"://"))
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use restwright::testing::TestClient;

    #[test]
    fn pages_of_other_origins_change_nothing() {
        for (name, value, status) in [
            ("Sec-Fetch-Site", "same-origin", 401),
            ("Sec-Fetch-Site", "same-site", 403),
            ("Origin", "https://notes.example.com", 401),
            ("Origin", "https://evil-notes.example.com", 403),
            ("Origin", "null", 403),
            ("Accept", "application/json", 401),
        ] {
            let api = crate::api(Duration::from_secs(60)).unwrap();
            let client = TestClient::new(api).with_header("Host", "notes.example.com").with_header(name, value);
            client.post("/logout").send().assert_status(status).assert_documented();
            client.get("/me").send().assert_status(401);
        }
    }
}
