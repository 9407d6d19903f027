//! Tests of the header fields of the Internet draft, and of what a controller sees.

use std::time::Duration;

use restwright::Clock;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_rate_limit::{Quota, RateLimit, RateLimitFields, TightestLimit};

#[derive(Request)]
struct Left {
    limit: TightestLimit,
}

/// The name and what is left, as the controller sees it.
async fn left(request: Left) -> Result<Data<String>> {
    let shown = |limit: &_| {
        let limit: &restwright_rate_limit::LimitState = limit;
        format!("{} {}/{} {:?}", limit.name(), limit.remaining(), limit.quota().limit(), limit.until_full())
    };
    Ok(Data(request.limit.0.as_ref().map_or_else(|| "none".to_owned(), shown)))
}

fn client(fields: RateLimitFields, clock: &Clock) -> TestClient {
    let get = |path: &str| Route::get(path).id(path).public();
    let wide = RateLimit::global("all \"of\" them\\", Quota::per_second(100));
    let narrow = RateLimit::global("narrow", Quota::per_minute(60).burst(2));
    let api = Api::builder(Configuration::new("fields", "1.0.0").clock(clock.clone()).with(fields))
        .controller(get("/wide").middleware(wide.clone()).handler(left))
        .controller(get("/both").middleware(wide).middleware(narrow).handler(left))
        .controller(get("/free").handler(left));
    TestClient::new(api.build().unwrap())
}

/// The fields of the draft and whether the customary ones are there.
fn fields(response: &TestResponse) -> (Option<&str>, Option<&str>, bool) {
    response.assert_documented();
    let customary = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let present = customary.iter().filter(|name| response.header(name).is_some()).count();
    assert!(present == 0 || present == 3);
    (response.header("ratelimit-policy"), response.header("ratelimit"), present == 3)
}

#[test]
fn the_configuration_chooses_the_fields() {
    for (chosen, draft, customary) in [
        (RateLimitFields::Customary, false, true),
        (RateLimitFields::Draft, true, false),
        (RateLimitFields::Both, true, true),
    ] {
        let clock = Clock::manual(0);
        let client = client(chosen, &clock);
        let shown = |text| draft.then_some(text);
        let quoted = r#""all \"of\" them\\""#;
        let (policy, state) = (format!("{quoted};q=100;w=1"), format!("{quoted};r=99;t=1"));
        let expected = (shown(&*policy), shown(&*state), customary);
        assert_eq!(fields(&client.get("/wide").send()), expected, "{chosen:?}");
        for state in ["\"narrow\";r=1;t=1", "\"narrow\";r=0;t=2", "\"narrow\";r=0;t=2"] {
            let response = client.get("/both").send();
            assert_eq!(fields(&response), (shown("\"narrow\";q=2;w=2"), shown(state), customary), "{chosen:?}");
        }
        client.get("/both").send().assert_status(429);
        assert_eq!(fields(&client.get("/free").send()), (None, None, false), "{chosen:?}");
    }
}

#[test]
fn a_controller_sees_the_tightest_limit() {
    let clock = Clock::manual(0);
    let client = client(RateLimitFields::Customary, &clock);
    let check = |path: &str, expected: &str| {
        let response = client.get(path).send();
        assert_eq!(response.json::<serde_json::Value>()["data"], expected, "{path}");
    };
    check("/free", "none");
    check("/wide", "all \"of\" them\\ 99/100 10ms");
    check("/both", "narrow 1/2 1s");
    clock.advance(Duration::from_millis(500));
    check("/both", "narrow 0/2 1.5s");
}

#[test]
fn a_name_that_no_field_can_carry_does_not_build() {
    let api = |fields: RateLimitFields| {
        let limited = Route::get("/a").id("a").public().middleware(RateLimit::global("Größe", Quota::per_second(1)));
        let configuration = Configuration::new("fields", "1.0.0").with(fields);
        Api::builder(configuration).controller(limited.handler(left)).build().map(drop)
    };
    api(RateLimitFields::Customary).unwrap();
    let errors = api(RateLimitFields::Both).unwrap_err().to_string();
    assert!(errors.contains("the rate limit `Größe` has a name that `RateLimit` cannot carry"), "{errors}");
}
