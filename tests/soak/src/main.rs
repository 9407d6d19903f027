//! Breaks and measures servers of restwright from outside, over HTTP and with processes:
//! `cargo run --release --manifest-path tests/soak/Cargo.toml -- <scenario> [--size N] [--seed S]`.
//!
//! Without a scenario, it prints all of them. A scenario prints its figures and each broken promise. If a promise is broken, it exits with 1 and
//! keeps the database. Scenarios on PostgreSQL require `POSTGRES_URL`, the limits of `pair` require `REDIS_URL`, and `full` requires root. If one of
//! them is missing, the scenario prints that it is skipped, which fails the gate. `--seed` repeats the random numbers of a run. `SOAK_LOG=1` shows
//! the logs of the servers.
//!
//! The gate runs `all --size 300` and `attack --size 60` on a debug build (`.ci/run`). `speed`, `load` and `pages` are comparisons, which are run
//! manually.

mod attack;
mod database;
mod http;
mod process;
mod proxy;
mod scenario;
mod shop;
mod speed;

use std::process::ExitCode;

use database::Database;
use scenario::{Scenario, cut, full, groups, kill, pair, processes, serializable, writers};

const USAGE: &str =
    "restwright-soak <scenario> [--size N] [--seed S] [--server restwright|by-hand] [--database sqlite|postgres]

kill          SIGKILL at 10 random moments among N creates (10,000)
groups        SIGKILL at 10 random moments among N creates by 64 writers that share transactions (10,000), and a backup
writers       64 writers, and 32 concurrent updates of one entity, with N creates (6,400)
cut           connections to PostgreSQL that break at every point, with N creates meanwhile (1,000)
full          a disk without room, for 4 writers of orders, and for 64 writers that share transactions; needs root, for a tmpfs
pair          two processes on one PostgreSQL, one of which is killed, with N creates (2,000)
processes     two processes on one SQLite file with 32 writers each, one of which is killed 5 times and restarts, with N creates (6,000)
serializable  16 writers whose hooks read what others write, with N entries (800)
all           all of these
attack        untrusted clients hold up a server in every way together, with a bystander, for N seconds (600)
speed         compares servers, see `speed --help`
load          compares servers under load, see `load --help`
pages         compares a far page by cursor with the first one: [--database sqlite|postgres] [--rows N] [--page N] [--rounds N]";

/// The scenarios with their sizes and databases.
const SCENARIOS: &[(&str, usize, &[&str])] = &[
    ("kill", 10_000, &["sqlite", "postgres"]),
    ("groups", 10_000, &["sqlite"]),
    ("writers", 6_400, &["sqlite", "postgres"]),
    ("cut", 1_000, &["postgres"]),
    ("full", 0, &["sqlite"]),
    ("pair", 2_000, &["postgres"]),
    ("processes", 6_000, &["sqlite"]),
    ("serializable", 800, &["sqlite", "postgres"]),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["serve", "shop", kind, database] => shop::serve(kind, database),
        ["serve", "attack", _, issuer] => attack::serve(issuer),
        ["serve", "speed", kind, database] => speed::serve(kind, database),
        ["attack", ref options @ ..] => return attack::run(options),
        ["speed", ref options @ ..] => return speed::run(options),
        ["load", ref options @ ..] => return speed::load::run(options),
        ["pages", ref options @ ..] => return speed::pages::run(options),
        [name, ref options @ ..] => return run(name, options),
        [] => println!("{USAGE}"),
    }
    ExitCode::SUCCESS
}

fn run(name: &str, options: &[&str]) -> ExitCode {
    let option = |name: &str| options.chunks(2).find(|pair| pair[0] == name).and_then(|pair| pair.get(1).copied());
    let is_known = |pair: &[&str]| matches!(pair, ["--size" | "--seed" | "--server" | "--database", _]);
    let chosen: Vec<_> = SCENARIOS.iter().filter(|(scenario, ..)| name == "all" || name == *scenario).collect();
    if chosen.is_empty() || !options.chunks(2).all(is_known) {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let number = |text: &str| text.parse::<u64>().expect("--size and --seed are numbers");
    let now = std::time::UNIX_EPOCH.elapsed().map_or(1, |now| now.as_nanos() as u64);
    let seed = option("--seed").map_or(now, number);
    println!("seed {seed}");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut broken = 0;
    for (name, size, databases) in chosen {
        let size = option("--size").map_or(*size, |size| number(size) as usize);
        for kind in databases.iter().filter(|kind| option("--database").is_none_or(|wanted| wanted == **kind)) {
            let Some(database) = runtime.block_on(Database::new(kind)) else { continue };
            // The ledger reads the writes of others, which is safe only in serializable transactions.
            let own = if *name == "serializable" { "restwright-serializable" } else { "restwright" };
            let server = option("--server").unwrap_or(own).to_owned();
            let scenario = Scenario::new(name, server, size, database, seed);
            broken += runtime.block_on(async {
                match *name {
                    "kill" => kill::run(&scenario).await,
                    "groups" => groups::run(&scenario).await,
                    "writers" => writers::run(&scenario).await,
                    "cut" => cut::run(&scenario).await,
                    "full" => full::run(&scenario).await,
                    "pair" => pair::run(&scenario).await,
                    "processes" => processes::run(&scenario).await,
                    _ => serializable::run(&scenario).await,
                }
                scenario.finish().await
            });
        }
    }
    ExitCode::from(u8::from(broken > 0))
}
