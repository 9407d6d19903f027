//! Compares the connection limit with the number of files that the process may open, and detects when it has no more.

use std::convert::Infallible;
use std::fs::File;
use std::time::{Duration, Instant};

use actix_server::ServerHandle;
use restwright_runtime::core::OutageLog;
use restwright_runtime::core::runtime::log;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The number of descriptors that are left for files, databases and other connections of the application.
const RESERVED: u64 = 100;

/// How often the process checks that it can open a file.
const CHECKED: Duration = Duration::from_secs(1);

/// The part of a message that says how to change the limit.
const ADVICE: &str =
    "raise `LimitNOFILE=` of systemd, `--ulimit nofile=` of Docker, or `ulimit -n`, or lower `Host::max_connections`";

/// Returns the number of connections that the process can have open, at most `wanted`.
///
/// Raises the soft limit of open files (`RLIMIT_NOFILE`) as far as needed and permitted. Logs a warning if the hard
/// limit is too low.
pub(crate) fn connections_within_limit(wanted: usize) -> usize {
    let needed = (wanted as u64).saturating_add(RESERVED);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let (soft, hard) = (current.unwrap_or(u64::MAX), maximum.unwrap_or(u64::MAX));
    let raised = needed.min(hard);
    let is_raised = soft >= raised || setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum }).is_ok();
    let limit = if is_raised { soft.max(raised) } else { soft };
    if limit >= needed {
        return wanted;
    }
    // A limit below twice the reserve leaves a half for connections.
    let possible = usize::try_from(limit.saturating_sub(RESERVED).max(limit / 2)).unwrap_or(wanted).max(1);
    log(|| {
        tracing::warn!(
            max_connections = wanted,
            possible,
            open_files = limit,
            "the limit of open files (RLIMIT_NOFILE) is too low for max_connections; {ADVICE}"
        )
    });
    possible.min(wanted)
}

/// Checks that the process can open files. While it cannot, the server accepts no connections and the log has a line
/// each minute.
pub(crate) async fn watch_descriptors(server: ServerHandle) -> Infallible {
    let begun = Instant::now();
    let mut outage = OutageLog::default();
    loop {
        tokio::time::sleep(CHECKED).await;
        let opened = File::open("/dev/null").map_err(|error| error.raw_os_error().map(Errno::from_raw_os_error));
        if let Err(Some(error @ (Errno::MFILE | Errno::NFILE))) = opened {
            if !outage.is_ongoing() {
                server.pause().await;
            }
            if let Some(outage) = outage.failed(begun.elapsed()) {
                let seconds = outage.seconds;
                log(|| {
                    tracing::error!(
                        %error,
                        seconds,
                        "no connection is accepted, because the process cannot open more files (RLIMIT_NOFILE); {ADVICE}"
                    )
                });
            }
        } else if let Some(outage) = outage.ended(begun.elapsed()) {
            server.resume().await;
            let seconds = outage.seconds;
            log(|| tracing::info!(seconds, "connections are accepted again"));
        }
    }
}
