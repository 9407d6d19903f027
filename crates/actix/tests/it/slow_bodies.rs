//! Clients that send their bodies slowly, next to other clients.

use std::thread::sleep;
use std::time::Duration;

use crate::api::{BODY_LIMIT, BODY_MEMORY, MAX_CONCURRENT};
use crate::client::Client;
use crate::server::Server;

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: t\r\n\r\n";

/// Opens connections that send the head of a request, and the first bytes of its body.
fn slow(server: &Server, count: usize, path: &str, announced: usize, sent: usize) -> Vec<Client> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: t\r\nContent-Length: {announced}\r\n\r\n");
    let connect = |_| {
        let mut client = server.connect();
        client.send(&head).send(vec![b'x'; sent]);
        client
    };
    (0..count).map(connect).collect()
}

/// Starts as many requests as the server handles at once.
fn busy(server: &Server, path: &str) -> Vec<Client> {
    let busy = (0..MAX_CONCURRENT).map(|_| {
        let mut client = server.connect();
        client.send(format!("GET {path} HTTP/1.1\r\nHost: t\r\n\r\n"));
        client
    });
    let busy = busy.collect();
    sleep(Duration::from_millis(100));
    busy
}

fn statuses(server: &Server, count: usize, request: &str) -> Vec<u16> {
    (0..count).map(|_| server.send(request).status).collect()
}

#[test]
fn bodies_that_do_not_come_keep_nobody_out() {
    let post = "POST /pets HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"name\":\"Rex\"}";
    for (path, announced, sent) in [("/echo", 9, 0), ("/count", 9, 1), ("/relay", 9, 1), ("/echo", BODY_LIMIT, 2_000)] {
        let server = Server::start();
        let held = slow(&server, 100, path, announced, sent);
        assert_eq!(statuses(&server, 20, HEALTH), [200; 20], "{path}");
        assert_eq!(statuses(&server, 20, post), [201; 20], "{path}");
        drop(held);
    }
}

#[test]
fn a_body_beside_the_response_holds_no_place() {
    let server = Server::start();
    let mut relays = slow(&server, 10, "/relay", 9, 1);
    for client in &mut relays {
        client.send("y");
    }
    let _busy = busy(&server, "/slow");
    server.send(HEALTH).assert_problem(503, "overloaded");
}

#[test]
fn a_body_that_has_come_waits_for_a_place() {
    for (others, status) in [("/slow", 200), ("/slower", 503)] {
        for path in ["/echo", "/count"] {
            let server = Server::start();
            let mut late = slow(&server, 1, path, 9, 5);
            let _busy = busy(&server, others);
            server.send(HEALTH).assert_problem(503, "overloaded");
            assert_eq!(late[0].send("rest").response().status, status, "{path} next to {others}");
        }
    }
}

#[test]
fn memory_goes_to_the_faster_bodies() {
    let server = Server::start();
    let sent = BODY_LIMIT - 1_000;
    // A quarter is the allocator's, and a chunk of a body may be empty.
    let admitted = BODY_MEMORY * 3 / 4 / (sent + 16 * 1024);
    let mut clients = Vec::new();
    for _ in 0..10 {
        clients.extend(slow(&server, 1, "/echo", BODY_LIMIT, sent));
        sleep(Duration::from_millis(50));
    }
    let kept = clients.split_off(10 - admitted);
    for mut client in clients {
        client.response().assert_problem(408, "body_timeout");
        assert_eq!(client.rest(), "");
    }
    for mut client in kept {
        let response = client.send(vec![b'x'; 1_000]).response();
        assert_eq!((response.status, response.body.len()), (200, BODY_LIMIT));
    }
    // What was given up is forgotten.
    for mut client in slow(&server, admitted, "/echo", BODY_LIMIT, sent) {
        assert_eq!(client.send(vec![b'x'; 1_000]).response().status, 200);
    }
}
