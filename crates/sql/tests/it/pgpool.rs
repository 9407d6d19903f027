//! A store behind pgpool-II, which balances reads between a primary and a standby.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use restwright_core::Component;
use restwright_list::ValueType;
use restwright_resource::conformance::Specimen;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, Repository, Statement};
use restwright_sql::PostgresStore;

/// The programs of PostgreSQL.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";

/// The time after which the standby applies a change.
const DELAY: Duration = Duration::from_millis(100);

const READS: usize = 100;

/// A primary, a standby and pgpool. They end with the test.
struct Cluster {
    processes: Vec<Child>,
    folder: PathBuf,
    port: u16,
}

impl Cluster {
    fn start(load_balance_mode: &str) -> Self {
        let name = format!("restwright-pgpool-{}-{load_balance_mode}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let (primary, standby) = (folder.join("primary"), folder.join("standby"));
        fs::create_dir_all(&folder).unwrap();
        run(Command::new("chown").arg("postgres").arg(&folder));
        run(as_postgres("initdb").args(["--auth=trust", "--username=postgres", "--no-sync"]).arg("-D").arg(&primary));
        let ports = [free_port(), free_port(), free_port()];
        let mut cluster = Self { processes: Vec::new(), folder: folder.clone(), port: ports[2] };
        cluster.server(&primary, ports[0]);
        let source = format!("host=127.0.0.1 port={} user=postgres", ports[0]);
        run(as_postgres("pg_basebackup").args(["-R", "-X", "stream", "-c", "fast", "-d", &source, "-D"]).arg(&standby));
        let delay = format!("\nrecovery_min_apply_delay = '{}ms'\n", DELAY.as_millis());
        let settings = standby.join("postgresql.auto.conf");
        fs::write(&settings, fs::read_to_string(&settings).unwrap() + &delay).unwrap();
        cluster.server(&standby, ports[1]);
        // Reads go to the standby, if pgpool may choose.
        let backend = |index: usize| {
            format!(
                "backend_hostname{index} = '127.0.0.1'\nbackend_port{index} = {}\nbackend_weight{index} = {index}\n\
                 backend_flag{index} = 'DISALLOW_TO_FAILOVER'\n",
                ports[index]
            )
        };
        let configuration = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\npcp_port = {}\nsocket_dir = '{folder}'\n\
             pcp_socket_dir = '{folder}'\nwd_ipc_socket_dir = '{folder}'\npid_file_name = '{folder}/pid'\nlogdir = '{folder}'\n\
             backend_clustering_mode = 'streaming_replication'\nload_balance_mode = {load_balance_mode}\nsr_check_user = 'postgres'\n\
             num_init_children = 20\nenable_pool_hba = off\n{}{}",
            ports[2],
            free_port(),
            backend(0),
            backend(1),
            folder = folder.display(),
        );
        let file = folder.join("pgpool.conf");
        fs::write(&file, configuration).unwrap();
        let mut pgpool = as_postgres("/usr/sbin/pgpool");
        pgpool.args(["-n", "-f"]).arg(&file);
        cluster.begin(pgpool.arg("-F").arg(folder.join("pcp.conf")), ports[2], "pgpool");
        cluster
    }

    fn server(&mut self, data: &Path, port: u16) {
        let mut server = as_postgres("postgres");
        server.arg("-D").arg(data).args(["-p", &port.to_string(), "-c", "fsync=off", "-k"]).arg(&self.folder);
        self.begin(&mut server, port, "postgres");
    }

    fn begin(&mut self, command: &mut Command, port: u16, name: &str) {
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

    fn store(&self) -> PostgresStore {
        PostgresStore::new(format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
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
fn as_postgres(program: &str) -> Command {
    let id = |option: &str| -> u32 {
        let output = Command::new("id").args([option, "postgres"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    let mut command = Command::new(Path::new(PROGRAMS).join(program));
    command.current_dir("/").gid(id("-g")).uid(id("-u"));
    command
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn pets() -> EntityDefinition {
    EntityDefinition::new("pets", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("text", ValueType::Text).nullable())
}

/// Starts a store as soon as pgpool finds its servers.
async fn start(store: impl Fn() -> PostgresStore) -> PostgresStore {
    let began = Instant::now();
    loop {
        let store = store();
        store.declare(&pets()).unwrap();
        match store.start().await {
            Ok(()) => return store,
            Err(error) => assert!(began.elapsed() < Duration::from_secs(30), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Returns how many entities are missing right after their insert.
async fn missing_after_insert(store: &PostgresStore) -> usize {
    let definition = pets();
    let mut missing = 0;
    for _ in 0..READS {
        let inserted = store.insert(Statement::new(&definition), Specimen::default()).await.unwrap();
        let id = inserted.entity.id.into();
        let found = Repository::<Specimen>::find(store, Statement::new(&definition), &id).await.unwrap();
        missing += usize::from(found.is_none());
    }
    missing
}

#[tokio::test]
#[ignore = "starts two database servers and pgpool; run by `.ci/long databases`"]
async fn pgpool_reads_from_a_standby_unless_it_does_not_balance() {
    for (load_balance_mode, expected) in [("off", 0), ("on", READS)] {
        let cluster = Cluster::start(load_balance_mode);
        // The tables exist on the standby before the first read.
        let migrated = start(|| cluster.store().migrate()).await;
        migrated.stop().await;
        tokio::time::sleep(DELAY * 5).await;
        for is_pooled in [false, true] {
            let pooled = |store: PostgresStore| if is_pooled { store.transaction_pooler() } else { store };
            let store = start(|| pooled(cluster.store())).await;
            let missing = missing_after_insert(&store).await;
            println!("load_balance_mode = {load_balance_mode}, transaction_pooler: {is_pooled}, {missing} missing");
            assert_eq!(missing, expected, "{load_balance_mode} {is_pooled}");
            store.stop().await;
        }
    }
}
