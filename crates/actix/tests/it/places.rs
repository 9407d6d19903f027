//! The cap on connections.

use std::io::Read;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use restwright_actix::Host;
use restwright_runtime::core::report::SampleValue;
use restwright_tests::Log;
use tracing::Level;

use crate::client::{Client, NEVER, PATIENCE};
use crate::server::Server;

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: t\r\n\r\n";
const LIVE: &str = "GET /live HTTP/1.1\r\nHost: t\r\n\r\n";
const ENDLESS: &str = "GET /pending HTTP/1.1\r\nHost: t\r\n\r\n";
const SLOW: &str = "GET /slow HTTP/1.1\r\nHost: t\r\n\r\n";

fn with_places(places: usize) -> Server {
    Server::with(|host| host.max_connections(places))
}

fn is_open(client: &mut Client) -> bool {
    client.try_send(HEALTH) && client.try_response().is_some_and(|response| response.status == 200)
}

#[test]
fn the_longest_idle_connection_gives_way() {
    let server = with_places(4);
    let mut clients: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for number in [2, 0, 3, 1, 3, 0] {
        clients[number].send(HEALTH).response();
    }
    for longest_idle in [2, 1, 3, 0] {
        let mut newcomer = server.connect();
        assert_eq!(newcomer.send(HEALTH).response().status, 200);
        assert_eq!(clients[longest_idle].rest(), "", "number {longest_idle} is closed");
        clients.push(newcomer);
    }
    assert!(clients[4..].iter_mut().all(is_open), "nobody else is closed");
    assert_eq!(server.newcomers(), [SampleValue::Gauge(0.0), SampleValue::Counter(0)], "no newcomer waits");
}

#[test]
fn a_connection_that_never_sent_a_byte_gives_way() {
    let server = with_places(2);
    let (mut silent, mut active) = (server.connect(), server.connect());
    // A request under way, so that the silent connection alone can give way.
    active.send("GET /heal");
    assert_eq!(server.send(HEALTH).status, 200);
    assert_eq!(silent.rest(), "");
    assert_eq!(active.send("th HTTP/1.1\r\nHost: t\r\n\r\n").response().status, 200);
}

#[test]
fn a_request_under_way_keeps_its_connection() {
    // No client is late or slow.
    let patient = |host: Host| host.head_timeout(NEVER).body_timeout(NEVER).minimum_body_rate(0);
    let server = Server::with(|host| patient(host.max_connections(4)));
    let mut busy: Vec<_> = (0..4).map(|_| server.connect()).collect();
    busy[0].send("GET /heal");
    busy[1].send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\na");
    busy[2].send(SLOW.to_owned() + SLOW);
    busy[3].send(SLOW);
    std::thread::sleep(Duration::from_millis(50));
    let begin = Instant::now();
    // All wait until the slow response, whose connection then closes, and so does theirs one after the other.
    let mut newcomers: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for newcomer in &mut newcomers {
        newcomer.send("GET /health HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
    }
    for newcomer in &mut newcomers {
        // After 5 s without an idle connection, it is a 503.
        assert_eq!(newcomer.response().status, 200);
    }
    assert!(begin.elapsed() > Duration::from_millis(200), "no place was free before");
    assert_eq!((busy[3].response().status, busy[3].rest()), (200, String::new()));
    assert_eq!([busy[2].response().status, busy[2].response().status], [200, 200]);
    assert_eq!(busy[1].send("bc").response().text(), "abc");
    assert_eq!(busy[0].send("th HTTP/1.1\r\nHost: t\r\n\r\n").response().status, 200);
}

/// Returns a server and the clients that occupy all its places. A client that is dropped resets its connection, because it has
/// not read its first response.
fn full(settings: impl FnOnce(Host) -> Host) -> (Server, Vec<Client>) {
    let server = Server::with(|host| settings(host.max_connections(2).grace(Duration::ZERO)));
    let busy = (0..2).map(|_| {
        let mut client = server.connect();
        client.send(HEALTH.to_owned() + ENDLESS);
        client.stream().peek(&mut [0]).unwrap();
        client
    });
    let busy = busy.collect();
    (server, busy)
}

#[test]
fn a_full_server_handles_health_checks() {
    let (server, _busy) = full(|host| host);
    let begin = Instant::now();
    // A probe that waits for a place needs at least a second.
    for _ in 0..100 {
        let mut probe = server.connect();
        let response = probe.send(LIVE.to_owned() + LIVE).response();
        assert_eq!((response.status, response.header("connection")), (200, Some("close")));
        assert_eq!(probe.rest(), "", "the connection has one request");
        assert!(begin.elapsed() < PATIENCE);
    }
}

#[test]
fn newcomers_of_a_full_server_do_not_keep_health_checks_out() {
    let unread_body = LIVE.replace("\r\n\r\n", "\r\nContent-Length: 5\r\n\r\n");
    let waits = |begin: &str| {
        let (server, _busy) = full(|host| host.body_timeout(Duration::from_millis(400)));
        let mut newcomers: Vec<_> = (0..4).map(|_| server.connect()).collect();
        newcomers.iter_mut().for_each(|newcomer| _ = newcomer.send(begin));
        std::thread::sleep(Duration::from_millis(50));
        let waits = Instant::now();
        assert_eq!(server.send(LIVE).status, 200, "{begin}");
        waits.elapsed()
    };
    for begin in ["", "GET /li", &unread_body, "GET /live", "no HTTP\r\n\r\n"] {
        // Without places for health checks, the server rejects newcomers after 5 s.
        restwright_tests::is_quick(begin, Duration::from_secs(3), || waits(begin));
    }
}

#[test]
fn a_server_without_completed_requests_rejects_newcomers_after_five_seconds() {
    let (server, mut busy) = full(|host| host);
    let begin = Instant::now();
    let mut newcomers: Vec<_> = (0..40).map(|_| server.connect()).collect();
    newcomers.iter_mut().for_each(|newcomer| _ = newcomer.send(HEALTH));
    for (number, newcomer) in newcomers.iter_mut().enumerate() {
        let response = newcomer.response();
        assert_eq!((response.status, response.header("retry-after")), (503, Some("1")));
        assert_eq!(response.header("connection"), Some("close"));
        assert!(response.text().contains("The server is at its maximum number of connections."));
        assert!(begin.elapsed() >= Duration::from_secs(5), "number {number}");
    }
    // If each four of them waited, it would be 50 s.
    assert!(begin.elapsed() < Duration::from_secs(30), "only the first newcomers wait: {:?}", begin.elapsed());
    assert_eq!(server.send(LIVE).status, 200);
    busy.pop();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.send(HEALTH).status, 200);
}

