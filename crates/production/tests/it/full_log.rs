//! A log on a full disk, in a separate process.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use restwright::Host;
use restwright::prelude::*;
use restwright::production::{LogOutput, Metrics, RequestLog};

static IS_FULL: AtomicBool = AtomicBool::new(false);
const CHILD: &str = "RESTWRIGHT_TEST_FULL_LOG";

/// Not a test: the server, whose log and stderr are full.
#[test]
fn child() {
    let Ok(output) = std::env::var(CHILD) else { return };
    let full =
        || File::options().write(true).open(if IS_FULL.load(Ordering::Relaxed) { "/dev/full" } else { "/dev/null" });
    let full = move || full().unwrap();
    match output.as_str() {
        "plain" => tracing_subscriber::fmt().with_writer(full).init(),
        _ => tracing_subscriber::fmt().with_writer(move || LogOutput::new(full())).init(),
    }
    let api = Api::builder(Configuration::new("test", "1.0.0"))
        .middleware(RequestLog::new())
        .module(&Metrics::new().public())
        .controller(Route::get("/fill").id("fill").public().handler(async |()| {
            IS_FULL.store(true, Ordering::Relaxed);
            Ok(NoContent)
        }))
        .controller(Route::get("/ok").id("ok").public().handler(async |()| Ok(Data("ok"))))
        .controller(
            Route::get("/down")
                .id("down")
                .public()
                .handler(async |()| -> Result<NoContent> { Err(Problem::unavailable("the database is down")) }),
        )
        .controller(
            Route::get("/wrong").id("wrong").public().handler(async |()| -> Result<NoContent> { panic!("wrong") }),
        )
        .build()
        .unwrap();
    let bound = Host::new(api).workers(1).bind("127.0.0.1:0").unwrap();
    println!("\nlistening on {}", bound.addresses()[0]);
    restwright::run(bound.serve()).unwrap();
    println!("\nstopped");
}

#[test]
fn a_log_that_cannot_be_written_changes_no_response() {
    for output in ["plain", "counted"] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "full_log::child", "--nocapture"])
            .env(CHILD, output)
            .stdout(Stdio::piped())
            .stderr(File::options().write(true).open("/dev/full").unwrap())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(std::result::Result::unwrap);
        let address = lines.find_map(|line| Some(line.strip_prefix("listening on ")?.parse().unwrap())).unwrap();
        for (path, status) in
            [("/fill", 204), ("/ok", 200), ("/down", 503), ("/wrong", 500), ("/nowhere", 404), ("/ok", 200)]
        {
            let response = get(address, path);
            assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{output} {path}: {response}");
        }
        let metrics = get(address, "/metrics");
        let lost = metrics
            .lines()
            .find_map(|line| line.strip_prefix("server_log_lines_lost_total{component=\"server\"} "))
            .unwrap();
        assert!(lost.parse::<f64>().unwrap() >= 7.0, "{output}: {lost} lines");
        if output == "plain" {
            // The libraries below write to the log while they stop, and panic.
            child.kill().unwrap();
            child.wait().unwrap();
            continue;
        }
        Command::new("kill").arg(child.id().to_string()).status().unwrap();
        assert!(lines.any(|line| line == "stopped"), "{output}: it did not stop in order");
        assert!(child.wait().unwrap().success(), "{output}");
    }
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}
