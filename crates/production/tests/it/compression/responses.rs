use super::{KEY, exchange, get, gzip, head, server, text};

const ACCEPT: &str = "Accept-Encoding: gzip";

#[test]
fn what_gains_by_it_is_compressed() {
    let server = server();
    for (path, status, coding, vary) in [
        ("/json", 200, "gzip", "Accept-Encoding"),
        ("/broken", 404, "gzip", "Accept-Encoding"),
        ("/nowhere", 404, "", ""),
        ("/none", 204, "", ""),
        ("/small", 200, "", "Accept-Encoding"),
        // It would be larger; this may be another time.
        ("/noise", 200, "", "Accept-Encoding"),
        ("/no-ranges", 200, "gzip", "Accept-Encoding"),
        ("/cached", 200, "gzip", "X-Shop, Accept-Encoding"),
        // What stays as it is.
        ("/octets", 200, "", ""),
        ("/part", 206, "", ""),
        ("/ranges", 200, "", ""),
        ("/coded", 200, "own", ""),
        ("/still", 200, "", ""),
        ("/digest", 200, "", ""),
        ("/session", 200, "", ""),
        ("/account/keys", 200, "", ""),
    ] {
        let reply = get(&server, path, &[ACCEPT]);
        let found = (reply.status, reply.header("content-encoding"), reply.header("vary"));
        assert_eq!(found, (status, coding.to_owned(), vary.to_owned()), "{path}");
        if coding == "gzip" {
            assert!(reply.decoded().len() >= 5000 && reply.body.len() < 1000, "{path}");
        }
        assert_eq!(
            reply.header("content-length"),
            if status == 204 { String::new() } else { reply.body.len().to_string() }
        );
    }
}

#[test]
fn replays_are_compressed_by_the_request_that_they_respond_to() {
    let server = server();
    let send = |accept: &str, coding: &str, body: &[u8]| {
        let length = format!("Content-Length: {}", body.len());
        let headers = ["Content-Type: application/json", KEY, "Idempotency-Key: a", &length, accept, coding];
        exchange(&server, &[&head(&server, "POST /orders", &headers), body].concat())
    };
    let order = serde_json::json!({"text": "x".repeat(5000)}).to_string();
    let replies = [
        send(ACCEPT, "", order.as_bytes()),
        send("", "", order.as_bytes()),
        // The body is the same in another coding.
        send("Accept-Encoding: br", "Content-Encoding: gzip", &gzip(order.as_bytes())),
    ];
    let found = replies.each_ref().map(|reply| (reply.status, reply.header("content-encoding")));
    assert_eq!(found, [(200, "gzip".to_owned()), (200, String::new()), (200, "br".to_owned())]);
    assert_eq!(replies.each_ref().map(|reply| reply.header("idempotency-replayed")), ["", "true", "true"]);
    assert!(replies.iter().all(|reply| reply.decoded() == replies[1].body));
}

#[test]
fn streams_are_whole() {
    let server = server();
    for coding in ["gzip", "br", "zstd"] {
        let accept = format!("Accept-Encoding: {coding}");
        let reply = get(&server, "/pieces", &[&accept]);
        assert!(reply.header("content-encoding") == coding && reply.decoded() == text(300_000), "{coding}");
        assert!(reply.is_complete && reply.body.len() < 100_000, "{coding} {}", reply.body.len());
        let nothing = get(&server, "/nothing", &[&accept]);
        assert!(nothing.header("content-encoding") == coding && nothing.is_complete && nothing.decoded().is_empty());
        // The client can tell that the end is missing.
        let cut = get(&server, "/cut", &[&accept]);
        assert!(cut.header("content-encoding") == coding && !cut.is_complete, "{coding}");
        let (decoded, outcome) = cut.decode();
        assert!(decoded == text(100) && outcome.is_err(), "{coding}: {outcome:?}");
    }
    assert!(get(&server, "/pieces", &[]).decoded() == text(300_000));
}