/// Sends pieces of a request until the server closes or the pieces end. There is a pause before each piece until `hurries`.
fn trickle(
    mut client: Client,
    begin: &str,
    piece: &str,
    count: usize,
    hurries: &Arc<AtomicBool>,
) -> JoinHandle<Client> {
    client.send(begin);
    let (piece, hurries) = (piece.to_owned(), hurries.clone());
    std::thread::spawn(move || {
        for _ in 0..count {
            if !hurries.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
            }
            if !client.try_send(&piece) {
                break;
            }
        }
        client
    })
}

#[test]
fn the_slowest_client_gives_way() {
    let body = |length: usize| format!("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: {length}\r\n\r\n");
    // A head, and a body above the minimum rate.
    let slow = [("GET /health HTTP/1.1\r\nHost: t\r\n".to_owned(), "X-Field: 1\r\n"), (body(90_000), &"x".repeat(150))];
    for (begin, piece) in slow {
        let server = with_places(2);
        let (hurries, waits) = (Arc::default(), Instant::now());
        // Five times the minimum rate, for 30 s.
        let fast = trickle(server.connect(), &body(90_000), &"x".repeat(600), 150, &hurries);
        let slow = trickle(server.connect(), &begin, piece, 30, &hurries);
        std::thread::sleep(Duration::from_millis(100));
        // If no connection closes within 5 s, it is a 503.
        assert_eq!(server.send(HEALTH).status, 200, "{begin}");
        assert!(waits.elapsed() > Duration::from_secs(1), "{begin}: {:?}", waits.elapsed());
        hurries.store(true, Ordering::Relaxed);
        assert_eq!(fast.join().unwrap().response().text().len(), 90_000);
        drop(slow.join());
    }
}

/// The system buffers megabytes of a response, so its client is not slow until the time limit of a body.
#[test]
fn a_newcomer_next_to_a_response_that_is_not_read_waits_for_the_other_connection() {
    let server = Server::with(|host| host.max_connections(2).body_timeout(NEVER));
    let mut unread = server.connect();
    unread.send("GET /endless HTTP/1.1\r\nHost: t\r\n\r\n");
    unread.stream().peek(&mut [0]).unwrap();
    let mut busy = server.connect();
    busy.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\na");
    let mut newcomer = server.connect();
    newcomer.send(HEALTH);
    assert_eq!(busy.send("bc").response().text(), "abc");
    assert_eq!(newcomer.response().status, 200);
    let mut status = [0; 12];
    unread.stream().read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
}

