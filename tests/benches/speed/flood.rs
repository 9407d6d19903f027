//! What tokens of random keys do to valid requests on the same worker, whose keys are fetched from an issuer.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use restwright::Host;
use restwright::auth::{Issuer, Jwks, JwtAuthenticator};
use restwright::prelude::*;

use crate::client::Client;
use crate::measure::{Server, instructions_per_request, program};
use crate::server;
use crate::table::count;
use crate::token::declared::Protected;
use crate::token::{AUDIENCE, ISSUER, KEYS, TOKEN};

const TOKENS: usize = 10_000;
/// Requests that are sent at once: refused ones on one connection, and as many valid ones behind them on another.
const BATCH: usize = 16;
const COOLDOWN: u64 = 30;

/// Serves `GET /me` with keys from this address, which are there before the port is.
pub(crate) fn serve(keys: &str) {
    let keys = Jwks::url(keys).allow_loopback_http().cooldown(Duration::from_secs(COOLDOWN)).provider();
    let issuer = Issuer::new(ISSUER).audience(AUDIENCE).provider(keys.clone());
    let configuration = Configuration::new("speed", "1.0.0").authenticator("jwt", JwtAuthenticator::new(issuer));
    let api = Api::builder(configuration).controller(Protected { path: "/me", scheme: "jwt" }).build();
    actix_web::rt::System::new().block_on(keys.start()).expect("fetching begins");
    while keys.status().keys == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let host = Host::new(api.expect("the declaration has no mistakes")).workers(1);
    restwright::run(host.listen(server::listen()).expect("a bound socket").serve()).expect("the server runs");
}

pub(crate) fn print(counting: bool) {
    let kinds = SchemaType::all();
    let provider = Provider::start();
    let instructions = kinds.iter().map(|kind| counting.then(|| instructions(&provider, kind))).collect::<Vec<_>>();
    let (times, fetches, duration) = latencies(&provider, &kinds);
    println!("\n| GET with a token that is | instructions | valid requests behind as many of these, each |");
    println!("|---|--:|--:|");
    for ((kind, instructions), time) in kinds.iter().zip(instructions).zip(times) {
        let behind = if kind.status == 200 { " (alone)" } else { "" };
        println!(
            "| {} | {} | {:.1} µs{behind} |",
            kind.name,
            count(instructions.map(|count| count as f64)),
            time * 1e6
        );
    }
    let [alone, expired, random] = times;
    println!(
        "\nvalid requests, slowed by tokens of random keys more than by expired ones: {:.1} %",
        (random - expired) / alone * 100.0
    );
    println!("fetches that {TOKENS} tokens of random keys caused in {:.1} s: {fetches}", duration.as_secs_f64());
    assert!(fetches <= 1 + duration.as_secs() / COOLDOWN, "at most one fetch per cooldown");
}

/// Requests of one kind, each with a separate token as far as it has one.
struct SchemaType {
    name: &'static str,
    status: u16,
    requests: Vec<Vec<u8>>,
}

impl SchemaType {
    fn all() -> [Self; 3] {
        let many = |token: &dyn Fn(usize) -> String| (0..TOKENS).map(|number| request(&token(number))).collect();
        [
            Self { name: "valid", status: 200, requests: vec![request(TOKEN); BATCH] },
            Self { name: "expired", status: 401, requests: many(&|number| refused("speed", 1_700_000_000, number)) },
            Self {
                name: "of a random key",
                status: 401,
                requests: many(&|number| refused(&format!("random-{number}"), 4_102_444_800, number)),
            },
        ]
    }

    fn ask(&self, client: &mut Client, requests: u32) {
        for request in self.requests.iter().cycle().take(requests as usize) {
            client.send(request);
            client.receive(1, self.status);
        }
    }
}

fn request(token: &str) -> Vec<u8> {
    format!("GET /me HTTP/1.1\r\nHost: localhost\r\nUser-Agent: speed/1\r\nAccept: */*\r\nAuthorization: Bearer {token}\r\n\r\n")
        .into_bytes()
}

/// A token whose signature is never looked at.
fn refused(id: &str, expires: u64, number: usize) -> String {
    let header = format!(r#"{{"alg":"RS256","kid":"{id}","typ":"JWT"}}"#);
    let claims = format!(
        r#"{{"iss":"{ISSUER}","aud":"{AUDIENCE}","sub":"ann","exp":{expires},"iat":1700000000,"jti":{number},"scope":"pets:read pets:create"}}"#
    );
    let [header, claims] = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part));
    format!("{header}.{claims}.{}", URL_SAFE_NO_PAD.encode([1; 256]))
}

fn instructions(provider: &Provider, kind: &SchemaType) -> u64 {
    eprintln!("{} ..", kind.name);
    instructions_per_request(&["serve", "flood", &provider.url], |client, requests| kind.ask(client, requests))
}

/// Seconds for a valid request alone and behind refused ones of each kind, in turns, so other load of the machine affects all;
/// and the fetches that this caused.
fn latencies(provider: &Provider, kinds: &[SchemaType; 3]) -> ([f64; 3], u64, Duration) {
    let mut server = Server::start(program(), &["serve", "flood", &provider.url]);
    let mut other = server.connect();
    let (start, before) = (Instant::now(), provider.fetches.load(Ordering::SeqCst));
    let [valid, refused @ ..] = kinds;
    let behind = valid.requests.concat();
    let mut times = [const { Vec::new() }; 3];
    let [alone, times_behind @ ..] = &mut times;
    for turn in 0..TOKENS / BATCH {
        alone.push(time(&mut server.client, &behind));
        for (kind, times) in refused.iter().zip(&mut *times_behind) {
            other.send(&kind.requests[turn * BATCH..][..BATCH].concat());
            times.push(time(&mut server.client, &behind));
            other.receive(BATCH, kind.status);
        }
    }
    (times.map(median), provider.fetches.load(Ordering::SeqCst) - before, start.elapsed())
}

fn time(client: &mut Client, requests: &[u8]) -> f64 {
    let start = Instant::now();
    client.send(requests);
    client.receive(BATCH, 200);
    start.elapsed().as_secs_f64() / BATCH as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Responds to every request with the keys.
struct Provider {
    url: String,
    fetches: Arc<AtomicU64>,
}

impl Provider {
    fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let url = format!("http://{}/keys", listener.local_addr().expect("a bound socket has an address"));
        let fetches = Arc::<AtomicU64>::default();
        let counted = fetches.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut head = BufReader::new(&stream).lines().map_while(Result::ok);
                while head.next().is_some_and(|line| !line.is_empty()) {}
                counted.fetch_add(1, Ordering::SeqCst);
                let length = KEYS.len();
                let response = format!(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{KEYS}"
                );
                let _ = (&stream).write_all(response.as_bytes());
            }
        });
        Self { url, fetches }
    }
}
