//! A server in a process of its own.

use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};

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
    pub fn start_by(mut command: Command, arguments: &[&str]) -> Self {
        command
            .args(arguments)
            .env("SOAK_REDIS_PREFIX", format!("soak{}", std::process::id()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if std::env::var_os("SOAK_LOG").is_none() {
            command.stderr(Stdio::null());
        }
        let mut process = command.spawn().expect("the server starts");
        let mut port = String::new();
        BufReader::new(process.stdout.take().expect("piped")).read_line(&mut port).expect("the server prints its port");
        let port =
            port.trim().parse().unwrap_or_else(|_| panic!("the server did not start: {arguments:?}; see SOAK_LOG=1"));
        Self { process, port }
    }

    pub fn client(&self) -> Client {
        Client::new(self.port)
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends SIGKILL and waits for the end.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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
