//! A server that says what a test tells it to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use restwright_core::Clock;

use super::*;

/// Answers every script over one connection alike, and those over the next with the next answer; closes a connection when it
/// gave its answers.
pub(super) struct Fake {
    pub(super) address: String,
    scripts: Arc<AtomicUsize>,
}

/// That one request was admitted to one limit.
pub(super) const ADMITTED: &str = "*2\r\n:1\r\n:1000000\r\n";

impl Fake {
    pub(super) fn new<const N: usize>(answers: [&'static str; N]) -> Self {
        Self::closing(answers.map(|answer| (answer, usize::MAX)))
    }

    /// With how many answers there are over each connection.
    pub(super) fn closing<const N: usize>(answers: [(&'static str, usize); N]) -> Self {
        Self::over(|stream| stream, answers)
    }

    /// With what there is between it and the socket.
    pub(super) fn over<S: Read + Write, const N: usize>(
        wrap: impl Fn(TcpStream) -> S + Clone + Send + 'static,
        answers: [(&'static str, usize); N],
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let scripts = Arc::new(AtomicUsize::new(0));
        let asked = scripts.clone();
        thread::spawn(move || {
            for (stream, answer) in listener.incoming().zip(answers) {
                let (wrap, asked) = (wrap.clone(), asked.clone());
                thread::spawn(move || answer_all(wrap(stream.unwrap()), answer, &asked));
            }
        });
        Self { address, scripts }
    }

    pub(super) fn scripts(&self) -> usize {
        self.scripts.load(Ordering::SeqCst)
    }

    pub(super) fn store(&self, unavailable: WhenUnavailable) -> (RedisLimiter, Clock) {
        let (clock, url) = (Clock::manual(0), format!("redis://{}", self.address));
        (RedisLimiter::new(&url, unavailable).timeout(Duration::from_secs(10)).clock(clock.clone()), clock)
    }
}

fn answer_all(stream: impl Read + Write, (answer, mut left): (&str, usize), asked: &AtomicUsize) {
    let mut commands = BufReader::new(stream);
    while left > 0
        && let Some(command) = read_command(&mut commands)
    {
        let script = command.first().is_some_and(|name| name == b"EVALSHA");
        asked.fetch_add(usize::from(script), Ordering::SeqCst);
        left -= usize::from(script);
        commands.get_mut().write_all(if script { answer.as_bytes() } else { b"+OK\r\n" }).unwrap();
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
