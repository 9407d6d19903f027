//! A primary and a standby of PostgreSQL, for tests of proxies and failovers.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The programs of PostgreSQL.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";

/// The time after which the standby applies a change.
pub(crate) const DELAY: Duration = Duration::from_millis(100);

/// A primary, a standby, and other programs. They end with the test.
pub(crate) struct Cluster {
    processes: Vec<Child>,
    pub(crate) folder: PathBuf,
    /// The ports of the primary and of the standby.
    pub(crate) ports: [u16; 2],
}

impl Cluster {
    /// Starts the servers. `settings` are settings of the primary, such as `synchronous_standby_names`.
    pub(crate) fn start(name: &str, settings: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("restwright-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        run(Command::new("chown").arg("postgres").arg(&folder));
        let mut cluster = Self { processes: Vec::new(), folder, ports: [free_port(), free_port()] };
        let (primary, standby) = (cluster.data(0), cluster.data(1));
        run(as_postgres("initdb").args(["--auth=trust", "--username=postgres", "--no-sync"]).arg("-D").arg(&primary));
        cluster.server(0);
        let source = format!("host=127.0.0.1 port={} user=postgres", cluster.ports[0]);
        run(as_postgres("pg_basebackup").args(["-R", "-X", "stream", "-c", "fast", "-d", &source, "-D"]).arg(&standby));
        let delay = format!("\nrecovery_min_apply_delay = '{}ms'\n", DELAY.as_millis());
        append(&standby, &delay);
        cluster.server(1);
        append(&primary, settings);
        run(as_postgres("pg_ctl").arg("reload").arg("-D").arg(&primary));
        cluster
    }

    fn data(&self, server: usize) -> PathBuf {
        self.folder.join(["primary", "standby"][server])
    }

    /// Starts the primary (0) or the standby (1), and returns when it listens.
    pub(crate) fn server(&mut self, server: usize) {
        let mut command = as_postgres("postgres");
        command.arg("-D").arg(self.data(server)).args(["-p", &self.ports[server].to_string(), "-k"]).arg(&self.folder);
        self.begin(&mut command, self.ports[server], "postgres");
    }

    /// Ends the primary with a signal: `-INT` ends its sessions, and `-QUIT` is like a crash.
    pub(crate) fn end_primary(&mut self, signal: &str) {
        let primary = &mut self.processes[0];
        run(Command::new("kill").args([signal, &primary.id().to_string()]));
        primary.wait().unwrap();
    }

    pub(crate) fn promote_standby(&self) {
        run(as_postgres("pg_ctl").arg("promote").arg("-D").arg(self.data(1)));
    }

    pub(crate) fn begin(&mut self, command: &mut Command, port: u16, name: &str) {
        let log = fs::File::create(self.folder.join(format!("{name}-{port}.log"))).unwrap();
        self.processes.push(command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap());
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "{name} does not listen; its log is in {:?}",
                self.folder
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let is_running = |process: &mut Child| process.try_wait().is_ok_and(|status| status.is_none());
        for process in self.processes.iter_mut().rev().filter_map(|process| is_running(process).then_some(process)) {
            // A server that is killed leaves its child processes.
            let _ = Command::new("kill").args(["-INT", &process.id().to_string()]).status();
            let ended = (0..100).any(|_| {
                std::thread::sleep(Duration::from_millis(100));
                process.try_wait().is_ok_and(|status| status.is_some())
            });
            if !ended {
                let _ = process.kill();
            }
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns a command of the user `postgres`, because servers do not run as root.
pub(crate) fn as_postgres(program: &str) -> Command {
    let id = |option: &str| -> u32 {
        let output = Command::new("id").args([option, "postgres"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    let mut command = Command::new(Path::new(PROGRAMS).join(program));
    command.current_dir("/").gid(id("-g")).uid(id("-u"));
    command
}

fn append(data: &Path, settings: &str) {
    let file = data.join("postgresql.auto.conf");
    let all = fs::read_to_string(&file).unwrap() + settings;
    fs::write(&file, all).unwrap();
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
