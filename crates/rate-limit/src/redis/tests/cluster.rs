//! Tests the store with a fake Redis Cluster. Each test decides when a node fails.

use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::thread;

use super::fake::{ADMITTED, read_command};
use super::*;

/// A fake Redis Cluster whose nodes listen on sockets. The first node owns all hash slots.
struct FakeCluster {
    ports: Vec<u16>,
    nodes: Vec<Arc<FakeNode>>,
}

/// A fake cluster node that records which buckets it has charged. The test sets its behaviour for each script.
#[derive(Default)]
struct FakeNode {
    /// The Redis keys of the buckets that the node has charged.
    charged: Mutex<Vec<String>>,
    /// The node's behaviour for the next scripts, in order. For later scripts, the node charges normally.
    next: Mutex<Vec<Act>>,
}

/// The behaviour of a fake cluster node when it receives a script.
#[derive(Clone)]
enum Act {
    Respond(String),
    /// The node charges the bucket, and closes the connection before the response.
    ChargeAndClose,
    /// The node charges the bucket after a delay.
    ChargeAfter(Duration),
    /// The node never responds.
    Nothing,
}

impl FakeCluster {
    fn new(count: usize) -> Self {
        let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<_> = listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        let nodes: Vec<_> = (0..count).map(|_| Arc::<FakeNode>::default()).collect();
        // All slots belong to the first node. The other nodes have no slots.
        let slots = format!("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:{}\r\n", ports[0]);
        for (listener, node) in listeners.into_iter().zip(&nodes) {
            let (node, slots) = (node.clone(), slots.clone());
            thread::spawn(move || {
                for stream in listener.incoming() {
                    let (node, slots) = (node.clone(), slots.clone());
                    thread::spawn(move || node.respond_all(stream.unwrap(), &slots));
                }
            });
        }
        Self { ports, nodes }
    }

    fn store(&self, timeout: Duration) -> RedisLimiter {
        let url = format!("redis://127.0.0.1:{}", self.ports[0]);
        RedisLimiter::cluster([url], WhenUnavailable::FailClosed).prefix("test").timeout(timeout)
    }

    fn charged(&self, node: usize) -> Vec<String> {
        self.nodes[node].charged.lock().unwrap().clone()
    }

    fn next(&self, node: usize, acts: impl IntoIterator<Item = Act>) {
        *self.nodes[node].next.lock().unwrap() = acts.into_iter().collect();
    }
}

impl FakeNode {
    fn respond_all(&self, stream: TcpStream, slots: &str) {
        let mut commands = BufReader::new(stream);
        while let Some(command) = read_command(&mut commands) {
            let name = String::from_utf8_lossy(&command[0]).to_uppercase();
            let response = match &*name {
                "CLUSTER" => Some(slots.to_owned()),
                "PING" => Some("+PONG\r\n".to_owned()),
                "EVALSHA" => self.act(&command),
                _ => Some("+OK\r\n".to_owned()),
            };
            let Some(response) = response else { return };
            if commands.get_mut().write_all(response.as_bytes()).is_err() {
                return;
            }
        }
    }

    /// Returns the response of the node to a script, or `None` if the node closes the connection.
    fn act(&self, command: &[Vec<u8>]) -> Option<String> {
        let act = {
            let mut next = self.next.lock().unwrap();
            if next.is_empty() { Act::Respond(ADMITTED.to_owned()) } else { next.remove(0) }
        };
        let charge = || self.charged.lock().unwrap().push(String::from_utf8_lossy(&command[3]).into_owned());
        match act {
            Act::Respond(response) => {
                if response == ADMITTED {
                    charge();
                }
                return Some(response);
            }
            Act::ChargeAndClose => charge(),
            Act::ChargeAfter(time) => {
                thread::sleep(time);
                charge();
                return Some(ADMITTED.to_owned());
            }
            Act::Nothing => loop {
                thread::park();
            },
        }
        None
    }
}

const BUCKET: &str = "test:a:all";

fn quota() -> Quota {
    Quota::per_minute(60)
}

#[tokio::test]
async fn follows_a_slot_that_moved() {
    let cluster = FakeCluster::new(2);
    let store = cluster.store(Duration::from_secs(10));
    let charges = [charge("a", quota(), 1)];
    store.charge(&charges).await.unwrap();
    cluster.next(0, [Act::Respond(format!("-MOVED 42 127.0.0.1:{}\r\n", cluster.ports[1]))]);
    store.charge(&charges).await.unwrap();
    assert_eq!((cluster.charged(0).len(), cluster.charged(1).len()), (1, 1));
}

/// Tests that a request is charged twice if the response is lost after the bucket was charged.
#[tokio::test]
async fn charges_twice_if_a_node_dies_after_it_charged() {
    let charges = [charge("a", quota(), 1)];
    for count in [1, 2] {
        let cluster = FakeCluster::new(count);
        let store = cluster.store(Duration::from_secs(10));
        store.charge(&charges).await.unwrap();
        cluster.next(0, [Act::ChargeAndClose]);
        store.charge(&charges).await.unwrap();
        assert_eq!(cluster.charged(0), [BUCKET; 1 + 2]);
    }
}

#[tokio::test]
async fn a_node_that_always_dies_after_it_charged_charges_at_most_four_times() {
    let charges = [charge("a", quota(), 1)];
    let cluster = FakeCluster::new(1);
    let store = cluster.store(Duration::from_secs(10));
    store.charge(&charges).await.unwrap();
    cluster.next(0, vec![Act::ChargeAndClose; 20]);
    assert!(store.charge(&charges).await.is_err());
    let times = cluster.charged(0).len() - 1;
    assert!((2..=4).contains(&times), "{times}");
}

#[tokio::test]
async fn an_abandoned_call_continues() {
    let cluster = FakeCluster::new(1);
    let store = cluster.store(Duration::from_secs(10));
    let charges = [charge("a", quota(), 1), charge("b", quota(), 1)];
    store.charge(&charges).await.unwrap();
    cluster.next(0, [Act::ChargeAfter(Duration::from_millis(200))]);
    let abandoned = tokio::time::timeout(Duration::from_millis(50), store.charge(&charges)).await;
    assert!(abandoned.is_err());
    let started = std::time::Instant::now();
    while cluster.charged(0).len() < 4 {
        assert!(started.elapsed() < Duration::from_mins(1), "{:?}", cluster.charged(0));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(cluster.charged(0), [BUCKET, "test:b:all", BUCKET, "test:b:all"]);
}

/// Tests that all buckets of a request share one timeout.
#[tokio::test]
async fn one_bound_holds_for_all_buckets_of_a_request() {
    let cluster = FakeCluster::new(1);
    let store = cluster.store(Duration::from_millis(1000));
    let charges = [charge("a", quota(), 1), charge("b", quota(), 1), charge("c", quota(), 1)];
    store.charge(&charges).await.unwrap();
    let slow = Act::ChargeAfter(Duration::from_millis(600));
    cluster.next(0, [slow.clone(), slow, Act::Nothing]);
    let error = store.charge(&charges).await.unwrap_err().to_string();
    assert_eq!(error, "the cluster did not respond in time");
    let charged = cluster.charged(0);
    assert_eq!(charged.iter().filter(|bucket| *bucket == "test:c:all").count(), 1, "{charged:?}");
}
