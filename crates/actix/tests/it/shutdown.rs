//! SIGTERM and SIGINT, to a separate process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use restwright_actix::{Host, run};
use restwright_runtime::Api;
use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::{
    BuildContext, BuildErrors, Component, ComponentError, Configuration, Data, Part, Reader, Request, Route, StopSignal,
};

use crate::client::{Client, NEVER, PATIENCE};

const CHILD: &str = "RESTWRIGHT_TEST_CHILD";
/// How its stop is out of the ordinary.
const STUCK: &str = "RESTWRIGHT_TEST_STUCK";

/// Not a test: what the child process runs.
#[test]
fn child() {
    let Ok(grace) = std::env::var(CHILD) else { return };
    let grace = Duration::from_millis(grace.parse().unwrap());
    let api = match std::env::var(STUCK).as_deref() {
        Ok("waits") => crate::api::builder().component(Stuck { blocks: false }).build().unwrap(),
        Ok("blocks") => crate::api::builder().component(Stuck { blocks: true }).build().unwrap(),
        _ => crate::api::api(),
    };
    let drain = if std::env::var(STUCK).as_deref() == Ok("drains") { NEVER } else { Duration::ZERO };
    // Only the stop ends a request whose body does not arrive.
    let host = Host::new(api).workers(2).body_timeout(NEVER).minimum_body_rate(0);
    let bound = host.drain(drain).grace(grace).bind("127.0.0.1:0").unwrap();
    println!("\nlistening on {}", bound.addresses()[0]);
    match run(bound.serve()) {
        Ok(()) => println!("\nstopped"),
        Err(error) => println!("\n{error}"),
    }
}

/// Never stops.
struct Stuck {
    blocks: bool,
}

impl Component for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    async fn stop(&self) {
        if self.blocks {
            loop {
                std::thread::park();
            }
        }
        std::future::pending::<()>().await;
    }
}

struct Process {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    address: SocketAddr,
}

impl Process {
    fn start(grace: Duration) -> Self {
        Self::start_with(grace, "")
    }

    fn start_with(grace: Duration, stuck: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "shutdown::child", "--nocapture"])
            .env(CHILD, grace.as_millis().to_string())
            .env(STUCK, stuck)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the child ended early");
            if let Some(address) = line.trim().strip_prefix("listening on ") {
                break address.parse().unwrap();
            }
        };
        // Until it serves, a signal ends it as usual.
        assert_eq!(Client::connect(address).send(HEALTH).response().status, 200);
        Self { child, output, address }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for its end and returns how long that took.
    fn end(self) -> Duration {
        self.end_with("\nstopped\n")
    }

    fn end_with(mut self, line: &str) -> Duration {
        let begin = Instant::now();
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        assert!(rest.contains(line), "{rest}");
        begin.elapsed()
    }
}

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: t\r\n\r\n";

#[test]
fn signals_close_idle_connections_at_once_and_let_requests_finish() {
    for signal in ["TERM", "INT"] {
        let process = Process::start(NEVER);
        let mut idle = Client::connect(process.address);
        let mut silent = Client::connect(process.address);
        let mut late = Client::connect(process.address);
        let mut busy = Client::connect(process.address);
        idle.send(HEALTH).response();
        busy.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
        std::thread::sleep(Duration::from_millis(150));
        let address = process.address;
        process.signal(signal);
        let begin = Instant::now();
        // All of this happens before the last request has its body.
        assert_eq!(idle.rest(), "");
        // A new connection may still send its first request.
        late.send(HEALTH);
        let response = late.response();
        assert_eq!((response.status, response.header("connection")), (200, Some("close")), "{signal}");
        // While the server stops to listen, the system ignores a client, which connects again after a second.
        while std::net::TcpStream::connect(address).is_ok() {
            assert!(begin.elapsed() < PATIENCE, "{signal}: still accepts");
        }
        assert_eq!(silent.rest(), "");
        let response = busy.send("defghi").response();
        assert_eq!((response.status, response.header("connection")), (200, Some("close")), "{signal}");
        let took = process.end();
        assert!(took < PATIENCE, "{signal}: {took:?}");
    }
}

#[test]
fn the_grace_ends() {
    let process = Process::start(Duration::from_millis(300));
    let mut busy = Client::connect(process.address);
    busy.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
    std::thread::sleep(Duration::from_millis(100));
    process.signal("TERM");
    let took = process.end();
    assert!(took > Duration::from_millis(200) && took < PATIENCE, "{took:?}");
}

