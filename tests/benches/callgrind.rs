//! Counts the instructions of this program with valgrind's callgrind.

use std::process::{Command, Stdio};

/// Without it glibc clears and copies large blocks with one instruction, which callgrind counts once for each byte.
const TUNABLES: &str = "glibc.cpu.x86_rep_stosb_threshold=100000000:glibc.cpu.x86_rep_movsb_threshold=100000000";

/// Returns the instructions of a process of this program with the given arguments.
pub(crate) fn instructions(arguments: &[&str]) -> u64 {
    let report = std::env::temp_dir().join(format!("bench-{}.callgrind", std::process::id()));
    let status = Command::new("valgrind")
        .env("GLIBC_TUNABLES", TUNABLES)
        .args(["--quiet", "--tool=callgrind", &format!("--callgrind-out-file={}", report.display())])
        .arg(std::env::current_exe().unwrap())
        .args(arguments)
        .stdout(Stdio::null())
        .status()
        .expect("valgrind is installed (apt install valgrind)");
    assert!(status.success(), "{arguments:?}");
    let text = std::fs::read_to_string(&report).unwrap();
    std::fs::remove_file(&report).unwrap();
    text.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap().trim().parse().unwrap()
}

/// Returns the instructions per request: the difference of a long and a short run, divided by the difference in requests.
pub(crate) fn per_request((short, long): (u64, u64), instructions: impl Fn(u64) -> u64) -> u64 {
    instructions(long).saturating_sub(instructions(short)) / (long - short)
}
