//! A process with few file descriptors. Each test starts a process, because the limit holds for a whole process.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use restwright_tests::Log;
use tracing::Level;

use crate::server::Server;

const CHILD: &str = "RESTWRIGHT_TEST_DESCRIPTORS";
const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";

/// Not a test: the code of the child process. It prints the lines of its log.
#[test]
fn child() {
    let Ok(mode) = std::env::var(CHILD) else { return };
    let log = Log::up_to(Level::INFO);
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let server = Server::with(|host| if mode == "exhausted" { host.max_connections(10) } else { host });
    assert_eq!(server.send(HEALTH).status, 200);
    if mode == "exhausted" {
        let stream = TcpStream::connect(server.address()).unwrap();
        let mut files: Vec<_> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
        // Takes the last descriptor, so the server has none for it.
        drop(files.pop());
        let queued = TcpStream::connect(server.address()).unwrap();
        std::thread::sleep(Duration::from_millis(3_500));
        // The server reads the connection that it already has, and accepts no other.
        let mut waiting = stream;
        drop((files, queued));
        waiting.write_all(HEALTH.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
        let mut response = String::new();
        waiting.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        std::thread::sleep(Duration::from_millis(1_500));
        assert_eq!(server.send(HEALTH).status, 200);
    } else {
        // More clients than descriptors. Each newcomer replaces an idle connection.
        let clients: Vec<_> = (0..300)
            .filter_map(|_| {
                let mut client = server.connect();
                assert_eq!(client.send(HEALTH).response().status, 200);
                // Half of the descriptors of this process are for the clients of the test.
                (mode == "kept").then_some(client)
            })
            .collect();
        drop(clients);
    }
    for line in log.take("") {
        println!("line: {line}");
    }
}

/// Returns the warnings and errors of a process, whose soft and hard limits are given.
fn lines(mode: &str, soft: u32, hard: u32) -> Vec<String> {
    let script =
        format!(r#"ulimit -Sn {soft} && ulimit -Hn {hard} && exec "$0" --exact descriptors::child --nocapture"#);
    let mut command = Command::new("bash");
    let output = command.args(["-c", &script]).arg(std::env::current_exe().unwrap()).env(CHILD, mode).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let lines = text.lines().filter_map(|line| Some(line.split_once("line: ")?.1.to_owned()));
    lines.filter(|line| !line.starts_with("INFO actix_server") && !line.contains("listening")).collect()
}

#[test]
fn a_low_hard_limit_lowers_the_number_of_connections() {
    let lines = lines("", 200, 200);
    let [line] = &lines[..] else { panic!("{lines:?}") };
    for part in [
        "WARN restwright_actix::descriptors:",
        "max_connections=10000",
        "possible=100",
        "open_files=200",
        "LimitNOFILE=",
    ] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn a_low_soft_limit_is_raised() {
    assert_eq!(lines("", 200, 20_000), [""; 0]);
}

#[test]
fn a_process_without_descriptors_waits_and_has_one_line() {
    let lines = lines("exhausted", 200, 200);
    let of_actix = lines.iter().filter(|line| line.contains("actix_server")).count();
    assert!(of_actix <= 3, "{lines:?}");
    let own: Vec<_> = lines.iter().filter(|line| line.contains("restwright_actix")).collect();
    let [begin, end] = &own[..] else { panic!("{lines:?}") };
    for part in ["ERROR", "no connection is accepted", "RLIMIT_NOFILE", "LimitNOFILE="] {
        assert!(begin.contains(part), "{begin}");
    }
    assert!(end.contains("INFO") && end.contains("connections are accepted again"), "{end}");
}
