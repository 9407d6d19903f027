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
