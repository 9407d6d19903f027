//! Tests of the commands to the server, and of the buckets there.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use restwright::testing::TestClient;
use restwright_rate_limit::{Quota, RateLimit};

use super::{Prefix, api, connection, server, store, time};

/// Forwards everything to the server, and records what clients send.
struct Tap {
    url: String,
    said: Arc<Mutex<Vec<u8>>>,
}

impl Tap {
    fn new(url: &str) -> Self {
        let (_, rest) = url.split_once("://").unwrap();
        let authority = rest.split('/').next().unwrap();
        let address = authority.rsplit('@').next().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = url.replacen(&address, &listener.local_addr().unwrap().to_string(), 1);
        let said = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&said);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&address).unwrap());
                let (to, from) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                let kept = Arc::clone(&kept);
                thread::spawn(move || pass(from, to, |bytes| kept.lock().unwrap().extend_from_slice(bytes)));
                thread::spawn(move || pass(server, client, |_| {}));
            }
        });
        Self { url, said }
    }

    /// How many scripts were run.
    fn scripts(&self) -> usize {
        self.said.lock().unwrap().windows(7).filter(|word| word == b"EVALSHA").count()
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, keep: impl Fn(&[u8])) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        keep(&buffer[..length]);
        to.write_all(&buffer[..length]).unwrap();
    }
    drop(to.shutdown(Shutdown::Both));
}

#[tokio::test]
async fn several_limits_take_one_round_trip_and_the_first_refusal_ends_it() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "several");
    let tap = Tap::new(&url);
    let store = store(&tap.url, &prefix.text);
    let limits = vec![
        RateLimit::per_ip("wide", Quota::per_day(5)),
        RateLimit::global("narrow", Quota::per_day(2)),
        RateLimit::by_header("last", "X-Tenant", Quota::per_day(9)),
    ];
    let api = api(&store, limits);
    api.start().await.unwrap();
    let client = TestClient::new(api);
    let mut connection = connection(&url);
    let (before, started) = (tap.scripts(), time(&mut connection));
    for (status, limit, remaining) in [(204, "2", "1"), (204, "2", "0"), (429, "2", "0"), (429, "2", "0")] {
        let response = client.get("/a").header("X-Tenant", "secret").await;
        response.assert_status(status).assert_documented();
        response.assert_header("x-ratelimit-limit", limit).assert_header("x-ratelimit-remaining", remaining);
    }
    assert_eq!(tap.scripts() - before, 4, "one for each request");
    // All four were charged to the first limit, two to the others.
    let bucket = |name: &str| format!("{}:{name}", prefix.text);
    let digest = "text:2bb80d537b1da3e38bd30361aa855686";
    let now = time(&mut connection);
    for (name, charged, day) in
        [("wide:address:127.0.0.1", 4, 5), ("narrow:all", 2, 2), (&format!("last:{digest}"), 2, 9)]
    {
        let (held, expires): (String, u64) =
            redis::pipe().get(bucket(name)).pexpire_time(bucket(name)).query(&mut connection).unwrap();
        let (full_at, written) = held.split_once(' ').unwrap();
        let [full_at, written]: [u64; 2] = [full_at, written].map(|time| time.parse().unwrap());
        let interval = 24 * 3600 * 1_000_000_u64 / day;
        assert_eq!((full_at - now).div_ceil(interval), charged, "{name}");
        // Ten seconds after it is full, by the clock of the time when it was written.
        let written_at = expires - (full_at - written).div_ceil(1000) - 10_000;
        assert!((started / 1000..=now / 1000).contains(&written_at), "{name} expires at {expires} ms");
    }
}

#[tokio::test]
async fn a_route_with_two_stages_is_charged_at_both() {
    let Some(url) = server() else { return };
    let late = RateLimit::per_ip("late", Quota::per_day(1)).after_authentication();
    let limits = vec![late, RateLimit::global("early", Quota::per_day(2))];
    let prefix = Prefix::new(&url, "stages");
    let tap = Tap::new(&url);
    let api = api(&store(&tap.url, &prefix.text), limits);
    api.start().await.unwrap();
    let before = tap.scripts();
    let client = TestClient::new(api);
    for (status, limit) in [(204, "1"), (429, "1"), (429, "2")] {
        let response = client.get("/a").await;
        response.assert_status(status).assert_header("x-ratelimit-limit", limit).assert_documented();
    }
    assert_eq!(tap.scripts() - before, 2 + 2 + 1);
}
