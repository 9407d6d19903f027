//! A fake Redis server with predefined responses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use restwright_core::Clock;

use super::*;

/// A fake Redis server. It sends the same response to every script on a connection, and the next response on the next
/// connection. It closes a connection after a given number of responses.
pub(super) struct Fake {
    pub(super) address: String,
    scripts: Arc<AtomicUsize>,
}

/// The response of the script to a request that its only bucket admits.
pub(super) const ADMITTED: &str = "*2\r\n:1\r\n:1000000\r\n";

impl Fake {
    pub(super) fn new<const N: usize>(responses: [&'static str; N]) -> Self {
        Self::closing(responses.map(|response| (response, usize::MAX)))
    }

    /// Creates a fake server with one response per connection. Each response is sent the given number of times.
    pub(super) fn closing<const N: usize>(responses: [(&'static str, usize); N]) -> Self {
        Self::over(|stream| stream, responses)
    }

    /// Creates a fake server that wraps each accepted socket with the function `wrap`.
    pub(super) fn over<S: Read + Write, const N: usize>(
        wrap: impl Fn(TcpStream) -> S + Clone + Send + 'static,
        responses: [(&'static str, usize); N],
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let scripts = Arc::new(AtomicUsize::new(0));
        let received = scripts.clone();
        thread::spawn(move || {
            for (stream, response) in listener.incoming().zip(responses) {
                let (wrap, received) = (wrap.clone(), received.clone());
                thread::spawn(move || respond_all(wrap(stream.unwrap()), response, &received));
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

fn respond_all(stream: impl Read + Write, (response, mut left): (&str, usize), received: &AtomicUsize) {
    let mut commands = BufReader::new(stream);
    while left > 0
        && let Some(command) = read_command(&mut commands)
    {
        let script = command.first().is_some_and(|name| name == b"EVALSHA");
        received.fetch_add(usize::from(script), Ordering::SeqCst);
        left -= usize::from(script);
        commands.get_mut().write_all(if script { response.as_bytes() } else { b"+OK\r\n" }).unwrap();
    }
}

/// Reads a Redis command, which is an array of strings. Returns `None` at the end of the connection.
pub(super) fn read_command(commands: &mut impl BufRead) -> Option<Vec<Vec<u8>>> {
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
