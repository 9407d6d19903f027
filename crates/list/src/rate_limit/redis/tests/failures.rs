//! What a server that fails costs, and how it is left.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use restwright_core::Clock;

use super::*;
use crate::rate_limit::redis::outage::LONGEST_PAUSE;

/// Answers every script over one connection alike, and those over the next with the next answer; closes a connection when it
/// gave its answers.
struct Fake {
    url: String,
    scripts: Arc<AtomicUsize>,
}

impl Fake {
    fn new<const N: usize>(answers: [&'static str; N]) -> Self {
        Self::closing(answers.map(|answer| (answer, usize::MAX)))
    }

    /// With how many answers there are over each connection.
    fn closing<const N: usize>(answers: [(&'static str, usize); N]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let scripts = Arc::new(AtomicUsize::new(0));
        let asked = scripts.clone();
        thread::spawn(move || {
            for (stream, answer) in listener.incoming().zip(answers) {
                let asked = asked.clone();
                thread::spawn(move || answer_all(stream.unwrap(), answer, &asked));
            }
        });
        Self { url, scripts }
    }

    fn scripts(&self) -> usize {
        self.scripts.load(Ordering::SeqCst)
    }
}

fn answer_all(mut stream: TcpStream, (answer, mut left): (&str, usize), asked: &AtomicUsize) {
    let mut commands = BufReader::new(stream.try_clone().unwrap());
    while left > 0
        && let Some(command) = read_command(&mut commands)
    {
        let script = command.first().is_some_and(|name| name == b"EVALSHA");
        asked.fetch_add(usize::from(script), Ordering::SeqCst);
        left -= usize::from(script);
        stream.write_all(if script { answer.as_bytes() } else { b"+OK\r\n" }).unwrap();
    }
}

/// An array of strings, as every command is one; `None` at the end of the connection.
fn read_command(commands: &mut impl BufRead) -> Option<Vec<Vec<u8>>> {
    let count = read_number(commands)?;
    let mut read = || {
        let mut text = vec![0; read_number(commands)? + 2];
        commands.read_exact(&mut text).ok()?;
        text.truncate(text.len() - 2);
        Some(text)
    };
    (0..count).map(|_| read()).collect()
}

fn read_number(commands: &mut impl BufRead) -> Option<usize> {
    let mut line = String::new();
    commands.read_line(&mut line).ok()?;
    line.trim_end().get(1..)?.parse().ok()
}

const READ_ONLY: &str = "-READONLY You can't write against a read only replica. script: 1, on @user_script:1.\r\n";

const ADMITTED: &str = "*2\r\n:1\r\n:1000000\r\n";

fn store(fake: &Fake, unavailable: WhenUnavailable) -> (RedisStore, Clock) {
    let clock = Clock::manual(0);
    (RedisStore::new(&fake.url, unavailable).timeout(Duration::from_secs(10)).clock(clock.clone()), clock)
}

#[tokio::test]
async fn a_demoted_replica_is_left_after_a_pause() {
    let quota = Quota::per_minute(60).burst(5);
    let limit = limit("a", quota);
    let charges = [charge(&limit, quota, 1)];
    let fake = Fake::new([READ_ONLY, ADMITTED]);
    let (store, clock) = store(&fake, WhenUnavailable::FailOpen);
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
    let (store, _) = store(&fake, WhenUnavailable::FailClosed);
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
    let (store, clock) = store(&fake, WhenUnavailable::FailClosed);
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
        let (store, _) = store(&Fake::new([answer]), WhenUnavailable::FailClosed);
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
        let (store, _) = store(&fake, WhenUnavailable::FailClosed);
        let error = store.run(&charges, None).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(store.charge(&charges).await.unwrap_err().status(), 503);
        assert_eq!(fake.scripts(), 1);
    }
}
