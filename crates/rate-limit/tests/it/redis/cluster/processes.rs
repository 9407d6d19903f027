//! A cluster of six processes for a test: three masters with a replica each.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use redis::{Commands, Connection, RedisResult};

pub(super) const MASTERS: usize = 3;

/// The slots of each master, the first and the last.
const SLOTS: [(usize, usize); MASTERS] = [(0, 5460), (5461, 10922), (10923, 16383)];

/// Six servers, which are killed in the end.
pub(super) struct Processes {
    directory: PathBuf,
    /// The masters, then the replica of each.
    servers: Vec<Server>,
}

struct Server {
    port: u16,
    process: Child,
}

/// The time within which a cluster has to form, or to fail over; a busy machine takes long.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

impl Processes {
    /// Starts a cluster that notices the failure of a node after a time; `None` with a message if there is no Redis.
    pub(super) fn start(node_timeout: Duration) -> Option<Self> {
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            restwright_tests::skip("redis-server is not installed");
            return None;
        }
        // Another process may take a port before the server does.
        let cluster = (0..10).find_map(|_| Self::launch(node_timeout)).expect("six servers start");
        cluster.form();
        Some(cluster)
    }

    pub(super) fn urls(&self) -> Vec<String> {
        self.servers.iter().map(|server| url(server.port)).collect()
    }

    pub(super) fn connect(&self, server: usize) -> RedisResult<Connection> {
        let client = redis::Client::open(url(self.servers[server].port))?;
        let connection = client.get_connection_with_timeout(Duration::from_secs(5))?;
        connection.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(connection)
    }

    pub(super) fn port(&self, server: usize) -> u16 {
        self.servers[server].port
    }

    /// Returns the identifier of a node.
    pub(super) fn id(&self, server: usize) -> String {
        redis::cmd("CLUSTER").arg("MYID").query(&mut self.connect(server).unwrap()).unwrap()
    }

    /// Returns the slot of a key.
    pub(super) fn slot(&self, key: &str) -> usize {
        redis::cmd("CLUSTER").arg("KEYSLOT").arg(key).query(&mut self.connect(0).unwrap()).unwrap()
    }

    /// Returns the master that has had a slot from the beginning.
    pub(super) fn first_master(slot: usize) -> usize {
        SLOTS.iter().position(|(first, last)| (*first..=*last).contains(&slot)).unwrap()
    }

    pub(super) fn kill(&mut self, server: usize) {
        let process = &mut self.servers[server].process;
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Stops a server, which then responds no more, and keeps its connections.
    pub(super) fn freeze(&self, server: usize) {
        let process = self.servers[server].process.id().to_string();
        assert!(Command::new("kill").args(["-STOP", &process]).status().unwrap().success());
    }

    /// Waits until the replica of a master has its slots, as one that still works sees it.
    pub(super) fn wait_for_failover(&self, master: usize, witness: usize) {
        let replica = self.port(master + MASTERS);
        until("the replica becomes the master", || {
            let mut connection = self.connect(witness)?;
            let nodes: String = redis::cmd("CLUSTER").arg("NODES").query(&mut connection)?;
            let line = nodes.lines().find(|line| line.contains(&format!(":{replica}@"))).unwrap_or_default().to_owned();
            Ok(line.contains("master") && line.ends_with(&format!("{}-{}", SLOTS[master].0, SLOTS[master].1)))
        });
    }

    fn launch(node_timeout: Duration) -> Option<Self> {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
        let directory = std::env::temp_dir().join(format!("restwright-test-cluster-{}-{since}", std::process::id()));
        let mut cluster = Self { directory, servers: Vec::new() };
        for port in free_ports(2 * MASTERS, since) {
            let own = cluster.directory.join(port.to_string());
            std::fs::create_dir_all(&own).unwrap();
            let mut command = Command::new("redis-server");
            command.current_dir(&own).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
            command.args(["--cluster-enabled", "yes", "--cluster-node-timeout", &node_timeout.as_millis().to_string()]);
            command.args(["--cluster-require-full-coverage", "no", "--repl-diskless-sync-delay", "0"]);
            command.args(["--logfile", "log", "--dir"]).arg(&own);
            let process = command.spawn().expect("redis-server starts");
            cluster.servers.push(Server { port, process });
        }
        let started = Instant::now();
        for server in 0..cluster.servers.len() {
            while cluster.connect(server).and_then(|mut connection| connection.ping::<String>()).is_err() {
                let ended = cluster.servers[server].process.try_wait().unwrap().is_some();
                if ended || started.elapsed() > PATIENCE {
                    return None;
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
        Some(cluster)
    }

    fn form(&self) {
        for (master, (first, last)) in SLOTS.into_iter().enumerate() {
            let mut connection = self.connect(master).unwrap();
            redis::cmd("CLUSTER").arg("ADDSLOTSRANGE").arg(first).arg(last).exec(&mut connection).unwrap();
            redis::cmd("CLUSTER").arg("SET-CONFIG-EPOCH").arg(master + 1).exec(&mut connection).unwrap();
        }
        for server in 1..2 * MASTERS {
            let mut connection = self.connect(server).unwrap();
            redis::cmd("CLUSTER").arg("MEET").arg("127.0.0.1").arg(self.port(0)).exec(&mut connection).unwrap();
        }
        for replica in MASTERS..2 * MASTERS {
            let master = self.id(replica - MASTERS);
            // The master has to be known first.
            until("the replica finds its master", || {
                redis::cmd("CLUSTER").arg("REPLICATE").arg(&master).exec(&mut self.connect(replica)?)?;
                Ok(true)
            });
        }
        for server in 0..2 * MASTERS {
            until("the cluster forms", || {
                let mut connection = self.connect(server)?;
                let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut connection)?;
                let nodes: String = redis::cmd("CLUSTER").arg("NODES").query(&mut connection)?;
                let replication: String = redis::cmd("INFO").arg("replication").query(&mut connection)?;
                let is_linked = server < MASTERS || replication.contains("master_link_status:up");
                let slaves = nodes.lines().filter(|line| line.contains("slave")).count();
                Ok(info.contains("cluster_state:ok")
                    && info.contains("cluster_size:3")
                    && slaves == MASTERS
                    && is_linked)
            });
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for server in &mut self.servers {
            drop(server.process.kill());
            drop(server.process.wait());
        }
        drop(std::fs::remove_dir_all(&self.directory));
    }
}

/// Waits until a condition holds; an error is not yet.
pub(super) fn until(what: &str, mut condition: impl FnMut() -> RedisResult<bool>) {
    let started = Instant::now();
    loop {
        let outcome = condition();
        if matches!(outcome, Ok(true)) {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{what}: {outcome:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn url(port: u16) -> String {
    format!("redis://127.0.0.1:{port}")
}

/// Free ports, whose ports of the cluster's bus, 10,000 above, are free as well. All are below those that systems give to clients.
fn free_ports(count: usize, seed: u128) -> Vec<u16> {
    let mut next = (seed / 1000 + u128::from(std::process::id()) * 7919) % 11_000;
    let mut ports = Vec::new();
    while ports.len() < count {
        next = (next + 17) % 11_000;
        let port = 10_000 + u16::try_from(next).unwrap();
        let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
        if is_free(port) && is_free(port + 10_000) {
            ports.push(port);
        }
    }
    ports
}
