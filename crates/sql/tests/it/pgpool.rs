//! A store behind pgpool-II, which balances reads between a primary and a standby.

use std::fs;
use std::time::{Duration, Instant};

use restwright_conformance::Specimen;
use restwright_core::Component;
use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, Repository, Statement};
use restwright_sql::SqlStore;

use crate::cluster::{Cluster, DELAY, as_postgres, free_port};

const READS: usize = 100;

/// Starts a cluster with pgpool, and returns the port of pgpool.
fn start_pgpool(load_balance_mode: &str) -> (Cluster, u16) {
    let mut cluster = Cluster::start(&format!("pgpool-{load_balance_mode}"), "");
    let (port, folder) = (free_port(), cluster.folder.clone());
    // Reads go to the standby, if pgpool may choose.
    let backend = |index: usize| {
        format!(
            "backend_hostname{index} = '127.0.0.1'\nbackend_port{index} = {}\nbackend_weight{index} = {index}\n\
             backend_flag{index} = 'DISALLOW_TO_FAILOVER'\n",
            cluster.ports[index]
        )
    };
    let configuration = format!(
        "listen_addresses = '127.0.0.1'\nport = {port}\npcp_port = {}\nsocket_dir = '{folder}'\n\
         pcp_socket_dir = '{folder}'\nwd_ipc_socket_dir = '{folder}'\npid_file_name = '{folder}/pid'\nlogdir = '{folder}'\n\
         backend_clustering_mode = 'streaming_replication'\nload_balance_mode = {load_balance_mode}\nsr_check_user = 'postgres'\n\
         num_init_children = 20\nenable_pool_hba = off\n{}{}",
        free_port(),
        backend(0),
        backend(1),
        folder = folder.display(),
    );
    let file = folder.join("pgpool.conf");
    fs::write(&file, configuration).unwrap();
    let mut pgpool = as_postgres("/usr/sbin/pgpool");
    pgpool.args(["-n", "-f"]).arg(&file).arg("-F").arg(folder.join("pcp.conf"));
    cluster.begin(&mut pgpool, port, "pgpool");
    (cluster, port)
}

fn store(port: u16) -> SqlStore {
    SqlStore::new(format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable"))
}

fn pets() -> EntityDefinition {
    EntityDefinition::new("pets", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("text", ValueType::Text).nullable())
}

/// Starts a store as soon as pgpool finds its servers.
async fn started(make: impl Fn() -> SqlStore) -> SqlStore {
    let began = Instant::now();
    loop {
        let store = make();
        store.declare(&pets()).unwrap();
        match store.start().await {
            Ok(()) => return store,
            Err(error) => assert!(began.elapsed() < Duration::from_secs(30), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Returns how many entities are missing right after their insert.
async fn missing_after_insert(store: &SqlStore) -> usize {
    let definition = pets();
    let mut missing = 0;
    for _ in 0..READS {
        let inserted = store.insert(Statement::new(&definition), Specimen::default()).await.unwrap();
        let id = inserted.entity.id.into();
        let found = Repository::find::<Specimen>(store, Statement::new(&definition), &id).await.unwrap();
        missing += usize::from(found.is_none());
    }
    missing
}

#[tokio::test]
#[ignore = "starts two database servers and pgpool; run by `.ci/long databases`"]
async fn pgpool_reads_from_a_standby_unless_it_does_not_balance() {
    for (load_balance_mode, expected) in [("off", 0), ("on", READS)] {
        let (_cluster, port) = start_pgpool(load_balance_mode);
        // The tables exist on the standby before the first read.
        let migrated = started(|| store(port).migrate()).await;
        migrated.stop().await;
        tokio::time::sleep(DELAY * 5).await;
        for is_pooled in [false, true] {
            let pooled = |store: SqlStore| if is_pooled { store.transaction_pooler() } else { store };
            let store = started(|| pooled(store(port))).await;
            let missing = missing_after_insert(&store).await;
            println!("load_balance_mode = {load_balance_mode}, transaction_pooler: {is_pooled}, {missing} missing");
            assert_eq!(missing, expected, "{load_balance_mode} {is_pooled}");
            store.stop().await;
        }
    }
}
