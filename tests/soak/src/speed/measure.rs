//! Measures the instructions and the processor time of the servers per request.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::cases::Case;
use crate::database::{Database, sqlite_url};
use crate::http::Client;
use crate::process::{Server, program};

/// The numbers of requests in the short and the long counted run.
const COUNTED: (u32, u32) = (500, 1500);
const WARMING: u32 = 200;
/// Without this setting, glibc clears and copies large blocks with one instruction, which callgrind counts once per byte.
const TUNABLES: &str = "glibc.cpu.x86_rep_stosb_threshold=100000000:glibc.cpu.x86_rep_movsb_threshold=100000000";

pub struct Settings {
    pub rounds: u32,
    pub requests: u32,
    /// `true` if instructions are counted. With PostgreSQL the count would be meaningless, because it lacks the database's part.
    pub counts: bool,
}

pub fn valgrind_is_installed() -> bool {
    let found = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Pins this process and the servers that it starts to one processor.
pub fn stay_on_one_processor() {
    let own = std::process::id().to_string();
    let _ = Command::new("taskset").args(["--cpu-list", "--pid", "0", &own]).stdout(Stdio::null()).status();
}

/// Returns the path of the crudcrate server, which is a separate program.
pub fn crudcrate() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crudcrate/target/release/restwright-soak-crudcrate")
}

/// Starts a server, optionally under a command.
pub fn start(under: Option<Command>, kind: &str, url: &str) -> Server {
    let (served, arguments) = match kind {
        "crudcrate" => (Command::new(crudcrate()), vec![url]),
        _ => (program(), vec!["serve", "speed", kind, url]),
    };
    let command = match under {
        Some(mut command) => {
            command.arg(served.get_program());
            command
        }
        None => served,
    };
    Server::start_by(command, &arguments)
}

/// Prints the rows of a case.
pub async fn case(case: &Case, kinds: &[&str], database: &Database, settings: &Settings) {
    if settings.counts {
        let mut counted = Vec::new();
        for kind in kinds {
            let (short, long) = COUNTED;
            let more = instructions(case, kind, database, long).await - instructions(case, kind, database, short).await;
            counted.push(more as f64 / f64::from(long - short));
        }
        print_row(&format!("{}: instructions", case.name), &counted, 0);
    }
    let times = processor_times(case, kinds, database, settings).await;
    print_row(&format!("{}: µs of processor time", case.name), &times, 1);
}

/// Prints figures, each with its ratio to the first.
fn print_row(title: &str, figures: &[f64], digits: usize) {
    let first = figures.first().copied().unwrap_or(1.0);
    let cells: Vec<_> = figures.iter().map(|figure| format!("{figure:.digits$} ({:.2})", figure / first)).collect();
    println!("| {title} | {} |", cells.join(" | "));
}

/// A copy of the database for one server, so each starts with the same rows.
pub struct Copy {
    pub url: String,
    folder: Option<PathBuf>,
}

impl Copy {
    pub fn new(database: &Database, name: &str) -> Self {
        let Database::Sqlite { folder } = database else { return Self { url: database.url(), folder: None } };
        let copy = folder.join(name);
        std::fs::create_dir_all(&copy).expect("a folder");
        std::fs::copy(folder.join("soak.db"), copy.join("soak.db")).expect("a copy");
        // Otherwise, the first fsyncs of the server would write the copy to the disk.
        let written = std::fs::File::open(copy.join("soak.db")).and_then(|file| file.sync_all());
        written.expect("the copy is on the disk");
        Self { url: sqlite_url(&copy), folder: Some(copy) }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

async fn instructions(case: &Case, kind: &str, database: &Database, requests: u32) -> i64 {
    let copy = Copy::new(database, "counted");
    let report = std::env::temp_dir().join(format!("soak-{}.callgrind", std::process::id()));
    let mut command = Command::new("valgrind");
    command.env("GLIBC_TUNABLES", TUNABLES);
    command.args([
        "--quiet",
        "--tool=callgrind",
        "--fair-sched=yes",
        &format!("--callgrind-out-file={}", report.display()),
    ]);
    let server = start(Some(command), kind, &copy.url);
    send(&mut server.client(), case, kind, requests).await;
    drop(server);
    let total = total_of(&report);
    let _ = std::fs::remove_file(&report);
    total
}

fn total_of(report: &Path) -> i64 {
    let text = std::fs::read_to_string(report).expect("valgrind writes its report when the server ends");
    let mut totals =
        text.lines().filter_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")));
    totals.next_back().and_then(|totals| totals.trim().parse().ok()).expect("a report has totals")
}

async fn send(client: &mut Client, case: &Case, kind: &str, requests: u32) {
    let request = case.request(kind);
    for number in 0..requests {
        let response = client.send_raw(&request).await.expect("a response");
        if number == 0 || response.status >= 400 {
            case.check(kind, &response);
        }
    }
}

/// Returns microseconds per request. The servers take turns, and the median of the rounds counts.
async fn processor_times(case: &Case, kinds: &[&str], database: &Database, settings: &Settings) -> Vec<f64> {
    let mut servers = Vec::new();
    for kind in kinds {
        let copy = Copy::new(database, kind);
        let server = start(None, kind, &copy.url);
        let mut client = server.client();
        send(&mut client, case, kind, WARMING).await;
        servers.push((server, client, copy, Vec::new()));
    }
    for _ in 0..settings.rounds {
        for (kind, (server, client, _, times)) in kinds.iter().zip(&mut servers) {
            // A server closes a connection that was idle for long while the others had their turns.
            *client = server.client();
            let before = processor_time(server.id());
            send(client, case, kind, settings.requests).await;
            times.push((processor_time(server.id()) - before) / f64::from(settings.requests));
        }
    }
    servers.into_iter().map(|(.., times)| median(times)).collect()
}

/// Returns the microseconds that all threads of a process have run.
pub fn processor_time(process: u32) -> f64 {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).expect("the threads of a process");
    let times = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    times.sum::<f64>() / 1000.0
}

pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
