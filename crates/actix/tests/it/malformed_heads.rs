//! What the log has of heads that are not HTTP, which anybody can send.

use std::io::Read;
use std::process::Command;

use restwright_actix::Host;
use restwright_tests::Log;
use tracing::Level;

use crate::client::Client;

const CHILD: &str = "RESTWRIGHT_TEST_MALFORMED";

/// Not a test: the code of the child process, which has a separate log.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let log = Log::up_to(Level::INFO);
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let bound = Host::new(crate::api::api()).workers(1).bind("127.0.0.1:0").unwrap();
    let address = bound.addresses()[0];
    let (stop, thread) = crate::server::serve(bound);
    let large = format!("GET / HTTP/1.1\r\nHost: t\r\nX: {}", "x".repeat(140_000));
    for _ in 0..100 {
        for head in [
            "\x16\x03\x01\x02\x00\x01\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: t\r\nbad header\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            &large,
            &format!("GET /health HTTP/1.1\r\nHost: t\r\n\r\n{large}"),
        ] {
            let mut client = Client::connect(address);
            client.try_send(head);
            // The connection may be reset, which is no matter here.
            let _ = client.stream().read(&mut [0; 1024]);
        }
    }
    stop.stop();
    thread.join().unwrap().unwrap();
    for line in log.take("") {
        println!("{line}");
    }
}

#[test]
fn of_heads_that_are_not_http_only_tls_has_a_line() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "malformed_heads::child", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    let output = String::from_utf8_lossy(&child.stdout);
    let lines = output.lines().filter(|line| line.contains(" message=") && !line.contains(" actix_server"));
    let lines: Vec<_> = lines.collect();
    let tls: Vec<_> = lines.iter().filter(|line| line.contains("a client began a TLS handshake")).collect();
    assert!(matches!(&*tls, [line] if line.contains("clients=1") && line.contains("INFO")), "{tls:#?}");
    assert_eq!(lines.len(), 3, "it begins to listen and to stop: {lines:#?}");
}
