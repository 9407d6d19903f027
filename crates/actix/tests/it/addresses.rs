//! What a server without a `tracing` subscriber prints.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use restwright_actix::{run, serve};

const CHILD: &str = "RESTWRIGHT_TEST_ADDRESSES_CHILD";

/// Not a test: the code of the child process, which serves until it is killed.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_some() {
        run(serve(crate::api::api(), "127.0.0.1:0")).unwrap();
    }
}

#[test]
fn prints_its_address_without_a_subscriber() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "addresses::child", "--nocapture"])
        .env(CHILD, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let line = line.trim_end();
    let address = line.strip_prefix("listening on 127.0.0.1:").unwrap_or_else(|| panic!("{line}"));
    assert!(address.ends_with("; there are no logs without a tracing subscriber"), "{line}");
}
