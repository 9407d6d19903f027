//! A proxy in front of PostgreSQL that records the statements of clients.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The statements since the last call. `execute` is a statement with values, and others are recorded as SQL.
#[derive(Clone, Default)]
pub(crate) struct Statements {
    statements: Arc<Mutex<Vec<String>>>,
    round_trips: Arc<AtomicUsize>,
}

impl Statements {
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.statements.lock().unwrap())
    }

    /// Returns the number of round trips since the last call: messages after which a client waits for `ReadyForQuery`.
    pub(crate) fn take_round_trips(&self) -> usize {
        self.round_trips.swap(0, Ordering::SeqCst)
    }

    fn note(&self, statement: String) {
        self.statements.lock().unwrap().push(statement);
    }
}

/// Starts a proxy to the server of a URL and returns the proxy's URL. It runs until the process ends.
pub(crate) fn start(url: &str) -> (String, Statements) {
    let host = url.split(['@', '/']).nth(3).unwrap();
    let target = host.to_socket_addrs().unwrap().next().unwrap();
    let (listener, statements) = (TcpListener::bind("127.0.0.1:0").unwrap(), Statements::default());
    let (address, noted) = (listener.local_addr().unwrap(), statements.clone());
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(target).unwrap());
            let (mut from_server, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || {
                let _ = std::io::copy(&mut from_server, &mut to_client);
                let _ = to_client.shutdown(Shutdown::Both);
            });
            let noted = noted.clone();
            thread::spawn(move || forward(client, server, &noted));
        }
    });
    // TLS is off, so the statements are readable.
    (format!("{}&sslmode=disable", url.replace(host, &address.to_string())), statements)
}

/// Forwards the messages of a client (PostgreSQL, chapter 55.7). Every message except the first starts with its type, followed by its length.
fn forward(mut client: TcpStream, mut server: TcpStream, noted: &Statements) -> Option<()> {
    let mut is_first = true;
    loop {
        let mut head = vec![0; if is_first { 4 } else { 5 }];
        client.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes(head[head.len() - 4..].try_into().unwrap());
        let mut body = vec![0; usize::try_from(length).unwrap() - 4];
        client.read_exact(&mut body).ok()?;
        if !is_first && [b'Q', b'S'].contains(&head[0]) {
            noted.round_trips.fetch_add(1, Ordering::SeqCst);
        }
        match head[0] {
            b'E' if !is_first => noted.note("execute".to_owned()),
            b'Q' if !is_first => noted.note(String::from_utf8_lossy(&body).trim_end_matches('\0').to_owned()),
            _ => {}
        }
        is_first = false;
        server.write_all(&head).ok()?;
        server.write_all(&body).ok()?;
    }
}
