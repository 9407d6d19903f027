//! Tests the store with a Redis server that fails.

use restwright_core::report::SampleValue;

use super::fake::{ADMITTED, Fake};
use super::*;
use crate::redis::outage::LONGEST_PAUSE;

const READ_ONLY: &str = "-READONLY You can't write against a read only replica. script: 1, on @user_script:1.\r\n";

#[tokio::test]
async fn a_demoted_replica_is_left_after_a_pause() {
    let quota = Quota::per_minute(60).burst(5);
    let charges = [charge("a", quota, 1)];
    let fake = Fake::new([READ_ONLY, ADMITTED]);
    let (store, clock) = fake.store(WhenUnavailable::FailOpen);
    for _ in 0..6 {
        assert!(store.charge(&charges).await.is_err());
    }
    assert_eq!(fake.scripts(), 1, "no command is sent in the pause");
    clock.advance(LONGEST_PAUSE);
    let states = store.charge(&charges).await.unwrap();
    assert_eq!((states.len(), states[0].remaining()), (1, 4));
    assert!(store.charge(&charges).await.is_ok());
    assert_eq!(fake.scripts(), 3);
}

#[tokio::test]
async fn a_connection_that_was_closed_is_no_outage() {
    let quota = Quota::per_minute(60);
    let charges = [charge("a", quota, 1)];
    let fake = Fake::closing([(ADMITTED, 1); 20]);
    let (store, _) = fake.store(WhenUnavailable::FailClosed);
    for number in 0..20 {
        assert!(store.charge(&charges).await.is_ok(), "{number}");
    }
    assert_eq!(fake.scripts(), 20);
}

#[tokio::test]
async fn a_command_is_sent_twice_to_a_server_that_closes_every_connection() {
    let quota = Quota::per_minute(60);
    let charges = [charge("a", quota, 1)];
    let fake = Fake::closing([(ADMITTED, 1), ("", 1), (ADMITTED, 1)]);
    let (store, clock) = fake.store(WhenUnavailable::FailClosed);
    assert!(store.charge(&charges).await.is_ok());
    assert!(store.charge(&charges).await.is_err());
    assert!(store.charge(&charges).await.is_err());
    assert_eq!(fake.scripts(), 2, "no command is sent in the pause");
    clock.advance(LONGEST_PAUSE);
    assert!(store.charge(&charges).await.is_ok());
}

#[tokio::test]
async fn a_response_that_leaves_out_a_limit_is_an_error() {
    let quota = Quota::per_minute(60);
    let charges = [charge("a", quota, 1), charge("a", quota, 1)];
    for (response, expected) in [
        ("*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n", Some(2)),
        ("*2\r\n:0\r\n:60000000\r\n", Some(1)),
        (ADMITTED, None),
        ("*0\r\n", None),
    ] {
        let (store, _) = Fake::new([response]).store(WhenUnavailable::FailClosed);
        let outcome = store.charge(&charges).await.map(|states| states.len());
        assert_eq!(outcome.ok(), expected, "{response}");
    }
}

#[tokio::test]
async fn errors_name_the_failure() {
    let quota = Quota::per_minute(60);
    let charges = [charge("a", quota, 1)];
    for (response, expected) in [
        (READ_ONLY, "You can't write against a read only replica"),
        ("-NOPERM this user has no permissions to run the 'evalsha' command\r\n", "this user has no permissions"),
        ("*0\r\n", "the script returned an unexpected response"),
        ("*1\r\n:1\r\n", "the script returned an unexpected response"),
        ("*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n", "the script returned an unexpected response"),
        ("-OOM command not allowed when used memory > 'maxmemory'.\r\n", "OOM"),
    ] {
        let fake = Fake::new([response]);
        let (store, _) = fake.store(WhenUnavailable::FailClosed);
        let error = store.run(&charges, None).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(store.charge(&charges).await.is_err());
        assert_eq!(fake.scripts(), 1);
    }
}

#[tokio::test]
async fn the_report_says_whether_redis_charges() {
    let charges = [charge("a", Quota::per_minute(60), 1)];
    let (store, clock) = Fake::new([READ_ONLY, ADMITTED]).store(WhenUnavailable::FailOpen);
    let report = || {
        let mut report = Report::default();
        store.report(&mut report);
        report.samples().iter().map(|sample| (sample.name(), sample.value())).collect::<Vec<_>>()
    };
    let expected = |connected, failures| {
        let connected = ("rate_limit_redis_connected", SampleValue::Gauge(connected));
        vec![connected, ("rate_limit_redis_failures", SampleValue::Counter(failures))]
    };
    assert_eq!(report(), expected(1.0, 0));
    assert!(store.charge(&charges).await.is_err());
    assert_eq!(report(), expected(0.0, 1));
    clock.advance(LONGEST_PAUSE);
    assert!(store.charge(&charges).await.is_ok());
    assert_eq!(report(), expected(1.0, 1));
}

#[tokio::test]
async fn a_failed_start_names_the_address_and_what_to_change() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = silent.local_addr().unwrap();
    let real = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".to_owned());
    let real = real.trim_start_matches("redis://").trim_end_matches('/');
    let denied = Fake::new(["-NOPERM this user has no permissions to run the 'evalsha' command\r\n"]);
    let without = Fake::new(["-NOAUTH Authentication required.\r\n"]);
    let start = "start the server, or correct the host and the port of the URL";
    for (url, expected) in [
        (
            "redis://ann:s3cret@127.0.0.1:1".to_owned(),
            format!("Redis at `127.0.0.1:1`: Connection refused (os error 111); {start}"),
        ),
        ("redis://redis.invalid".to_owned(), format!("; {start}")),
        (
            format!("redis://ann:s3cret@{real}"),
            format!(
                "Redis at `{real}`: Password authentication failed - AuthenticationFailed; correct the user and the password of the URL"
            ),
        ),
        (
            format!("redis://{silent}"),
            format!(
                "no response from `{silent}` within 300 ms; check the address, or set a longer `RedisLimiter::timeout`"
            ),
        ),
        (
            format!("redis://{}", denied.address),
            "; allow the user `EVALSHA`, `EVAL` and the keys of the prefix".to_owned(),
        ),
        (format!("redis://{}", without.address), "; write the user and the password into the URL".to_owned()),
    ] {
        let store = RedisLimiter::new(&url, WhenUnavailable::FailClosed).timeout(std::time::Duration::from_millis(300));
        let error = store.start().await.unwrap_err().to_string();
        assert!(error.ends_with(&expected) && !error.contains("s3cret"), "{url}: {error}");
    }
}
