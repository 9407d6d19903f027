//! `attack`: strangers hold up a server in every way at once, and a bystander is served throughout.

mod attackers;
mod bystander;
mod server;
mod tokens;

use std::fmt::Display;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use self::bystander::Bystander;
use crate::process::Server;
use crate::scenario::spread;

pub use self::server::serve;

/// The cap of connections, which the idle ones of the attackers exceed.
const CONNECTIONS: usize = 1_200;
const BODY_MEMORY: usize = 4 * 1024 * 1024;
const GRACE: Duration = Duration::from_secs(5);
const ISSUER: &str = "https://issuer.soak";
/// The time in which what strangers held is given back: an event stream notices at its second event that its client is gone, and a fetch of
/// keys from an issuer that hangs ends by its own timeout.
const GIVEN_BACK_WITHIN: Duration = Duration::from_secs(30);
/// The pace of measurements of the server's process.
const SAMPLE: Duration = Duration::from_secs(1);

/// What is wrong, and how often.
#[derive(Default)]
struct Findings(usize);

impl Findings {
    fn expect(&mut self, holds: bool, broken: impl Display) {
        if !holds {
            self.0 += 1;
            println!("BROKEN attack: {broken}");
        }
    }
}

/// Runs the attacks for some seconds.
pub fn run(options: &[&str]) -> ExitCode {
    let seconds = match options {
        [] => 600,
        ["--size", seconds] => seconds.parse().expect("--size is the number of seconds"),
        _ => {
            eprintln!("restwright-soak attack [--size SECONDS]");
            return ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let findings = runtime.block_on(attack(Duration::from_secs(seconds)));
    println!("attack: {} broken", findings.0);
    ExitCode::from(u8::from(findings.0 > 0))
}

async fn attack(length: Duration) -> Findings {
    let mut findings = Findings::default();
    let issuer = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let issuer_port = issuer.local_addr().expect("a bound socket").port().to_string();
    let issuing = tokio::spawn(tokens::serve_keys(issuer));
    let log = std::env::temp_dir().join(format!("restwright-attack-{}.log", std::process::id()));
    let mut server = Server::start_logged("attack", "restwright", &issuer_port, &log);
    let port = server.client().port();

    let quiet = bystander_alone(port).await;
    println!("attack: before it, {}", quiet.figures());
    assert!(
        quiet.failures.is_empty(),
        "the server does not start: {:?}; see {}",
        quiet.failures.first(),
        log.display()
    );
    let base = server.usage();

    let tokens_sent = Arc::new(AtomicU64::new(0));
    let mut attackers = attackers::start(port, tokens_sent.clone());
    let bystanders = [Bystander::start(port, true), Bystander::start(port, false)];
    let (mut samples, begin) = (Vec::new(), Instant::now());
    while begin.elapsed() < length {
        sleep(SAMPLE).await;
        samples.push(server.usage());
    }
    let (held, idle) = (attackers::HELD, attackers::IDLE);
    println!("attack: {held} connections that hold something, {idle} idle ones, a cap of {CONNECTIONS}");
    for (bystander, name) in bystanders.into_iter().zip(["on one connection", "on a new connection each time"]) {
        let seen = bystander.stop().await;
        println!("attack: a bystander {name}, {}", seen.figures());
        findings.expect(
            seen.failures.is_empty(),
            format!("{} of {name}: {:?}", seen.failures.len(), seen.failures.first()),
        );
        findings.expect(seen.longest() < Duration::from_secs(10), format!("{name}, {}", spread(seen.times)));
    }

    let memory = |samples: &[crate::process::Usage]| samples.iter().map(|usage| usage.memory_kib).max().unwrap_or(0);
    let third = samples.len() / 3;
    let (middle, last) = (memory(&samples[third..2 * third]), memory(&samples[2 * third..]));
    println!(
        "attack: memory {} KiB before, at most {middle} KiB in the second third, {last} KiB in the last",
        base.memory_kib
    );
    findings.expect(last <= middle + middle / 10 + 8 * 1024, format!("memory grew from {middle} to {last} KiB"));
    let most = samples.iter().map(|usage| usage.descriptors).max().unwrap_or(0);
    findings.expect(most <= CONNECTIONS + 100, format!("{most} descriptors at once"));

    // The idle ones stay until the end, so that the server has connections to close.
    attackers.abort_all();
    while attackers.join_next().await.is_some() {}
    let (begin, mut after) = (Instant::now(), server.usage().descriptors);
    while after > base.descriptors + 4 && begin.elapsed() < GIVEN_BACK_WITHIN {
        sleep(Duration::from_millis(100)).await;
        after = server.usage().descriptors;
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!("attack: {} descriptors before, at most {most}, {after} after {seconds:.1} s", base.descriptors);
    findings.expect(after <= base.descriptors + 4, "descriptors are left");

    let mut last_attackers = attackers::start(port, tokens_sent.clone());
    sleep(Duration::from_secs(2)).await;
    let begin = Instant::now();
    let ended = server.terminate().await;
    println!("attack: stopped under attack in {:.1} s", begin.elapsed().as_secs_f64());
    findings.expect(ended, format!("the server did not end in order: {}", log.display()));
    findings.expect(begin.elapsed() < GRACE + Duration::from_secs(3), "the stop took longer than the grace");
    last_attackers.abort_all();
    issuing.abort();

    let lines = std::fs::read_to_string(&log).unwrap_or_default();
    let (lines, requests) = (loud(&lines), tokens_sent.load(Ordering::Relaxed));
    println!("attack: {lines} lines of WARN or ERROR in the log, for {requests} forged tokens");
    // Fetches fail each cooldown; everything else is a stranger's.
    findings.expect(lines < 50 + length.as_secs() as usize, format!("{lines} lines in the log: {}", log.display()));
    if findings.0 == 0 {
        let _ = std::fs::remove_file(&log);
    }
    findings
}

fn loud(log: &str) -> usize {
    log.lines().filter(|line| line.contains("ERROR") || line.contains("WARN")).count()
}

async fn bystander_alone(port: u16) -> bystander::Seen {
    let bystander = Bystander::start(port, true);
    sleep(Duration::from_secs(2)).await;
    bystander.stop().await
}
