//! A server in a separate process.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::http::Client;

pub struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// Starts `serve <application> <kind> <database>` of this program.
    pub fn start(application: &str, kind: &str, database: &str) -> Self {
        Self::start_by(program(), &["serve", application, kind, database])
    }

    /// Starts a server by a command, which prints its port.
    pub fn start_by(command: Command, arguments: &[&str]) -> Self {
        let log = if std::env::var_os("SOAK_LOG").is_none() { Stdio::null() } else { Stdio::inherit() };
        Self::start_with(command, arguments, log)
    }

    fn start_with(mut command: Command, arguments: &[&str], log: Stdio) -> Self {
        command
            .args(arguments)
            .env("SOAK_REDIS_PREFIX", format!("soak{}", std::process::id()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log);
        let mut process = command.spawn().expect("the server starts");
        let mut port = String::new();
        BufReader::new(process.stdout.take().expect("piped")).read_line(&mut port).expect("the server prints its port");
        let port =
            port.trim().parse().unwrap_or_else(|_| panic!("the server did not start: {arguments:?}; see SOAK_LOG=1"));
        Self { process, port }
    }

    /// Starts `serve <application> <kind> <argument>` of this program, with its log in a file.
    pub fn start_logged(application: &str, kind: &str, argument: &str, log: &Path) -> Self {
        let log = File::create(log).expect("a file for the log");
        Self::start_with(program(), &["serve", application, kind, argument], log.into())
    }

    pub fn client(&self) -> Client {
        Client::new(self.port)
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns what the process holds.
    pub fn usage(&self) -> Usage {
        let id = self.id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident.and_then(|text| text.trim().split(' ').next()?.parse().ok());
        let descriptors = std::fs::read_dir(format!("/proc/{id}/fd")).map_or(0, Iterator::count);
        Usage { memory_kib: resident.unwrap_or(0), descriptors }
    }

    /// Sends SIGTERM and waits for the end, a minute at most; returns whether it came in order.
    pub async fn terminate(&mut self) -> bool {
        let id = self.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status();
        for _ in 0..600 {
            if let Ok(Some(status)) = self.process.try_wait() {
                return sent.is_ok_and(|sent| sent.success()) && status.success();
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.kill();
        false
    }

    /// Sends SIGKILL and waits for the end.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a process holds.
#[derive(Clone, Copy)]
pub struct Usage {
    pub memory_kib: usize,
    pub descriptors: usize,
}

impl Drop for Server {
    /// Ends the server in order, by the end of its input.
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

pub fn program() -> Command {
    Command::new(std::env::current_exe().expect("the path of this program"))
}

/// Binds a free port and prints it; the process ends with its input.
pub fn listen() -> TcpListener {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    println!("{}", listener.local_addr().expect("a bound socket").port());
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    listener
}
