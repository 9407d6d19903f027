//! The turns of a pipeline, of other tasks on its worker, and of the client that reads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use restwright_actix::Host;
use restwright_runtime::core::Input;

use crate::api::{builder, get, ok, on, status};
use crate::client::Client;

/// The requests to `/turn` that were handled, and how many of them before another task ran.
static HANDLED: AtomicUsize = AtomicUsize::new(0);
static HANDLED_BEFORE: AtomicUsize = AtomicUsize::new(0);

/// Whether the handler of `/gate`, which blocks its worker, may respond.
static OPEN: AtomicBool = AtomicBool::new(false);

const BLOCKED: Duration = Duration::from_millis(500);
/// Two such responses are more than is kept for one write.
const PAGE: usize = 9_000;

/// Serves one connection until a test has used it.
fn with_client(test: impl FnOnce(&mut Client)) {
    let api = builder()
        .controller(on("turn", status(get("/turn")), async |_: Input| {
            if HANDLED.fetch_add(1, Ordering::Relaxed) == 0 {
                tokio::task::spawn_local(async {
                    HANDLED_BEFORE.store(HANDLED.load(Ordering::Relaxed), Ordering::Relaxed);
                });
            }
            ok("handled")
        }))
        .controller(on("page", status(get("/page")), async |_: Input| ok(&"x".repeat(PAGE))))
        .controller(on("block", status(get("/block")), async |_: Input| {
            std::thread::sleep(BLOCKED);
            ok("blocked")
        }))
        .controller(on("gate", status(get("/gate")), async |_: Input| {
            while !OPEN.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            ok("open")
        }));
    let bound = Host::new(api.build().unwrap()).workers(1).bind("127.0.0.1:0").unwrap();
    let address = bound.addresses()[0];
    let (stop, thread) = crate::server::serve(bound);
    test(&mut Client::connect(address));
    stop.stop();
    thread.join().unwrap().unwrap();
}

fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: t\r\n\r\n")
}

#[test]
fn a_long_pipeline_leaves_turns_to_other_tasks() {
    const REQUESTS: usize = 1_000;
    with_client(|client| {
        client.send(request("/turn").repeat(REQUESTS));
        for _ in 0..REQUESTS {
            assert_eq!(client.response().status, 200);
        }
    });
    let before = HANDLED_BEFORE.load(Ordering::Relaxed);
    assert!((1..REQUESTS / 3).contains(&before), "another task ran after {before} requests");
}

#[test]
fn responses_that_fill_a_batch_are_sent_before_the_next_request_is_handled() {
    with_client(|client| {
        client.send(request("/page").repeat(2) + &request("/gate"));
        for _ in 0..2 {
            assert!(client.response().text().len() > PAGE);
        }
        OPEN.store(true, Ordering::Relaxed);
        assert_eq!(client.response().text(), r#"{"status":"open"}"#);
    });
}

#[test]
fn small_responses_are_sent_together() {
    with_client(|client| {
        let begin = Instant::now();
        client.send(request("/page") + &request("/block"));
        assert!(client.response().text().len() > PAGE);
        assert!(begin.elapsed() >= BLOCKED, "{:?}", begin.elapsed());
        assert_eq!(client.response().text(), r#"{"status":"blocked"}"#);
    });
}