#[test]
fn a_second_signal_cuts_the_grace_short() {
    let process = Process::start(NEVER);
    let mut busy = Client::connect(process.address);
    busy.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
    std::thread::sleep(Duration::from_millis(100));
    process.signal("TERM");
    std::thread::sleep(Duration::from_millis(100));
    process.signal("TERM");
    assert!(process.end() < PATIENCE);
}

#[test]
fn a_drain_closes_each_connection_after_a_response_and_a_second_signal_ends_it() {
    let process = Process::start_with(NEVER, "drains");
    let mut idle = Client::connect(process.address);
    idle.send(HEALTH).response();
    process.signal("TERM");
    std::thread::sleep(Duration::from_millis(300));
    for client in [&mut idle, &mut Client::connect(process.address)] {
        let response = client.send(HEALTH).response();
        assert_eq!((response.status, response.header("connection")), (200, Some("close")));
        assert_eq!(client.rest(), "");
    }
    let mut idle = Client::connect(process.address);
    process.signal("TERM");
    assert_eq!(idle.rest(), "");
    assert!(process.end() < PATIENCE);
}

const GIVEN_UP: &str = "the component `stuck` was abandoned while stopping: it did not stop in time";

#[test]
fn a_component_that_does_not_stop_ends_with_the_grace_and_is_named() {
    for stuck in ["waits", "blocks"] {
        let process = Process::start_with(Duration::from_millis(100), stuck);
        process.signal("TERM");
        let took = process.end_with(GIVEN_UP);
        // Components have at least 5 s, also after a short grace.
        assert!(took > Duration::from_secs(3) && took < Duration::from_secs(25), "{stuck}: {took:?}");
    }
}

#[test]
fn a_signal_ends_the_time_of_components_at_once() {
    for stuck in ["waits", "blocks"] {
        let process = Process::start_with(NEVER, stuck);
        process.signal("TERM");
        std::thread::sleep(Duration::from_millis(300));
        process.signal("TERM");
        let took = process.end_with(GIVEN_UP);
        assert!(took < PATIENCE, "{stuck}: {took:?}");
    }
}

#[test]
fn a_stream_until_the_stop_ends_with_it_and_another_has_the_grace() {
    let process = Process::start(NEVER);
    let mut events = Client::connect(process.address);
    events.send("GET /events HTTP/1.1\r\nHost: t\r\n\r\n");
    let mut endless = Client::connect(process.address);
    endless.send("GET /endless HTTP/1.1\r\nHost: t\r\n\r\n");
    std::thread::sleep(Duration::from_millis(300));
    process.signal("TERM");
    // It ends with the last chunk, so nothing is missing.
    assert_eq!(events.response().text(), "data: 1\n\n");
    assert_eq!(events.rest(), "");
    drop(endless);
    assert!(process.end() < PATIENCE);
}

#[test]
fn an_open_event_stream_does_not_hold_the_stop() {
    let process = Process::start(NEVER);
    let mut events = Client::connect(process.address);
    events.send("GET /events HTTP/1.1\r\nHost: t\r\n\r\n");
    std::thread::sleep(Duration::from_millis(300));
    process.signal("TERM");
    assert!(process.end() < PATIENCE);
}

