//! The same work in hand-written actix-web and in restwright: `cargo bench -p restwright-benches --bench speed`.
//!
//! Each side is served by a separate process on one worker; this process is its client, over one keep-alive connection. Times are
//! noisy, so user-space instructions are counted too, with valgrind's callgrind: two runs of different length, and the difference
//! divided by the difference in requests, so that starting and stopping cancel out.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::cast_possible_truncation,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod building;
mod by_hand;
mod cases;
mod client;
mod collector;
mod cpu_time;
mod declared;
mod flood;
mod in_flight;
mod limited;
mod list_by_hand;
mod list_declared;
mod measure;
mod memory;
mod parts;
mod resource;
mod server;
mod table;
mod token;

use cases::CASES;
use server::Side;

/// `cargo bench -p restwright-benches --bench speed -- [name ..]` runs the named cases only, or `flood`, `memory` or `parts`; `-- serve <side> <case>` only serves
/// one, for a profiler.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve", "flood", keys] => return flood::serve(keys),
        ["serve", "memory", side, workers] => return memory::serve(Side::named(side), workers),
        ["serve", "part", log, name, collector] => return parts::serve(log, name, collector),
        ["serve", side, case] => return server::serve(Side::named(side), cases::named(case)),
        _ => {}
    }

    let counting = measure::valgrind_is_installed();
    if !counting {
        eprintln!("valgrind is not installed (apt install valgrind): times only, no instruction counts");
    }
    if arguments.is_empty() || arguments.contains(&"remembered") {
        in_flight::print();
    }
    if arguments.is_empty() || arguments.contains(&"flood") {
        flood::print(counting);
    }
    if arguments.is_empty() || arguments.contains(&"memory") {
        memory::print();
    }
    if arguments.is_empty() {
        building::print();
    }
    measure::stay_on_one_processor();
    if counting && (arguments.is_empty() || arguments.contains(&"parts")) {
        parts::print();
    }
    let cases = CASES.iter().filter(|case| arguments.is_empty() || arguments.contains(&case.name));
    let rows: Vec<_> = cases.map(|case| measure::row(case, counting)).collect();
    if !rows.is_empty() {
        table::print(rows);
    }
    if arguments.is_empty() || arguments.contains(&"limited") {
        cpu_time::print();
    }
}
