//! Tests of errors when an Api is built.

use restwright::core::client_address::TrustedProxies;
use restwright::core::{Configuration, Route};
use restwright::{Api, ApiBuilder};
use restwright_rate_limit::{
    LimitedRequest, Quota, RateLimit, RateLimitKey, RateLimitStrategy, RedisLimiter, WhenUnavailable,
};

use crate::around::Outermost;
use crate::scene::{Act, Keys, Names, limited};

#[test]
fn mistakes_are_build_errors() {
    let errors = |declare: &dyn Fn(ApiBuilder) -> ApiBuilder| {
        let configuration = Configuration::new("limits", "1.0.0").authenticator("name", Names);
        declare(Api::builder(configuration)).build().unwrap_err().messages().join("\n")
    };
    let quota = Quota::per_second(1);
    for (limit, expected) in [
        (RateLimit::by_header("a", "not a header", quota), "`not a header` cannot be the name of a header"),
        (RateLimit::per_api_key("a", "none", quota), "the scheme `none` is not registered"),
        (RateLimit::per_api_key("a", "name", quota), "the scheme `name` does not use API keys"),
    ] {
        let found = errors(&|api| api.controller(limited("/a", limit.clone())));
        assert!(found.contains("GET /a: the rate limit `a`: ") && found.contains(expected), "{found}");
    }
    for none in [Quota::per_minute(0), Quota::per_minute(0).burst(5), quota.burst(0)] {
        let found = errors(&|api| api.controller(limited("/a", RateLimit::per_ip("a", none))));
        assert!(
            found.contains("GET /a: the rate limit `a` has a quota of 0 requests, so it rejects everyone"),
            "{found}"
        );
    }
    let early = errors(&|api| {
        let limit = Outermost(RateLimit::per_identity("a", quota));
        api.controller(Act(Route::get("/a").authorize("name", [""; 0]).middleware(limit)))
    });
    assert!(early.contains("the middleware around it must also forward `stage`"), "{early}");
    let twice = errors(&|api| {
        api.middleware(RateLimit::global("a", quota)).controller(limited("/a", RateLimit::per_ip("a", quota)))
    });
    assert!(twice.contains("the rate limit `a` is on this route twice"), "{twice}");
}

#[test]
fn an_address_has_128_bits() {
    for bits in [0, 129, 255] {
        let api = Api::builder(Configuration::new("limits", "1.0.0").ipv6_prefix(bits));
        let limit = |name| RateLimit::per_ip(name, Quota::per_second(1));
        let api = api.middleware(limit("a")).middleware(limit("b")).controller(limited("/a", limit("c")));
        let found = api.build().unwrap_err().messages().join("\n");
        assert_eq!(found.matches("is not a valid prefix length; write 1 to 128 bits").count(), 1, "{found}");
    }
}

#[test]
fn errors_are_reported_together_and_each_once() {
    let quota = Quota::per_minute(0);
    let redis = RedisLimiter::new("http://localhost", WhenUnavailable::FailOpen);
    let configuration = Configuration::new("limits", "1.0.0")
        .limiter_store(redis)
        .trusted_proxies(TrustedProxies::new(["10.0.0.0/99"]));
    let errors = Api::builder(configuration)
        .middleware(RateLimit::per_api_key("all", "none", quota))
        .middleware(RateLimit::by_header("also all", "not a header", quota))
        .controller(Act(Route::get("/a").public()))
        .controller(Act(Route::get("/b").public()))
        .controller(limited("/c", RateLimit::per_ip("c", quota)))
        .build()
        .unwrap_err();
    let expected = [
        "a trusted proxy: ",
        "GET /a: the Redis limiter has no valid URL",
        "GET /a: the rate limit `all`: the scheme `none` is not registered",
        "GET /a: the rate limit `all` has a quota of 0 requests",
        "GET /a: the rate limit `also all`: `not a header` cannot be the name of a header",
        "GET /c: the rate limit `c` has a quota of 0 requests",
    ];
    assert_eq!(errors.messages().len(), expected.len(), "{errors}");
    for (message, expected) in errors.messages().iter().zip(expected) {
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn an_invalid_url_is_a_build_error() {
    let instead = "; write it as `redis://user:password@host:6379/0`";
    for (url, expected) in [
        ("http://user:secret@localhost", instead),
        ("user:secret@localhost:6379", instead),
        ("redis://user:secret@localhost/first", instead),
        #[cfg(not(feature = "tls"))]
        ("rediss://user:secret@localhost", "TLS requires the feature `tls`"),
        #[cfg(feature = "tls")]
        ("rediss://user:secret@localhost/first", "; write it as `rediss://user:password@host:6379/0`"),
    ] {
        let store = RedisLimiter::new(url, WhenUnavailable::FailOpen);
        let configuration = Configuration::new("limits", "1.0.0").limiter_store(store);
        let route = Route::get("/a").public().middleware(RateLimit::global("a", Quota::per_second(1)));
        let errors = Api::builder(configuration).controller(Act(route)).build().unwrap_err().to_string();
        assert!(errors.contains("the Redis limiter has no valid URL: ") && errors.contains(expected), "{errors}");
        assert!(!errors.contains("secret"), "{errors}");
    }
}

#[test]
fn limits_of_one_name_are_one_limit() {
    struct Custom;

    impl RateLimitStrategy for Custom {
        fn key(&self, caller: &LimitedRequest<'_>) -> Option<RateLimitKey> {
            Some(caller.address_key())
        }

        fn quota(&self, _: &LimitedRequest<'_>) -> Quota {
            Quota::per_second(7)
        }
    }
    let quota = Quota::per_minute(600);
    let build = |limit: RateLimit| {
        let configuration = Configuration::new("limits", "1.0.0").authenticator("key", Keys("X-Key"));
        let first = RateLimit::per_ip("clients", quota);
        let search = Route::get("/b").authorize("key", [""; 0]).middleware(limit);
        Api::builder(configuration).controller(limited("/a", first)).controller(Act(search)).build()
    };
    for same in [
        RateLimit::per_ip("clients", Quota::per_second(10).burst(600)),
        RateLimit::per_ip("clients", quota).after_authentication(),
        RateLimit::per_ip("others", Quota::per_second(1)),
        RateLimit::custom("clients", Custom),
    ] {
        assert!(build(same).is_ok());
    }
    for (other, is) in [
        (RateLimit::per_ip("clients", quota.burst(5)), "5 requests by address, one more every 100ms,"),
        (RateLimit::per_ip("clients", Quota::per_hour(600)), "600 requests by address, one more every 6s,"),
        (RateLimit::per_identity("clients", quota), "600 requests by identity, one more every 100ms,"),
        (RateLimit::global("clients", quota), "600 requests together, one more every 100ms,"),
        (
            RateLimit::by_header("clients", "X-Tenant", quota),
            "600 requests by the header `x-tenant`, one more every 100ms,",
        ),
        (RateLimit::per_api_key("clients", "key", quota), "600 requests by key of `key`, one more every 100ms,"),
    ] {
        let message = build(other).unwrap_err().to_string();
        let expected = format!(
            "GET /b: the rate limit `clients` is {is} here, but 600 requests by address, one more every 100ms, on GET /a; limits with the same name share their buckets, so make both equal, or rename one of them"
        );
        assert!(message.contains(&expected), "{message}");
    }
}
