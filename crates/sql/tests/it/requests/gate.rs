//! A proxy that delays, rejects and closes connections to PostgreSQL.

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::databases::PostgresSchema;

/// A proxy in front of PostgreSQL that delays or rejects new connections.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<State>);

#[derive(Default)]
struct State {
    delay_milliseconds: AtomicU64,
    is_shut: AtomicBool,
    accepted: AtomicUsize,
    clients: Mutex<Vec<TcpStream>>,
}

impl Gate {
    pub(crate) fn delay(&self, delay: Duration) {
        self.0.delay_milliseconds.store(u64::try_from(delay.as_millis()).unwrap(), Ordering::Relaxed);
    }

    /// Sets whether the proxy closes new connections as soon as they are accepted.
    pub(crate) fn set_shut(&self, is_shut: bool) {
        self.0.is_shut.store(is_shut, Ordering::Relaxed);
    }

    pub(crate) fn accepted(&self) -> usize {
        self.0.accepted.load(Ordering::Relaxed)
    }

    /// Closes the connection with this number in the order of acceptance.
    pub(crate) fn cut(&self, number: usize) {
        self.0.clients.lock().unwrap()[number].shutdown(Shutdown::Both).unwrap();
    }

    /// Starts the proxy. It runs until the process ends.
    fn start(&self, target: SocketAddr) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, gate) = (listener.local_addr().unwrap(), self.clone());
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                gate.0.accepted.fetch_add(1, Ordering::Relaxed);
                if gate.0.is_shut.load(Ordering::Relaxed) {
                    continue;
                }
                gate.0.clients.lock().unwrap().push(client.try_clone().unwrap());
                let delay = Duration::from_millis(gate.0.delay_milliseconds.load(Ordering::Relaxed));
                thread::spawn(move || {
                    thread::sleep(delay);
                    let server = TcpStream::connect(target).unwrap();
                    let (from_server, to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                    thread::spawn(move || copy(from_server, to_client));
                    copy(client, server);
                });
            }
        });
        address
    }

    /// Closes all connections.
    pub(crate) fn cut_all(&self) {
        for client in &*self.0.clients.lock().unwrap() {
            let _ = client.shutdown(Shutdown::Both);
        }
    }

    /// Returns a URL whose connections go through the proxy.
    pub(crate) fn url(&self, schema: &PostgresSchema) -> String {
        let url = schema.url();
        let (_, rest) = url.split_once('@').unwrap();
        let (host, _) = rest.split_once('/').unwrap();
        let target = host.to_socket_addrs().unwrap().next().unwrap();
        let address = self.start(target);
        format!("{}&sslmode=disable", url.replace(host, &address.to_string()))
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
}
