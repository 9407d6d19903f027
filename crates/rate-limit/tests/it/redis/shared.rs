//! One quota for all who ask.

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use restwright::Api;
use restwright::testing::TestClient;
use restwright_rate_limit::{Quota, RateLimit};

use super::{Prefix, api, connection, server, store, storm, time};

#[tokio::test]
async fn a_hundred_clients_at_once_get_exactly_the_quota() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "exact");
    let api = api(&store(&url, &prefix.text), vec![RateLimit::global("a", Quota::per_day(250))]);
    api.start().await.unwrap();
    assert_eq!(storm(&api, 100, 5).await, 250);
    assert_eq!(storm(&api, 10, 5).await, 0);
}

#[tokio::test]
async fn two_processes_share_a_quota() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "processes");
    let children: Vec<_> = (0..2)
        .map(|_| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "redis::shared::one_of_two_processes", "--nocapture"]);
            command.env("REDIS_URL", &url).env("RESTWRIGHT_TEST_PREFIX", &prefix.text);
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut admitted = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        let own: usize = text.lines().find_map(|line| line.split("admitted: ").nth(1)).unwrap().parse().unwrap();
        assert!(own >= 500, "the other process cannot have had more than 1,000");
        admitted += own;
    }
    assert_eq!(admitted, 1500, "of two processes with 100 clients and 1,000 requests each");
}

/// Run by the test above, in separate processes.
#[tokio::test]
async fn one_of_two_processes() {
    let Ok(prefix) = std::env::var("RESTWRIGHT_TEST_PREFIX") else { return };
    let url = server().unwrap();
    let api = api(&store(&url, &prefix), vec![RateLimit::per_ip("a", Quota::per_day(1).burst(1500))]);
    api.start().await.unwrap();
    println!("admitted: {}", storm(&api, 100, 10).await);
}

#[tokio::test]
async fn what_refills_is_admitted_and_no_more() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "refill");
    // It takes ten seconds to refill, and so is never full again while the test goes on.
    let quota = Quota::per_second(50).burst(500);
    let api = api(&store(&url, &prefix.text), vec![RateLimit::global("a", quota)]);
    let client = TestClient::new(api);
    let mut connection = connection(&url);
    let mut admitted = 0;
    // When a request was refused: not before the first and not after the second.
    let mut refused = async |admitted: &mut u64| {
        loop {
            let before = time(&mut connection);
            match client.get("/a").await.status().as_u16() {
                204 => *admitted += 1,
                status => {
                    assert_eq!(status, 429);
                    return (before, time(&mut connection));
                }
            }
        }
    };
    let first = refused(&mut admitted).await;
    assert!(admitted >= 500);
    admitted = 0;
    let mut last = first;
    while last.0 < first.1 + 500_000 {
        last = refused(&mut admitted).await;
    }
    // At both refusals the bucket held less than one request.
    let interval = u64::try_from(quota.interval().as_micros()).unwrap();
    let (least, most) = ((last.0 - first.1) / interval - 1, (last.1 - first.0) / interval + 1);
    assert!((least..=most).contains(&admitted), "{admitted} admitted, {least} to {most} refilled");
}

#[test]
fn a_busy_worker_takes_no_limits_from_others() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "busy");
    let api = api(&store(&url, &prefix.text), vec![RateLimit::global("a", Quota::per_day(2))]);
    let status = |api: &Api| {
        let client = TestClient::new(api.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let status = runtime.block_on(async { client.get("/a").await.status().as_u16() });
        // Kept, since what a runtime drives ends with it.
        (status, runtime)
    };
    thread::scope(|scope| {
        let (busy, worker) = (mpsc::channel::<u16>(), mpsc::channel::<()>());
        let api = &api;
        scope.spawn(move || {
            let (first, _runtime) = status(api);
            busy.0.send(first).unwrap();
            // As a handler that blocks its thread.
            worker.1.recv().ok();
        });
        assert_eq!(busy.1.recv().unwrap(), 204);
        assert_eq!(status(api).0, 204);
        assert_eq!(status(api).0, 429);
        worker.0.send(()).unwrap();
    });
}
