//! Instructions and requests per second of one side in one case.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::cases::Case;
use crate::client::Client;
use crate::server::Side;

/// Requests in the short and in the long counted run.
const COUNTED: (u32, u32) = (500, 2500);
/// Without it glibc clears and copies large blocks with one instruction, which callgrind counts once for each byte.
const COUNTED_TUNABLES: &str =
    "glibc.cpu.x86_rep_stosb_threshold=100000000:glibc.cpu.x86_rep_movsb_threshold=100000000";
const ROUNDS: u32 = 5;
const ROUND: Duration = Duration::from_millis(400);

pub(crate) struct Row {
    pub(crate) case: &'static Case,
    pub(crate) sides: Vec<Figures>,
}

pub(crate) struct Figures {
    pub(crate) instructions: Option<u64>,
    pub(crate) requests_per_second: f64,
}

pub(crate) fn valgrind_is_installed() -> bool {
    Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// From here on this process stays on one processor with the servers that it starts: waking another one costs more than a request,
/// and not always the same.
pub(crate) fn stay_on_one_processor() {
    let own = std::process::id().to_string();
    let pinned = Command::new("taskset").args(["--cpu-list", "--pid", "0", &own]).stdout(Stdio::null()).status();
    if !pinned.is_ok_and(|status| status.success()) {
        eprintln!(
            "taskset is not installed (apt install util-linux): times depend on where the system lets processes run"
        );
    }
}

pub(crate) fn row(case: &'static Case, counting: bool) -> Row {
    eprintln!("{} ..", case.title);
    let speeds = requests_per_second(case);
    let figures = |(side, requests_per_second): (Side, f64)| Figures {
        instructions: counting.then(|| {
            instructions_per_request(&["serve", side.name(), case.name], |client, requests| client.ask(case, requests))
        }),
        requests_per_second,
    };
    Row { case, sides: Side::ALL.into_iter().zip(speeds).map(figures).collect() }
}

/// The best of several rounds, the sides taking turns.
fn requests_per_second(case: &Case) -> Vec<f64> {
    let mut servers = Side::ALL.map(|side| Server::start(program(), &["serve", side.name(), case.name]));
    let mut best = vec![0.0_f64; servers.len()];
    for _ in 0..ROUNDS {
        for (server, best) in servers.iter_mut().zip(&mut best) {
            let (start, mut requests) = (Instant::now(), 0_u32);
            while start.elapsed() < ROUND {
                server.client.ask(case, 100);
                requests += 100;
            }
            *best = best.max(f64::from(requests) / start.elapsed().as_secs_f64());
        }
    }
    best
}

/// The instructions of a serving process for each of the requests that `ask` sends, so many at a time.
pub(crate) fn instructions_per_request(serve: &[&str], mut ask: impl FnMut(&mut Client, u32)) -> u64 {
    let (short, long) = COUNTED;
    let mut total = |requests| instructions(serve, |client| ask(client, requests));
    total(long).saturating_sub(total(short)) / u64::from(long - short)
}

fn instructions(serve: &[&str], ask: impl FnOnce(&mut Client)) -> u64 {
    let report = std::env::temp_dir().join(format!("speed-{}.callgrind", std::process::id()));
    let mut command = Command::new("valgrind");
    command.env("GLIBC_TUNABLES", COUNTED_TUNABLES);
    command.args(["--quiet", "--tool=callgrind", &format!("--callgrind-out-file={}", report.display())]);
    command.arg(program().get_program());
    let mut server = Server::start(command, serve);
    ask(&mut server.client);
    drop(server);
    let total = total_of(&report);
    std::fs::remove_file(&report).expect("valgrind wrote its report");
    total
}

fn total_of(report: &Path) -> u64 {
    let text = std::fs::read_to_string(report).expect("valgrind writes its report when the server ends");
    let totals = text.lines().find_map(|line| line.strip_prefix("totals: ")).expect("a report has totals");
    totals.trim().parse().expect("a total is a number")
}

pub(crate) fn program() -> Command {
    Command::new(std::env::current_exe().expect("a program knows itself"))
}

/// A serving process and a connection to it.
pub(crate) struct Server {
    process: Child,
    port: u16,
    pub(crate) client: Client,
}

impl Server {
    pub(crate) fn start(mut command: Command, serve: &[&str]) -> Self {
        command.args(serve).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the server starts");
        let mut port = String::new();
        BufReader::new(process.stdout.take().expect("piped")).read_line(&mut port).expect("the server prints its port");
        let port = port.trim().parse().expect("a port is a number");
        Self { process, port, client: Client::connect(port) }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Another connection to it.
    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
