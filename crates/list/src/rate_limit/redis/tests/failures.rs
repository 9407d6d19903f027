//! What a server that fails costs, and how it is left.

use super::fake::{ADMITTED, Fake};
use super::*;
use crate::rate_limit::redis::outage::LONGEST_PAUSE;

const READ_ONLY: &str = "-READONLY You can't write against a read only replica. script: 1, on @user_script:1.\r\n";

#[tokio::test]
async fn a_demoted_replica_is_left_after_a_pause() {
    let quota = Quota::per_minute(60).burst(5);
    let limit = limit("a", quota);
    let charges = [charge(&limit, quota, 1)];
    let fake = Fake::new([READ_ONLY, ADMITTED]);
    let (store, clock) = fake.store(WhenUnavailable::FailOpen);
    assert!(store.charge(&charges).await.unwrap().is_none());
    for _ in 0..5 {
        assert!(store.charge(&charges).await.unwrap().is_none());
    }
    assert_eq!(fake.scripts(), 1, "it is not asked in the pause");
    clock.advance(LONGEST_PAUSE);
    let standings = store.charge(&charges).await.unwrap().unwrap();
    assert_eq!((standings.len(), standings[0].remaining), (1, 4));
    assert!(store.charge(&charges).await.unwrap().is_some());
    assert_eq!(fake.scripts(), 3);
}

#[tokio::test]
async fn a_connection_that_was_closed_is_no_outage() {
    let quota = Quota::per_minute(60);
    let limit = limit("a", quota);
    let charges = [charge(&limit, quota, 1)];
    let fake = Fake::closing([(ADMITTED, 1); 20]);
    let (store, _) = fake.store(WhenUnavailable::FailClosed);
    for number in 0..20 {
        assert!(store.charge(&charges).await.is_ok(), "{number}");
    }
    assert_eq!(fake.scripts(), 20);
}

#[tokio::test]
async fn a_server_that_closes_every_connection_is_asked_twice() {
    let quota = Quota::per_minute(60);
    let limit = limit("a", quota);
    let charges = [charge(&limit, quota, 1)];
    let fake = Fake::closing([(ADMITTED, 1), ("", 1), (ADMITTED, 1)]);
    let (store, clock) = fake.store(WhenUnavailable::FailClosed);
    assert!(store.charge(&charges).await.is_ok());
    assert_eq!(store.charge(&charges).await.unwrap_err().status(), 503);
    assert_eq!(store.charge(&charges).await.unwrap_err().status(), 503);
    assert_eq!(fake.scripts(), 2, "it is not asked in the pause");
    clock.advance(LONGEST_PAUSE);
    assert!(store.charge(&charges).await.is_ok());
}

#[tokio::test]
async fn an_answer_that_leaves_out_a_limit_admits_nobody() {
    let quota = Quota::per_minute(60);
    let limit = limit("a", quota);
    let charges = [charge(&limit, quota, 1), charge(&limit, quota, 1)];
    for (answer, expected) in [
        ("*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n", Some(2)),
        ("*2\r\n:0\r\n:60000000\r\n", Some(1)),
        (ADMITTED, None),
        ("*0\r\n", None),
    ] {
        let (store, _) = Fake::new([answer]).store(WhenUnavailable::FailClosed);
        let outcome = store.charge(&charges).await.map(|standings| standings.unwrap().len());
        assert_eq!(outcome.map_err(|problem| problem.status().as_u16()), expected.ok_or(503), "{answer}");
    }
}

#[tokio::test]
async fn a_failure_is_told_as_what_it_is() {
    let quota = Quota::per_minute(60);
    let limit = limit("a", quota);
    let charges = [charge(&limit, quota, 1)];
    for (answer, expected) in [
        (READ_ONLY, "You can't write against a read only replica"),
        ("-NOPERM this user has no permissions to run the 'evalsha' command\r\n", "this user has no permissions"),
        ("*0\r\n", "Redis answered something else"),
        ("*1\r\n:1\r\n", "Redis answered something else"),
        ("*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n", "Redis answered something else"),
        ("-OOM command not allowed when used memory > 'maxmemory'.\r\n", "OOM"),
    ] {
        let fake = Fake::new([answer]);
        let (store, _) = fake.store(WhenUnavailable::FailClosed);
        let error = store.run(&charges, None).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(store.charge(&charges).await.unwrap_err().status(), 503);
        assert_eq!(fake.scripts(), 1);
    }
}
