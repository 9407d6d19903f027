use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use super::{Wire, exchange, gzip, head, noise, post, server, zstd};

fn note(size: usize) -> Vec<u8> {
    serde_json::json!({"text": "x".repeat(size)}).to_string().into_bytes()
}

#[test]
fn bodies_are_decoded() {
    let server = server();
    let note = note(50_000);
    for (coding, body) in [
        ("", note.clone()),
        ("identity", note.clone()),
        ("gzip", gzip(&note)),
        ("GZip", gzip(&note)),
        ("x-gzip", gzip(&note)),
        ("zstd", zstd(&note)),
        (", gzip ,", gzip(&note)),
        // A body may be of several members or frames, and frames that are skipped (RFC 1952, section 2.2; RFC 8878, section 3.1.2).
        ("gzip", [gzip(&note[..7]), gzip(b""), gzip(&note[7..])].concat()),
        ("zstd", [zstd(&note[..7]), zstd(b""), b"\x50\x2a\x4d\x18\x03\0\0\0own".to_vec(), zstd(&note[7..])].concat()),
    ] {
        let reply = post(&server, "/notes", coding, &body);
        assert_eq!((reply.status, &reply.json()["data"]), (200, &50_000.into()), "{coding}: {}", reply.json());
    }
    // The reader sees nothing of the coding.
    let sum: u64 = note.iter().map(|byte| u64::from(*byte)).sum();
    for body in [gzip(&note), [gzip(b"x").as_slice(), &gzip(&note[1..])].concat()] {
        let reply = post(&server, "/raw", "gzip", &body);
        let expected = if body == gzip(&note) { sum } else { sum - u64::from(note[0]) + u64::from(b'x') };
        assert_eq!(reply.json()["data"], format!("{} {expected} None None", note.len()));
    }
    for body in [noise(1_000_000), vec![0; 5_000_000]] {
        assert_eq!(post(&server, "/count", "zstd", &zstd(&body)).json()["data"], body.len());
        assert_eq!(post(&server, "/count", "gzip", &gzip(&body)).json()["data"], body.len());
    }
    assert_eq!(post(&server, "/count", "gzip", b"").json()["data"], 0);
}

#[test]
fn routes_with_signatures_read_what_was_sent() {
    let server = server();
    let sent = gzip(b"{}");
    let sum: u64 = sent.iter().map(|byte| u64::from(*byte)).sum();
    let reply = post(&server, "/webhook", "gzip", &sent);
    let length = sent.len();
    assert_eq!(reply.json()["data"], format!("{length} {sum} Some(\"gzip\") Some(\"{length}\")"));
    let reply = post(&server, "/webhook/json", "gzip", &sent);
    assert_eq!(reply.status, 415);
}

#[test]
fn other_codings_are_not_supported() {
    let server = server();
    let body = gzip(&note(10));
    for coding in [
        "br",
        "deflate",
        "compress",
        "nonsense",
        "gzip, gzip",
        "zstd, gzip",
        "identity, gzip",
        "gzip;q=1",
        "\"gzip\"",
        "gz\u{e9}p",
    ] {
        for path in ["/notes", "/raw", "/count"] {
            let reply = post(&server, path, coding, &body);
            assert_eq!(
                (reply.status, reply.header("accept-encoding").as_str()),
                (415, "gzip, zstd"),
                "{path} {coding}"
            );
            assert_eq!(reply.json()["code"], "unsupported_coding");
            let detail = "The body must have at most one content coding, one of: gzip, zstd.";
            assert_eq!(reply.json()["detail"], detail);
        }
    }
    let headers =
        ["Content-Type: application/json", "Content-Encoding: gzip\r\nContent-Encoding: gzip", "Content-Length: 1"];
    let twice = [&head(&server, "POST /notes", &headers)[..], b"x"].concat();
    assert_eq!(exchange(&server, &twice).status, 415);
    // Another 415 has nothing to do with codings.
    let headers = ["Content-Type: text/plain", "Content-Length: 1"];
    let reply = exchange(&server, &[&head(&server, "POST /notes", &headers)[..], b"x"].concat());
    assert_eq!((reply.status, reply.header("accept-encoding").as_str()), (415, ""));
    // Who may not call learns nothing else, and a body that nobody reads is nobody's matter.
    assert_eq!(post(&server, "/orders", "nonsense", &body).status, 401);
    assert_eq!(post(&server, "/nowhere", "nonsense", &body).status, 404);
    assert_eq!(post(&server, "/ignored", "nonsense", &body).status, 200);
}

