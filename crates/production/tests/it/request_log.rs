use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use futures_util::stream;
use restwright::Host;
use restwright::auth::{ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::body::{Bytes, StreamingBody};
use restwright::client_address::TrustedProxies;
use restwright::prelude::*;
use restwright::production::{Health, RequestLog};
use restwright::telemetry::Telemetry;
use restwright::testing::TestClient;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

use crate::server::Server;

const KEY: &str = "X-Api-Key: shop.4c8c8f55d9a14bb6b4b6b31ce1c6cbd0";

/// Everything that the tests of this process log.
pub(crate) fn log() -> &'static Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    LOG.get_or_init(|| {
        let log = Log::default();
        let writer = log.clone();
        let lines =
            tracing_subscriber::fmt::layer().with_ansi(false).without_time().with_writer(move || writer.clone());
        let logged = Targets::new().with_default(LevelFilter::INFO).with_target("restwright::export", LevelFilter::OFF);
        tracing_subscriber::registry().with(lines.with_filter(logged)).with(Telemetry::new().layer()).init();
        log
    })
}

#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// All lines that have a text.
    pub(crate) fn lines_with(&self, part: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().filter(|line| line.contains(part)).map(str::to_owned).collect()
    }

    /// The lines of requests whose identifier is this one.
    pub(crate) fn of(&self, id: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let id = format!("request_id=\"{id}\"");
        let lines = text.lines().filter(|line| line.contains("restwright::request:") && line.contains(&id));
        lines.map(|line| line.trim_start().to_owned()).collect()
    }

    /// The one line of a request, which comes at the end of its response.
    pub(crate) fn line(&self, id: &str) -> String {
        let begin = Instant::now();
        while self.of(id).is_empty() && begin.elapsed() < Duration::from_mins(1) {
            sleep(Duration::from_millis(10));
        }
        let lines = self.of(id);
        assert_eq!(lines.len(), 1, "{id}: {lines:?}");
        lines[0].clone()
    }
}

#[derive(Request)]
struct ViewPet {
    #[segment]
    id: i64,
}

/// Pieces that come every 50 ms.
#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Ticks(#[body] StreamingBody);

fn ticks(count: usize) -> Ticks {
    let pieces = stream::unfold(0, move |number| async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        (number < count).then(|| (Ok(Bytes::from_static(b"tick\n")), number + 1))
    });
    Ticks(StreamingBody::new(pieces))
}

fn start(log_requests: RequestLog) -> Server {
    log();
    let key = KEY.strip_prefix("X-Api-Key: ").unwrap().parse::<ApiKey>().unwrap().subject("shop").scopes(["read"]);
    let configuration = Configuration::new("logged", "1.0.0")
        .trusted_proxies(TrustedProxies::new(["127.0.0.1"]))
        .authenticator("key", ApiKeyAuthenticator::new(KeyList::new([key])));
    let get = |path: &str| Route::get(path).id(path);
    let slow = async |()| {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(Data("late"))
    };
    let admin = Route::get("/admin").id("staffAdmin").authorize("key", ["admin"]).handler(async |()| Ok(Data("admin")));
    let staff = Group::new("/staff").authorize("key", ["read"]).controller(admin);
    let api = Api::builder(configuration)
        .middleware(log_requests)
        .controller(get("/pets/{id}").authorize("key", ["read"]).handler(async |pet: ViewPet| Ok(Data(pet.id))))
        .controller(get("/admin").authorize("key", ["admin"]).handler(async |()| Ok(Data("admin"))))
        .group(staff)
        .controller(get("/panic").public().handler(async |()| -> Result<Data<i64>> { panic!("a bug") }))
        .controller(get("/ticks").public().handler(async |()| Ok(ticks(3))))
        .controller(get("/endless").public().handler(async |()| Ok(ticks(usize::MAX))))
        .controller(get("/slow").public().handler(slow))
        .controller(get("/quiet").public().handler(async |()| Ok(Data("ok"))))
        .module(&Health::new())
        .build();
    Server::with(Host::new(api.unwrap()).workers(1).grace(Duration::from_millis(300)))
}

