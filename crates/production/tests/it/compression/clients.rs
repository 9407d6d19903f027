//! What other programs decode and encode.

use std::io::Write;
use std::process::{Command, Stdio};

use restwright_tests::skip;

use super::{server, text};

/// The output of a program; `None` if it is not here.
fn output(program: &str, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    let child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            skip(format_args!("{program}: {error}"));
            return None;
        }
    };
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

#[test]
fn curl_decodes() {
    let server = server();
    let Some(version) = output("curl", &["--version"], b"") else { return };
    let version = String::from_utf8(version).unwrap();
    for (coding, feature) in [("gzip", "libz"), ("br", "brotli"), ("zstd", "zstd")] {
        if !version.contains(feature) {
            skip(format_args!("curl was built without {feature}"));
            continue;
        }
        let accept = format!("Accept-Encoding: {coding}");
        for (path, expected) in [("/text/5000", 5000), ("/text/1000000", 1_000_000), ("/pieces", 300_000)] {
            let url = format!("http://{}{path}", server.address());
            let decoded = output("curl", &["-sS", "--compressed", "-H", &accept, &url], b"").unwrap();
            assert!(decoded == text(expected), "{coding} {path}: {}", decoded.len());
            let sent = output("curl", &["-sS", "-H", &accept, &url], b"").unwrap();
            assert!(sent.len() < expected / 2, "{coding} {path}: {}", sent.len());
        }
    }
    let url = format!("http://{}/text/5000", server.address());
    assert!(output("curl", &["-sS", "--compressed", &url], b"").unwrap() == text(5000));
}

#[test]
fn python_decodes_and_encodes() {
    let server = server();
    let script = r#"
import gzip, json, sys, urllib.request
base = sys.argv[1]
get = urllib.request.Request(base + "/text/100000", headers={"Accept-Encoding": "gzip"})
sys.stdout.buffer.write(gzip.decompress(urllib.request.urlopen(get).read()))
note = json.dumps({"text": "x" * 10000}).encode()
body = gzip.compress(note[:50]) + gzip.compress(note[50:])
headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
post = urllib.request.Request(base + "/notes", data=body, headers=headers)
sys.stdout.buffer.write(urllib.request.urlopen(post).read())
"#;
    let base = format!("http://{}", server.address());
    let Some(found) = output("python3", &["-", &base], script.as_bytes()) else { return };
    let expected = [&text(100_000)[..], br#"{"data":10000}"#].concat();
    assert!(found == expected, "{}", String::from_utf8_lossy(&found[found.len().saturating_sub(200)..]));
}
