//! The context of a scenario: its database, its servers, its random numbers, and its findings.

pub mod animals;
pub mod cut;
pub mod full;
pub mod groups;
pub mod kill;
pub mod orders;
pub mod pair;
pub mod processes;
pub mod serializable;
pub mod writers;

use std::cell::Cell;
use std::time::Duration;

use crate::database::Database;
use crate::process::Server;

pub struct Scenario {
    pub name: &'static str,
    /// The kind of server: `restwright` or `by-hand`.
    pub server: String,
    pub size: usize,
    pub database: Database,
    pub random: Random,
    broken: Cell<usize>,
}

impl Scenario {
    pub fn new(name: &'static str, server: String, size: usize, database: Database, seed: u64) -> Self {
        Self { name, server, size, database, random: Random(Cell::new(seed | 1)), broken: Cell::new(0) }
    }

    pub async fn start(&self) -> Server {
        self.start_at(&self.database.url()).await
    }

    /// Starts a server and waits until it responds from its database.
    pub async fn start_at(&self, url: &str) -> Server {
        let server = Server::start("shop", &self.server, url);
        let ready = server.client().get("/orders?page=1&limit=1").await;
        let is_ready = ready.as_ref().is_ok_and(|response| response.status == 200);
        assert!(is_ready, "the server does not start: {}; see SOAK_LOG=1", orders::shown(&ready));
        server
    }

    /// Returns `true` if the application hides orders from callers who may not see them.
    pub fn has_strangers(&self) -> bool {
        self.server != "by-hand"
    }

    pub fn figure(&self, text: impl std::fmt::Display) {
        println!("{} on {}: {text}", self.name, self.database.kind());
    }

    /// Records a broken promise unless a condition is true.
    pub fn expect(&self, holds: bool, broken: impl FnOnce() -> String) {
        if holds {
            return;
        }
        self.broken.set(self.broken.get() + 1);
        // The first failures are sufficient to identify the cause.
        if self.broken.get() <= 20 {
            println!("BROKEN {} on {}: {}", self.name, self.database.kind(), broken());
        }
    }

    /// Removes the database and returns the number of broken promises.
    pub async fn finish(self) -> usize {
        if let Some(found) = self.database.integrity().await {
            self.expect(false, || format!("integrity_check: {found}"));
        }
        let broken = self.broken.get();
        println!("{} on {}: {broken} broken", self.name, self.database.kind());
        match broken {
            0 => self.database.remove().await,
            _ => println!("kept for a look: {}", self.database.url()),
        }
        broken
    }
}

/// Random numbers that a seed repeats (xorshift64*).
pub struct Random(Cell<u64>);

impl Random {
    pub fn below(&self, bound: u64) -> u64 {
        let mut state = self.0.get();
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.0.set(state);
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound.max(1)
    }
}

/// Formats some percentiles and the maximum of durations.
pub fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len().saturating_sub(1))).copied();
    let shown = |time: Option<Duration>| format!("{:.1} ms", time.unwrap_or_default().as_secs_f64() * 1000.0);
    format!("median {}, 99 % {}, longest {}", shown(at(50)), shown(at(99)), shown(times.last().copied()))
}