#[test]
fn each_request_has_one_line() {
    let server = start(RequestLog::new().subject().without("/quiet"));
    let cases = [
        (
            "a1",
            "GET",
            "/pets/4711?token=secret",
            KEY,
            "INFO",
            r#"method="GET" route="/pets/{id}" status=200"#,
            "bytes=13",
        ),
        ("a2", "HEAD", "/pets/4711", KEY, "INFO", r#"method="HEAD" route="/pets/{id}" status=200"#, "bytes=0"),
        (
            "a3",
            "GET",
            "/pets/4711",
            "",
            "INFO",
            r#"method="GET" route="/pets/{id}" status=401 code="unauthenticated" reason="Credentials are required: the header `X-Api-Key`.""#,
            "",
        ),
        (
            "a3b",
            "GET",
            "/pets/4711",
            "X-Api-Key: shop.00000000000000000000000000000000",
            "INFO",
            r#"method="GET" route="/pets/{id}" status=401 code="unauthenticated" reason="scheme key: the API key is unknown""#,
            "",
        ),
        (
            "a4",
            "GET",
            "/admin",
            KEY,
            "INFO",
            r#"method="GET" route="/admin" status=403 code="forbidden" reason="The credentials lack these scopes: admin.""#,
            r#"credential_id="shop""#,
        ),
        (
            "a4b",
            "GET",
            "/staff/admin",
            KEY,
            "INFO",
            r#"method="GET" route="/staff/admin" status=403 code="forbidden" reason="The credentials lack these scopes: admin.""#,
            r#"credential_id="shop""#,
        ),
        (
            "a5",
            "GET",
            "/unknown/path?token=secret",
            "",
            "INFO",
            r#"method="GET" path="/unknown/path" status=404 code="not_found""#,
            "",
        ),
        ("a6", "POST", "/admin", "", "INFO", r#"method="POST" status=405 code="method_not_allowed""#, ""),
        ("a7", "GET", "/panic", "", "WARN", r#"method="GET" route="/panic" status=500 code="internal_error""#, ""),
        ("a8", "GET", "/ticks", "", "INFO", r#"method="GET" route="/ticks" status=200"#, "bytes=15"),
    ];
    for (id, method, path, key, level, begin, bytes) in cases {
        let id_line = format!("X-Request-Id: {id}");
        let headers = if key.is_empty() { vec![&*id_line] } else { vec![&*id_line, key] };
        let reply = server.send(method, path, &headers);
        assert_eq!(reply.header("x-request-id").as_deref(), Some(id));
        let line = log().line(id);
        assert!(line.starts_with(&format!("{level} restwright::request: {begin} duration_ms=")), "{line}");
        assert!(line.contains(bytes) && line.contains(" client=127.0.0.1 "), "{line}");
        assert_eq!(line.contains(r#"subject="shop""#), key == KEY, "{line}");
        assert!(!line.contains("secret") && !line.contains("4711") && !line.contains("4c8c"), "{line}");
    }
    for (id, path) in [("a10", "/quiet"), ("a11", "/livez"), ("a12", "/readyz")] {
        assert_eq!(server.send("GET", path, &[&format!("X-Request-Id: {id}")]).status(), 200);
        assert_eq!(log().of(id), Vec::<String>::new(), "{path}");
    }
}

#[test]
fn the_subject_is_written_only_when_it_is_allowed_and_the_client_is_that_of_trusted_proxies() {
    let server = start(RequestLog::new());
    server.send("GET", "/pets/1", &["X-Request-Id: b1", "X-Forwarded-For: 203.0.113.7", KEY]);
    let line = log().line("b1");
    assert!(line.contains(" client=203.0.113.7 ") && !line.contains("subject"), "{line}");
}

#[test]
fn one_in_so_many_successes_and_every_failure_have_a_line() {
    let server = start(RequestLog::new().one_in(3));
    for _ in 0..9 {
        server.send("GET", "/quiet", &["X-Request-Id: c1"]);
        server.send("GET", "/nothing", &["X-Request-Id: c2"]);
    }
    assert_eq!((log().of("c1").len(), log().of("c2").len()), (3, 9));
}

#[test]
fn the_level_is_chosen_by_the_status() {
    let server = start(RequestLog::new().level(|status| match status.as_u16() {
        404 => tracing::Level::ERROR,
        _ => tracing::Level::DEBUG,
    }));
    server.send("GET", "/nothing", &["X-Request-Id: d1"]);
    server.send("GET", "/quiet", &["X-Request-Id: d2"]);
    assert!(log().line("d1").starts_with("ERROR "));
    assert_eq!(log().of("d2").len(), 0);
}

#[test]
fn what_does_not_end_has_a_line_too() {
    let server = start(RequestLog::new());
    let connect = |path: &str, id: &str| {
        let mut client = TcpStream::connect(server.address()).unwrap();
        write!(client, "GET {path} HTTP/1.1\r\nHost: t\r\nX-Request-Id: {id}\r\n\r\n").unwrap();
        client
    };
    // A client that leaves a stream.
    let mut client = connect("/endless", "e1");
    client.read_exact(&mut [0; 16]).unwrap();
    assert_eq!(log().of("e1"), Vec::<String>::new());
    drop(client);
    let line = log().line("e1");
    let begin = r#"INFO restwright::request: method="GET" route="/endless" code="client_closed" duration_ms="#;
    assert!(line.starts_with(begin), "{line}");
    // A handler that the stop gives up.
    let client = connect("/slow", "e2");
    sleep(Duration::from_millis(200));
    drop(server);
    let line = log().line("e2");
    assert!(
        line.starts_with(r#"INFO restwright::request: method="GET" route="/slow" code="server_stopped" duration_ms="#),
        "{line}"
    );
    drop(client);
}

/// The members of a line as JSON, each with its number of occurrences.
fn members(line: &str) -> Vec<(String, usize)> {
    let parsed: serde_json::Value = serde_json::from_str(line).unwrap();
    let fields = parsed["fields"].as_object().unwrap().keys();
    fields.map(|name| (name.clone(), line.matches(&format!("\"{name}\":")).count())).collect()
}

#[test]
fn a_line_as_json_has_each_field_once() {
    let lines = Log::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
    tracing::subscriber::with_default(subscriber, || {
        let key = KEY.strip_prefix("X-Api-Key: ").unwrap().parse::<ApiKey>().unwrap().scopes(["read"]);
        let configuration =
            Configuration::new("logged", "1.0.0").authenticator("key", ApiKeyAuthenticator::new(KeyList::new([key])));
        let pets = Route::get("/pets/{id}").id("viewPet").authorize("key", ["read"]);
        let api = Api::builder(configuration)
            .middleware(RequestLog::new())
            .controller(pets.handler(async |pet: ViewPet| Ok(Data(pet.id))))
            .build()
            .unwrap();
        let (name, value) = KEY.split_once(": ").unwrap();
        TestClient::new(api).get("/pets/7").header(name, value).send().assert_status(200);
    });
    let lines = lines.lines_with("restwright::request");
    let [line] = &*lines else { panic!("{lines:?}") };
    assert!(members(line).iter().all(|(_, count)| *count == 1) && !line.contains("span"), "{line}");
    assert!(line.len() <= 320, "{} bytes: {line}", line.len());
}
