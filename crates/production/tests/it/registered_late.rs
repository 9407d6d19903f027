//! Modules that are registered after a middleware that they should wrap.

use restwright::http::{HttpRequest, HttpResponse};
use restwright::prelude::*;
use restwright::production::{Compression, Cors, Health, Metrics, Preset, RequestLog, Tracing};
use restwright::rate_limit::{Quota, RateLimit};
use restwright::{AfterAuthentication, ApiBuilder, Next};
use restwright_tests::Log;
use tracing::Level;

/// Replaces responses.
struct ErrorPages;

impl Middleware for ErrorPages {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        Ok(next.run(request).await)
    }
}

fn metrics() -> Metrics {
    Metrics::new().public()
}

fn preset() -> Preset {
    Preset::production().metrics(metrics())
}

/// Returns the warnings of the build.
fn warnings(register: impl FnOnce(ApiBuilder) -> ApiBuilder) -> Vec<String> {
    let log = Log::up_to(Level::WARN);
    let builder = register(Api::builder(Configuration::new("pets", "1.0.0")));
    log.during(|| builder.build().unwrap());
    log.take("is registered after")
}

#[test]
fn warns_about_a_module_after_a_middleware_that_it_should_wrap() {
    let late = |module: &str, middlewares: &str| {
        vec![format!(
            "WARN restwright_runtime::api::builder: message=the module `{module}` is registered after the {middlewares}"
        )]
    };
    let cors = || Cors::new().allow_origin("https://shop.example.com");
    let limit = || RateLimit::per_ip("clients", Quota::per_minute(60));
    let found = [
        warnings(|api| api.module(&preset()).middleware(ErrorPages)),
        warnings(|api| api.middleware(ErrorPages).module(&preset())),
        warnings(|api| api.middleware(ErrorPages).middleware(Compression::new()).module(&preset())),
        warnings(|api| {
            api.middleware(Tracing::new()).middleware(RequestLog::new()).module(&metrics()).middleware(cors())
        }),
        warnings(|api| api.middleware(Tracing::new()).middleware(cors()).module(&metrics())),
        // These run inside the module at any place.
        warnings(|api| api.middleware(limit()).middleware(AfterAuthentication(ErrorPages)).module(&preset())),
        warnings(|api| api.module(&Health::new()).module(&metrics())),
    ];
    let expected = [
        vec![],
        late("Preset", "middleware `ErrorPages`"),
        late("Preset", "middlewares `ErrorPages`, `Compression`"),
        vec![],
        late("Metrics", "middleware `Cors`"),
        vec![],
        vec![],
    ];
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found.len(), expected.len(), "{number}: {found:?}");
        let is_alike = found.iter().zip(expected).all(|(found, expected)| {
            let start = found.split(", so it does not see").next().unwrap();
            start == expected
        });
        assert!(is_alike, "{number}: {found:?}, not {expected:?}");
    }
    let [warning] = &found[1][..] else { panic!("{found:?}") };
    let rest = "so it does not see the responses that clients receive; call `.module(..)` with `Preset` before `.middleware(..)` with `ErrorPages`";
    assert!(warning.ends_with(rest), "{warning}");
}
