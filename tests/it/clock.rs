//! The clock in the configuration controls everything that depends on the time.

use std::time::Duration;

use restwright::auth::{ApiKey, ApiKeyAuthenticator, Jwks, JwtAuthenticator, KeyList};
use restwright::list::{Cursor, CursorKey, CursorResponse, SortBag, apply};
use restwright::prelude::*;
use restwright::rate_limit::{Quota, RateLimit};
use restwright::testing::{TestClient, TestIssuer};
use restwright::{BuildErrorKind, Clock};
use serde::Serialize;
use serde_json::Value;

const NOW: i64 = 1_700_000_000;

/// An event.
#[derive(Debug, Clone, Serialize, Schema, Record)]
struct Event {
    id: i64,
}

/// The order of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Sort)]
enum EventOrder {
    #[sort(id, default)]
    Id,
}

#[derive(Request)]
struct ListEventsRequest {
    sort: SortBag<EventOrder>,
    cursor: Cursor,
}

struct ListEvents;

impl Controller for ListEvents {
    type Request = ListEventsRequest;
    type Response = CursorResponse<Event>;

    fn route(&self) -> Route {
        Route::get("/events").public()
    }

    async fn handle(&self, request: ListEventsRequest) -> Result<CursorResponse<Event>> {
        let ListEventsRequest { sort, cursor } = request;
        let events = [Event { id: 1 }, Event { id: 2 }];
        Ok(cursor.respond(apply(&(), &sort, &cursor, &events).cloned()))
    }
}

fn empty(route: Route) -> impl Controller {
    route.handler(async |(): ()| Ok(NoContent))
}

#[test]
fn one_clock_controls_limits_tokens_keys_and_cursors() {
    let clock = Clock::manual(NOW);
    let issuer = TestIssuer::new("https://issuer.test").clock(clock.clone());
    let path = std::env::temp_dir().join(format!("restwright-clock-{}.json", std::process::id()));
    std::fs::write(&path, issuer.key_set()).unwrap();
    let fetched = Jwks::file(&path).hard_limit(Duration::from_secs(600)).provider();
    let jwt = restwright::auth::Issuer::new("https://issuer.test").audience("test").provider(fetched.clone());
    let new = ApiKey::generate("ci").unwrap();
    let key = new.key().clone().expires_at(NOW + 300);
    let configuration = Configuration::new("events", "1.0.0")
        .clock(clock.clone())
        .with(CursorKey::new([7; 32]).expires_after(Duration::from_secs(300)))
        .authenticator("jwt", JwtAuthenticator::new(jwt))
        .authenticator("key", ApiKeyAuthenticator::new(KeyList::new([key])));
    let api = Api::builder(configuration)
        .controller(ListEvents)
        .controller(empty(Route::get("/token").id("token").authorize("jwt", [""; 0])))
        .controller(empty(Route::get("/key").id("key").authorize("key", [""; 0])))
        .controller(empty(
            Route::get("/limit").id("limit").public().middleware(RateLimit::per_ip("limit", Quota::per_minute(1))),
        ));
    let client = TestClient::new(api.build().unwrap());
    client.start().unwrap();
    while fetched.status().keys == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    // From here on, fetches fail.
    std::fs::remove_file(&path).unwrap();

    let first = client.get("/events?limit=1").send().json::<Value>();
    let cursor = first["pagination"]["next_cursor"].as_str().unwrap().to_owned();
    let token = issuer.token("ann").to_string();
    client.get("/limit").send().assert_status(204);
    // The seconds since the start, and the statuses of the limit, the token, the API key and the cursor.
    for (seconds, expected) in [
        (0, [429, 204, 204, 200]),
        (301, [204, 204, 401, 422]),
        (601, [204, 503, 401, 422]),
        (3661, [204, 401, 401, 422]),
    ] {
        clock.advance(Duration::from_secs(seconds).saturating_sub(clock.elapsed()));
        let statuses = [
            client.get("/limit"),
            client.get("/token").bearer(&token),
            client.get("/key").header("X-Api-Key", new.text()),
            client.get(format!("/events?cursor={cursor}")),
        ];
        assert_eq!(statuses.map(|request| request.send().status().as_u16()), expected, "after {seconds} s");
    }
    client.stop();
}

#[test]
fn apis_that_share_a_part_must_have_one_clock() {
    let new = ApiKey::generate("ci").unwrap();
    let keys = || ApiKeyAuthenticator::new(KeyList::new([new.key().clone()]));
    let build = |configuration: &Configuration, clock: &Clock| {
        let limited = Route::get("/").id("get").authorize("key", [""; 0]);
        let limited = limited.middleware(RateLimit::per_ip("limit", Quota::per_minute(1)));
        let api = Api::builder(configuration.clone().clock(clock.clone())).controller(empty(limited));
        let errors = api.build().err().map(|errors| errors.errors().to_vec());
        errors.into_iter().flatten().map(|error| (error.kind(), error.place().map(str::to_owned))).collect::<Vec<_>>()
    };
    let [one, other] = [Clock::manual(NOW), Clock::manual(NOW)];
    let shared = Configuration::new("shared", "1.0.0").authenticator("key", keys());
    let refused = [(BuildErrorKind::Authenticator, Some("authenticator `key`".to_owned()))];
    assert_eq!(build(&shared, &one), []);
    assert_eq!(build(&shared, &one), []);
    assert_eq!(build(&shared, &other), refused);

    let own = Configuration::new("own", "1.0.0").authenticator("key", keys().clock(Clock::manual(NOW)));
    assert_eq!(build(&own, &one), []);
    assert_eq!(build(&own, &other), []);
}

#[derive(Request)]
struct Now {
    clock: Clock,
}

#[test]
fn a_handler_reads_the_clock_of_the_api() {
    let clock = Clock::manual(NOW);
    let route = Route::get("/now").id("now").public();
    let now = route.handler(async |Now { clock }: Now| Ok(Data(clock.unix_seconds())));
    let configuration = Configuration::new("now", "1.0.0").clock(clock.clone());
    let client = TestClient::new(Api::builder(configuration).controller(now).build().unwrap());
    for expected in [NOW, NOW + 60] {
        let response = client.get("/now").send();
        response.assert_status(200).assert_documented().assert_json(&serde_json::json!({"data": expected}));
        clock.advance(Duration::from_secs(60));
    }
}
