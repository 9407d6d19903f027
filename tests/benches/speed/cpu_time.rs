//! What a limit costs in the serving process's time, the kernel's work included: a request is more than its instructions.

use std::path::PathBuf;

use crate::cases::{self, Case};
use crate::measure::{Server, program};
use crate::server::Side;

const ROUNDS: usize = 200;
const REQUESTS: u32 = 1000;

/// Health without and with a limit, in turns, so other load of the machine affects both.
pub(crate) fn print() {
    let cases = ["routes-2", "limited"].map(cases::named);
    let mut servers = cases.map(|case| Server::start(program(), &["serve", Side::Restwright.name(), case.name]));
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for ((server, case), times) in servers.iter_mut().zip(cases).zip(&mut times) {
            times.push(round(server, case));
        }
    }
    let [Some(free), Some(limited)] = times.map(median) else {
        return eprintln!("the system does not say for how long a process ran: no time with and without a limit");
    };
    println!(
        "\nprocessor time of a request, with a limit over without: {:.3} ({limited:.0} ns, {free:.0} ns)",
        limited / free
    );
}

/// Nanoseconds for each request.
fn round(server: &mut Server, case: &Case) -> Option<f64> {
    let before = processor_time(server.id())?;
    server.client.ask(case, REQUESTS);
    Some((processor_time(server.id())? - before) as f64 / f64::from(REQUESTS))
}

/// Nanoseconds that all threads of a process have run; Linux counts them.
fn processor_time(process: u32) -> Option<u64> {
    let threads = PathBuf::from(format!("/proc/{process}/task")).read_dir().ok()?;
    threads
        .map(|thread| {
            let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        })
        .sum()
}

fn median(times: Vec<Option<f64>>) -> Option<f64> {
    let mut times = times.into_iter().collect::<Option<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}