#[test]
fn newcomers_that_wait_are_counted() {
    let (server, mut busy) = full(|host| host);
    assert_eq!(server.newcomers(), [SampleValue::Gauge(0.0), SampleValue::Counter(0)]);
    let mut newcomer = server.connect();
    newcomer.send(HEALTH);
    let begin = Instant::now();
    while server.newcomers() != [SampleValue::Gauge(1.0), SampleValue::Counter(1)] {
        assert!(begin.elapsed() < PATIENCE, "{:?}", server.newcomers());
    }
    busy.pop();
    assert_eq!(newcomer.response().status, 200);
    assert_eq!(server.newcomers(), [SampleValue::Gauge(0.0), SampleValue::Counter(1)]);
}

const CHILD: &str = "RESTWRIGHT_TEST_NEWCOMERS";
const NEWCOMERS: usize = 3;

/// Runs in a separate process, because its log is the log of the process.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let log = Log::up_to(Level::WARN);
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let server = with_places(1);
    assert_eq!(server.send(HEALTH).status, 200);
    // A newcomer for which an idle connection closes does not wait.
    let mut idle = server.connect();
    assert!(is_open(&mut idle) && is_open(&mut server.connect()));
    for line in log.take("") {
        println!("early: {line}");
    }
    for _ in 0..NEWCOMERS {
        let mut busy = server.connect();
        busy.send(SLOW);
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(server.send(HEALTH).status, 200);
    }
    for line in log.take("") {
        println!("line: {line}");
    }
}

#[test]
fn newcomers_that_wait_are_in_the_log_once() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let child = command.args(["--exact", "places::child", "--nocapture"]).env(CHILD, "1").output().unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    let output = String::from_utf8(child.stdout).unwrap();
    let lines: Vec<_> = output.lines().filter(|line| line.contains("line: ") || line.contains("early: ")).collect();
    let [line] = lines[..] else { panic!("{output}") };
    assert!(line.contains("line: WARN restwright_actix::connection::connections:"), "{line}");
    for field in [
        "max_connections=1",
        "newcomers=1",
        "message=new connections are waiting because all connections have requests",
    ] {
        assert!(line.contains(field), "{line}");
    }
}

#[test]
fn an_address_has_so_many_connections() {
    let server = Server::with(|host| host.max_connections_per_address(2));
    let mut first = server.connect();
    let mut second = server.connect();
    assert!(is_open(&mut first) && is_open(&mut second));
    assert!(!is_open(&mut server.connect()), "the third is closed");
    drop(first);
    let begin = Instant::now();
    while !is_open(&mut server.connect()) {
        assert!(begin.elapsed() < PATIENCE, "another may take the place of one that is closed");
    }
    assert!(is_open(&mut second));
}

#[test]
fn a_crowd_of_newcomers_is_served() {
    let server = with_places(8);
    let mut idle: Vec<_> = (0..8).map(|_| server.connect()).collect();
    idle.iter_mut().for_each(|client| assert!(is_open(client)));
    let begin = Instant::now();
    for _ in 0..500 {
        let mut client = server.connect();
        assert_eq!(client.send(HEALTH).response().status, 200);
        idle.push(client);
    }
    assert!(begin.elapsed() < PATIENCE, "newcomers wait");
    let open = idle.iter_mut().skip(500).filter_map(|client| is_open(client).then_some(())).count();
    assert_eq!(open, 8, "as many as there are places");
}

#[test]
fn listeners_share_the_places() {
    let addresses: Vec<_> =
        (0..2).map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()).collect();
    let host = Host::new(crate::api::api()).workers(1).max_connections(2);
    let bound = host.bind(&addresses[..]).unwrap();
    let (stop, thread) = crate::server::serve(bound);
    let mut first = Client::connect(addresses[0]);
    let mut second = Client::connect(addresses[1]);
    assert!(is_open(&mut first) && is_open(&mut second));
    let mut third = Client::connect(addresses[1]);
    assert!(is_open(&mut third));
    assert_eq!(first.rest(), "");
    assert!(is_open(&mut second));
    stop.stop();
    thread.join().unwrap().unwrap();
}

#[test]
fn serves_a_newcomer_that_waits_when_the_stop_begins() {
    let server = Server::with(|host| host.max_connections(1).grace(NEVER));
    let mut busy = server.connect();
    busy.send(SLOW);
    std::thread::sleep(Duration::from_millis(50));
    let mut newcomer = server.connect();
    newcomer.send(HEALTH);
    let begin = Instant::now();
    server.stop();
    assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    assert_eq!(busy.response().status, 200);
    let response = newcomer.response();
    assert_eq!((response.status, response.header("connection")), (200, Some("close")));
}
