//! A collector over TLS, with certificates that the test makes.

use std::process::Command;

use restwright::production::Otlp;
use restwright_tests::Authority;

use super::collector::Collector;
use super::{outgoing, start};
use crate::request_log::log;

const URL: &str = "RESTWRIGHT_TEST_COLLECTOR";

/// Not a test: it exports one span in a separate process, since trusted authorities are read from the environment.
#[test]
fn child() {
    let Ok(url) = std::env::var(URL) else { return };
    let server = start(Otlp::new(&url), None);
    outgoing(&server, &[]);
    // Stopping waits for the export.
    drop(server);
    println!("lines: {:?}", log().lines_with(&url));
}

#[test]
fn a_collector_needs_a_certificate_that_is_trusted_for_its_host() {
    const HERE: &str = "127.0.0.1";
    let (ours, other) = (Authority::new("ours"), Authority::new("other"));
    let roots = std::env::temp_dir().join(format!("restwright-otlp-tls-{}.pem", std::process::id()));
    for (trusted, name, reason) in [
        (&ours, HERE, None),
        (&other, HERE, Some("UnknownIssuer")),
        (&ours, "collector.example.com", Some("not valid for name")),
    ] {
        let collector = Collector::over_tls(ours.server(name, 2100));
        std::fs::write(&roots, trusted.pem()).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "otlp::tls::child", "--nocapture"]).env("SSL_CERT_FILE", &roots);
        let output = command.env(URL, collector.url().replace("http:", "https:")).output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        assert_eq!(collector.spans().len(), usize::from(reason.is_none()), "{output}");
        match reason {
            Some(reason) => assert!(output.contains("spans cannot be exported") && output.contains(reason), "{output}"),
            None => assert!(output.contains("lines: []"), "{output}"),
        }
    }
    std::fs::remove_file(roots).unwrap();
}
