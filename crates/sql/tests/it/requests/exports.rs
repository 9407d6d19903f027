//! Exports to a client that reads slowly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::Endpoints;
use restwright_sql::SqlStore;
use restwright_tests::resident;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::outbox::on_postgres;
use super::server::{send, with_server};

/// A row.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/rows", batch, export)]
struct Row {
    #[property(id)]
    id: i64,
    text: String,
}

/// An export of 15 MB, which the buffers of a socket do not contain. The only connection of the store is free while the client does not read.
#[test]
fn an_export_holds_no_connection_between_its_pages() {
    on_postgres(|schema| {
        let store = SqlStore::new(schema.url()).connections(NonZeroU32::MIN).wait(Duration::from_secs(2)).migrate();
        let rows = Endpoints::<Row>::new(store, Access::public());
        let api = Api::builder(Configuration::new("rows", "1.0.0")).module(&rows).build().unwrap();
        with_server(api, 1, |address| {
            let data = json!({"data": vec![json!({"text": "x".repeat(2_500)}); 100]}).to_string();
            for _ in 0..60 {
                assert_eq!(send(address, "POST /rows/batch", &data).0, 201);
            }
            let mut export = TcpStream::connect(address).unwrap();
            export.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let head =
                "GET /rows?order_by=-id HTTP/1.1\r\nHost: t\r\nAccept: application/jsonl\r\nConnection: close\r\n\r\n";
            export.write_all(head.as_bytes()).unwrap();
            export.read_exact(&mut [0; 12]).unwrap();
            // The server now waits for the client.
            std::thread::sleep(Duration::from_millis(300));
            for _ in 0..3 {
                assert_eq!(send(address, "GET /rows/7", "").0, 200);
            }
            assert_eq!(send(address, "DELETE /rows/1", "").0, 204);
            let lines = BufReader::new(export).lines().map(Result::unwrap);
            let identifiers: Vec<i64> =
                lines.filter_map(|line| line.strip_prefix("{\"id\":")?.split(',').next()?.parse().ok()).collect();
            // The entity that was deleted during the export was not read yet.
            assert_eq!(identifiers, (2..=6_000).rev().collect::<Vec<_>>());
        });
    });
}

/// An export to a client that reads `RESTWRIGHT_EXPORT_RATE` MB in a second, by default 5, of `RESTWRIGHT_EXPORT_SIZE` MB, by default 5.
#[test]
fn a_slow_export_keeps_the_memory_of_the_process() {
    restwright_tests::alone("requests::exports::a_slow_export_keeps_the_memory_of_the_process", || {
        let setting = |name: &str| std::env::var(name).ok().map_or(5, |text| text.parse::<usize>().unwrap());
        let (size, rate) = (setting("RESTWRIGHT_EXPORT_SIZE"), setting("RESTWRIGHT_EXPORT_RATE"));
        on_postgres(|schema| {
            let store = SqlStore::new(schema.url()).connections(NonZeroU32::MIN).wait(Duration::from_secs(2)).migrate();
            let rows = Endpoints::<Row>::new(store, Access::public());
            let configuration = Configuration::new("rows", "1.0.0").deadline(Duration::from_secs(3_600));
            let api = Api::builder(configuration).module(&rows).build().unwrap();
            with_server(api, 1, |address| {
                let data = json!({"data": vec![json!({"text": "x".repeat(2_500)}); 100]}).to_string();
                for _ in 0..size * 4 {
                    assert_eq!(send(address, "POST /rows/batch", &data).0, 201);
                }
                let mut export = TcpStream::connect(address).unwrap();
                let head = "GET /rows HTTP/1.1\r\nHost: t\r\nAccept: text/csv\r\nConnection: close\r\n\r\n";
                export.write_all(head.as_bytes()).unwrap();
                let (before, started) = (resident(), Instant::now());
                let (mut buffer, mut read, mut most) = (vec![0; 65_536], 0, before);
                loop {
                    let piece = export.read(&mut buffer).unwrap();
                    if piece == 0 {
                        break;
                    }
                    read += piece;
                    most = most.max(resident());
                    let due = Duration::from_secs_f64(read as f64 / (rate * 1_000_000) as f64);
                    std::thread::sleep(due.saturating_sub(started.elapsed()));
                }
                assert_eq!(send(address, "GET /rows/7", "").0, 200);
                let (seconds, grown) = (started.elapsed().as_secs_f64(), most.saturating_sub(before));
                println!("{read} bytes in {seconds:.1} s: {before} KiB before, and at most {grown} KiB more");
                assert!(read > size * 1_000_000, "{read} bytes");
                assert!(grown < 10 * 1024, "{grown} KiB");
            });
        });
    });
}
