//! Tests the connection to Redis over TLS.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::fake::{ADMITTED, Fake};
use super::*;

/// Tests which server certificates are trusted. The trusted roots are read from the environment, so each case runs in a
/// separate process.
#[test]
fn the_server_needs_a_certificate_that_the_system_trusts() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let over_tls = move |stream| StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
    let roots = std::env::temp_dir().join(format!("restwright-test-roots-{}.pem", std::process::id()));
    for (root, host, expected) in [
        (&made, "localhost", "outcome: admitted"),
        (&made, "127.0.0.1", "certificate not valid for name"),
        (&other, "localhost", "invalid peer certificate"),
    ] {
        let fake = Fake::over(over_tls.clone(), [(ADMITTED, 1)]);
        let url = format!("rediss://{}", fake.address.replace("127.0.0.1", host));
        std::fs::write(&roots, root.cert.pem()).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "redis::tests::tls::one_request", "--nocapture"]);
        let output = command.env("SSL_CERT_FILE", &roots).env("RESTWRIGHT_TEST_URL", url).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(expected), "{host}: {text}");
    }
    std::fs::remove_file(roots).unwrap();
}

/// Sends one request over TLS. The test above runs this test in separate processes.
#[tokio::test]
async fn one_request() {
    let Ok(url) = std::env::var("RESTWRIGHT_TEST_URL") else { return };
    let quota = Quota::per_minute(60);
    let store = RedisLimiter::new(&url, WhenUnavailable::FailClosed).timeout(Duration::from_secs(10));
    match store.run(&[charge("a", quota, 1)], None).await {
        Ok(_) => println!("outcome: admitted"),
        Err(error) => println!("outcome: {error}"),
    }
}
