//! SIGTERM and SIGINT, to a process of its own.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use restwright_actix::{Host, run};
use restwright_runtime::Api;
use restwright_runtime::core::{Component, ComponentError, Configuration};

use crate::client::Client;

const CHILD: &str = "RESTWRIGHT_TEST_CHILD";

/// Not a test: what the child process runs.
#[test]
fn child() {
    let Ok(grace) = std::env::var(CHILD) else { return };
    let grace = Duration::from_millis(grace.parse().unwrap());
    let bound = Host::new(crate::api::api()).workers(2).grace(grace).bind("127.0.0.1:0").unwrap();
    println!("\nlistening on {}", bound.addresses()[0]);
    run(bound.serve()).unwrap();
    println!("\nstopped");
}

struct Process {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    address: SocketAddr,
}

impl Process {
    fn start(grace: Duration) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "shutdown::child", "--nocapture"])
            .env(CHILD, grace.as_millis().to_string())
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
        Self { child, output, address }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for its end and returns how long that took.
    fn end(mut self) -> Duration {
        let begin = Instant::now();
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        assert!(rest.contains("stopped"), "{rest}");
        begin.elapsed()
    }
}

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: t\r\n\r\n";

#[test]
fn signals_close_idle_connections_at_once_and_let_requests_finish() {
    for signal in ["TERM", "INT"] {
        let process = Process::start(Duration::from_secs(30));
        let mut idle = Client::connect(process.address);
        let mut silent = Client::connect(process.address);
        let mut busy = Client::connect(process.address);
        idle.send(HEALTH).response();
        busy.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n");
        std::thread::sleep(Duration::from_millis(150));
        let address = process.address;
        process.signal(signal);
        let begin = Instant::now();
        assert_eq!(idle.rest(), "");
        assert_eq!(silent.rest(), "");
        assert!(begin.elapsed() < Duration::from_millis(200), "{signal}: {:?}", begin.elapsed());
        while std::net::TcpStream::connect(address).is_ok() {
            assert!(begin.elapsed() < Duration::from_millis(200), "{signal}: still accepts");
        }
        let response = busy.response();
        assert_eq!((response.status, response.header("connection")), (200, Some("close")), "{signal}");
        let took = process.end();
        assert!(took < Duration::from_millis(500), "{signal}: {took:?}");
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
    assert!(took > Duration::from_millis(200) && took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_second_signal_cuts_the_grace_short() {
    let process = Process::start(Duration::from_secs(30));
    let mut busy = Client::connect(process.address);
    busy.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
    std::thread::sleep(Duration::from_millis(100));
    process.signal("TERM");
    std::thread::sleep(Duration::from_millis(100));
    process.signal("TERM");
    assert!(process.end() < Duration::from_secs(2));
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