/// Waits for the stop, and responds with the readiness of its Api then.
#[test]
fn a_handler_sees_the_stop_and_the_readiness_before_its_connection_closes() {
    let built: Arc<OnceLock<Api>> = Arc::default();
    let seen = built.clone();
    let watch = Route::get("/watch").id("watch").public().handler(async move |stop: Watch| {
        let ready = async || seen.get().unwrap().ready().await.map_err(|failures| failures[0].to_string());
        assert_eq!((stop.0.is_stopping(), ready().await), (false, Ok(())));
        stop.0.stopping().await;
        Ok(Data(ready().await.unwrap_err()))
    });
    let api = Api::builder(Configuration::new("test", "1.0.0")).controller(watch);
    let api = api.when_built(move |api| drop(built.set(api.clone()))).build().unwrap();
    let bound = Host::new(api.clone()).workers(1).grace(NEVER).bind("127.0.0.1:0").unwrap();
    let mut client = Client::connect(bound.addresses()[0]);
    let (stop, thread) = crate::server::serve(bound);
    client.send("GET /watch HTTP/1.1\r\nHost: t\r\n\r\n");
    std::thread::sleep(Duration::from_millis(300));
    stop.stop();
    let response = client.response();
    assert_eq!(response.text(), r#"{"data":"the component `server` is not ready: the server is stopping"}"#);
    assert_eq!(client.rest(), "");
    thread.join().unwrap().unwrap();
    assert!(api.stop_signal().is_stopping());
}

/// A request that has the signal.
struct Watch(StopSignal);

impl Request for Watch {
    type Plan = StopSignal;

    fn plan(context: &mut BuildContext<'_>) -> Result<StopSignal, BuildErrors> {
        <StopSignal as Part>::plan(context)
    }

    fn describe(_: &StopSignal, _: &mut Operation) {}

    async fn read(plan: &StopSignal, reader: &mut Reader<'_>) -> restwright_runtime::core::Result<Option<Self>> {
        Ok(reader.part::<StopSignal>(plan).map(Self))
    }
}

/// Notes what happens to it.
struct Noted(&'static str, std::sync::mpsc::Sender<String>, bool);

impl Component for Noted {
    fn name(&self) -> &str {
        self.0
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.1.send(format!("start {}", self.0)).unwrap();
        if self.2 { Err("cannot".into()) } else { Ok(()) }
    }

    async fn stop(&self) {
        self.1.send(format!("stop {}", self.0)).unwrap();
    }
}

#[test]
fn components_start_before_and_stop_in_reverse_after() {
    let (sender, notes) = std::sync::mpsc::channel();
    let api = Api::builder(Configuration::new("test", "1.0.0"));
    let api = api.component(Noted("a", sender.clone(), false)).component(Noted("b", sender, false));
    let bound = Host::new(api.build().unwrap()).workers(1).bind("127.0.0.1:0").unwrap();
    let (stop, thread) = crate::server::serve(bound);
    stop.stop();
    thread.join().unwrap().unwrap();
    assert_eq!(notes.try_iter().collect::<Vec<_>>(), ["start a", "start b", "stop b", "stop a"]);
}

#[test]
fn a_component_that_cannot_start_is_an_error() {
    let (sender, notes) = std::sync::mpsc::channel();
    let api = Api::builder(Configuration::new("test", "1.0.0"));
    let api = api.component(Noted("a", sender.clone(), false)).component(Noted("b", sender, true));
    let bound = Host::new(api.build().unwrap()).workers(1).bind("127.0.0.1:0").unwrap();
    let error = run(bound.serve()).unwrap_err();
    assert!(error.to_string().contains("`b`"), "{error}");
    assert_eq!(notes.try_iter().collect::<Vec<_>>(), ["start a", "start b", "stop a"]);
}

/// Sends requests on kept connections during a stop. No connection may close without an announcement while it is in use.
#[test]
fn a_drain_loses_no_request_on_a_kept_connection() {
    let bound = Host::new(crate::api::api()).workers(2).drain(Duration::from_millis(600)).bind("127.0.0.1:0").unwrap();
    let address = bound.addresses()[0];
    let (stop, thread) = crate::server::serve(bound);
    let clients = (0..8).map(|number| {
        std::thread::spawn(move || {
            let mut random = crate::random::Random::new(number);
            let (mut responses, mut announced) = (0, 0);
            let mut client = Client::connect(address);
            loop {
                client.send(HEALTH);
                let response = client.try_response().expect("a request on a kept connection was lost");
                responses += 1;
                std::thread::sleep(Duration::from_millis(u64::try_from(random.below(10)).unwrap()));
                if response.header("connection") == Some("close") {
                    announced += 1;
                    match std::net::TcpStream::connect_timeout(&address, Duration::from_secs(1)) {
                        // A balancer sends no more new connections after a while.
                        Ok(_) if announced < 4 => client = Client::connect(address),
                        _ => return (responses, announced),
                    }
                }
            }
        })
    });
    let clients: Vec<_> = clients.collect();
    std::thread::sleep(Duration::from_millis(200));
    stop.stop();
    for client in clients {
        let (responses, announced) = client.join().unwrap();
        assert!(responses > 4 && announced == 4, "{responses} responses, {announced} announcements");
    }
    thread.join().unwrap().unwrap();
}
