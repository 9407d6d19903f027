//! `load`: compares the servers of `speed` on SQLite with many connections.
//!
//! Each server is a process with one worker, and each of its runs starts with a copy of the same database. The client is one thread with all
//! connections. A connection sends the next request after the response. The servers take turns, and the median of the rounds counts. Processor time
//! includes the kernel. The fsyncs are counted in a separate run, because strace slows a server down.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use super::cases::{CASES, Case};
use super::connection::{Requests, send_until};
use super::measure::{Copy, median, processor_time, start};
use super::{are_known, chosen_kinds, is_chosen, option, table};
use crate::database::Database;
use crate::process::Server;

const USAGE: &str = "restwright-soak load [--kinds actix,axum,crudcrate,rusqlite,grouped,restwright] [--cases view,create,patch,hot,list]
                     [--rows N] [--connections N] [--seconds N] [--rounds N]

`hot` patches one row, `patch` different rows.";

/// The loads, each with its case in `speed`, and `true` if each request has another row.
const LOADS: &[(&str, &str, bool)] = &[
    ("view", "view", true),
    ("create", "create", false),
    ("patch", "patch", true),
    ("hot", "patch", false),
    ("list", "list", false),
];
const WARMING: Duration = Duration::from_millis(500);
/// How long the fsyncs are counted.
const COUNTED: Duration = Duration::from_secs(2);
/// The maximum time of the responses after the last request.
const PATIENCE: Duration = Duration::from_secs(30);

/// Requests for a kind of server.
struct Load<'a> {
    name: &'a str,
    case: &'a Case,
    has_many_rows: bool,
    kind: &'a str,
    rows: u32,
    connections: u32,
}

/// The figures of one round.
struct Figures {
    requests_per_second: f64,
    median_ms: f64,
    slow_ms: f64,
    processor_us: f64,
}

pub fn run(options: &[&str]) -> ExitCode {
    if !are_known(options, &["--kinds", "--cases", "--rows", "--connections", "--seconds", "--rounds"]) {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let number =
        |name: &str, default: u32| option(options, name).map_or(default, |text| text.parse().expect("a number"));
    let (rows, connections) = (number("--rows", 100_000), number("--connections", 32));
    let (seconds, rounds) = (Duration::from_secs(number("--seconds", 4).into()), number("--rounds", 9));
    let kinds = chosen_kinds("sqlite", option(options, "--kinds"));
    let counts = strace_is_installed();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let database = Database::new("sqlite").await.expect("a folder");
        table::fill(&database, rows).await;
        println!("{connections} connections, {rows} rows, {rounds} rounds of {} s\n", seconds.as_secs());
        println!("| | requests/s | ratio | median, ms | 99 %, ms | processor time, µs | fsyncs per change |");
        println!("|---|--:|--:|--:|--:|--:|--:|");
        for (name, case, has_many_rows) in LOADS.iter().filter(|(name, ..)| is_chosen(option(options, "--cases"), name))
        {
            let case = CASES.iter().find(|other| other.name == *case).expect("a case");
            let load = |kind| Load { name, case, has_many_rows: *has_many_rows, kind, rows, connections };
            let loads: Vec<_> = kinds.iter().map(|kind| load(kind)).collect();
            compare(&loads, &database, seconds, rounds, counts).await;
        }
        database.remove().await;
    });
    ExitCode::SUCCESS
}

fn strace_is_installed() -> bool {
    let found = Command::new("strace").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Prints a row for each kind.
async fn compare(loads: &[Load<'_>], database: &Database, seconds: Duration, rounds: u32, counts: bool) {
    let mut figures: Vec<Vec<Figures>> = loads.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (load, figures) in loads.iter().zip(&mut figures) {
            figures.push(load.measure(database, seconds).await);
        }
    }
    let mut first = None;
    for (load, figures) in loads.iter().zip(&figures) {
        let median = |figure: fn(&Figures) -> f64| median(figures.iter().map(figure).collect());
        let requests = median(|round| round.requests_per_second);
        let fsyncs = match load.case.name {
            "create" | "patch" if counts => format!("{:.2}", load.fsyncs(database).await),
            _ => "-".to_owned(),
        };
        println!(
            "| {}: {} | {requests:.0} | {:.2} | {:.2} | {:.2} | {:.1} | {fsyncs} |",
            load.name,
            load.kind,
            requests / *first.get_or_insert(requests),
            median(|round| round.median_ms),
            median(|round| round.slow_ms),
            median(|round| round.processor_us),
        );
    }
}

impl Load<'_> {
    async fn measure(&self, database: &Database, seconds: Duration) -> Figures {
        let copy = Copy::new(database, self.kind);
        let server = start(None, self.kind, &copy.url);
        self.send(&server, WARMING).await;
        let before = processor_time(server.id());
        let start = Instant::now();
        let mut latencies = self.send(&server, seconds).await;
        let elapsed = start.elapsed().as_secs_f64();
        let used = processor_time(server.id()) - before;
        latencies.sort_unstable();
        let milliseconds = |share: f64| latencies[(latencies.len() as f64 * share) as usize].as_secs_f64() * 1000.0;
        let requests = latencies.len() as f64;
        Figures {
            requests_per_second: requests / elapsed,
            median_ms: milliseconds(0.5),
            slow_ms: milliseconds(0.99),
            processor_us: used / requests,
        }
    }

    /// Returns the number of fsyncs per change, including the few fsyncs of the start. Without `--seccomp-bpf`, strace slows all system calls down. With
    /// it, only fsyncs become slower, and groups become much smaller than without strace.
    async fn fsyncs(&self, database: &Database) -> f64 {
        let copy = Copy::new(database, "counted");
        let report = std::env::temp_dir().join(format!("soak-{}.strace", std::process::id()));
        let mut command = Command::new("strace");
        command.args(["-f", "-c", "-e", "trace=fsync,fdatasync", "-o"]).arg(&report);
        let server = start(Some(command), self.kind, &copy.url);
        let changes = self.send(&server, COUNTED).await.len();
        drop(server);
        let calls = calls_of(&report);
        let _ = std::fs::remove_file(&report);
        calls as f64 / changes as f64
    }

    /// Checks one response completely. Then sends requests on all connections, and returns the latencies of their responses.
    async fn send(&self, server: &Server, duration: Duration) -> Vec<Duration> {
        let mut client = server.client();
        let response = client.send_raw(&self.case.request(self.kind)).await.expect("a response");
        self.case.check(self.kind, &response);
        let end = Instant::now() + duration;
        let connections: Vec<_> = (0..self.connections)
            .map(|connection| {
                let requests = Requests::new(self.case, self.kind, self.has_many_rows, self.rows, connection);
                tokio::spawn(send_until(end, client.port(), requests, self.case.status))
            })
            .collect();
        let receive = async {
            let mut latencies = Vec::new();
            for connection in connections {
                latencies.extend(connection.await.expect("each response is as expected"));
            }
            latencies
        };
        tokio::time::timeout(duration + PATIENCE, receive).await.expect("the server responds within 30 s")
    }
}

/// Returns the sum of the column `calls` in a summary of strace.
fn calls_of(report: &Path) -> u64 {
    let text = std::fs::read_to_string(report).expect("strace writes its summary when the server ends");
    let calls = text.lines().filter(|line| line.ends_with("sync")).filter_map(|line| line.split_whitespace().nth(3));
    calls.filter_map(|calls| calls.parse::<u64>().ok()).sum()
}