#[test]
fn what_is_not_of_its_coding_is_refused() {
    let server = server();
    let note = note(5000);
    let (gz, zs) = (gzip(&note), zstd(&note));
    let changed = |body: &[u8], position: usize| {
        let mut body = body.to_vec();
        body[position] ^= 0x55;
        body
    };
    let ends = |coding| format!("The {coding} body is incomplete.");
    let invalid = |coding| format!("The body is not valid {coding}.");
    let wide = {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(24).unwrap();
        encoder.write_all(&note).unwrap();
        encoder.finish().unwrap()
    };
    for (coding, body, detail) in [
        ("gzip", note.clone(), invalid("gzip")),
        ("gzip", zs.clone(), invalid("gzip")),
        ("gzip", gz[..1].to_vec(), ends("gzip")),
        ("gzip", gz[..gz.len() / 2].to_vec(), ends("gzip")),
        // Without its length.
        ("gzip", gz[..gz.len() - 1].to_vec(), ends("gzip")),
        // Its checksum and its length.
        ("gzip", changed(&gz, gz.len() - 8), invalid("gzip")),
        ("gzip", changed(&gz, gz.len() - 1), invalid("gzip")),
        ("gzip", [&gz[..], b"garbage"].concat(), invalid("gzip")),
        ("gzip", [&gz[..], &gz[..20]].concat(), ends("gzip")),
        ("zstd", note.clone(), invalid("Zstandard")),
        ("zstd", gz.clone(), invalid("Zstandard")),
        ("zstd", zs[..2].to_vec(), ends("Zstandard")),
        ("zstd", zs[..zs.len() - 1].to_vec(), ends("Zstandard")),
        ("zstd", [&zs[..], b"garbage"].concat(), invalid("Zstandard")),
        ("zstd", [&zs[..], &zs[..10]].concat(), ends("Zstandard")),
        ("zstd", wide, "The Zstandard body has a window of more than 8 MiB (RFC 9659).".to_owned()),
    ] {
        for path in ["/notes", "/raw", "/count"] {
            let reply = post(&server, path, coding, &body);
            let json = reply.json();
            assert_eq!((reply.status, &json["code"]), (400, &"undecodable_body".into()), "{path} {coding} {json}");
            assert_eq!(json["detail"], detail, "{path} {coding}");
        }
    }
    // Every byte of a body changed: never another failure.
    for position in 0..gz.len().min(200) {
        for body in [changed(&gz, position), changed(&zs, position.min(zs.len() - 1))] {
            let coding = if body.starts_with(&zs[..1]) { "zstd" } else { "gzip" };
            let reply = post(&server, "/notes", coding, &body);
            assert!(matches!(reply.status, 200 | 400 | 413 | 422), "{position} {}", reply.status);
        }
    }
}

#[test]
fn a_window_of_8_mib_is_taken() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.window_log(23).unwrap();
    encoder.write_all(&note(5000)).unwrap();
    assert_eq!(post(&server(), "/notes", "zstd", &encoder.finish().unwrap()).status, 200);
}

#[test]
fn bodies_are_decoded_as_they_come() {
    let server = server();
    let body = [gzip(&note(3000)), zstd(&note(3000))];
    for (coding, body) in ["gzip", "zstd"].into_iter().zip(body) {
        // Chunk by chunk, some of a single byte.
        let headers =
            ["Content-Type: application/json", &format!("Content-Encoding: {coding}"), "Transfer-Encoding: chunked"];
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.write_all(&head(&server, "POST /notes", &headers)).unwrap();
        for (number, piece) in body.chunks(1).enumerate() {
            stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).unwrap();
            stream.write_all(piece).unwrap();
            stream.write_all(b"\r\n").unwrap();
            if number % 10 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        stream.write_all(b"0\r\n\r\n").unwrap();
        let mut reply = Vec::new();
        std::io::Read::read_to_end(&mut stream, &mut reply).unwrap();
        let reply = Wire::parse(&reply);
        assert_eq!((reply.status, &reply.json()["data"]), (200, &3000.into()), "{coding}");
    }
}

#[test]
fn the_limit_holds_before_and_after() {
    let server = server();
    let limit = 1024 * 1024;
    // Frames that are skipped, and members of nothing (RFC 8878, section 3.1.2; RFC 1952, section 2.2).
    let skipped = |size: u32| [b"\x50\x2a\x4d\x18", &size.to_le_bytes()[..], &vec![0; size as usize]].concat();
    let empty = gzip(b"");
    for (coding, body, expected) in [
        ("gzip", gzip(&vec![0; limit]), 200),
        ("gzip", gzip(&vec![0; limit + 1]), 413),
        ("zstd", zstd(&vec![0; limit]), 200),
        ("zstd", zstd(&vec![0; limit + 1]), 413),
        ("zstd", skipped(1_048_568), 200),
        ("zstd", skipped(1_048_569), 413),
        ("gzip", empty.repeat(limit / empty.len()), 200),
        ("gzip", empty.repeat(limit / empty.len() + 1), 413),
    ] {
        // Announced, and in chunks whose sum nobody knows before.
        let announced = post(&server, "/raw", coding, &body);
        assert_eq!(announced.status, expected, "{coding} {}", body.len());
        let coded = format!("Content-Encoding: {coding}");
        let headers = [coded.as_str(), "Transfer-Encoding: chunked"];
        let mut request = head(&server, "POST /raw", &headers);
        for chunk in body.chunks(1000) {
            request.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            request.extend_from_slice(chunk);
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"0\r\n\r\n");
        let chunked = exchange(&server, &request);
        assert_eq!(chunked.status, expected, "{coding} {} in chunks", body.len());
        if expected == 413 {
            assert_eq!(chunked.json()["detail"], "The body must have at most 1048576 bytes.");
        }
    }
}
