//! Exports to a client that reads slowly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::num::NonZeroU32;
use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::Endpoints;
use restwright_sql::PostgresStore;
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

/// An export of 24 MB, which the buffers of a socket do not contain. The only connection of the store is free while the client does not read.
#[test]
fn an_export_holds_no_connection_between_its_pages() {
    on_postgres(|schema| {
        let store =
            PostgresStore::new(schema.url()).connections(NonZeroU32::MIN).wait(Duration::from_secs(2)).migrate();
        let rows = Endpoints::<Row, _>::new(store, Access::public());
        let api = Api::builder(Configuration::new("rows", "1.0.0")).module(&rows).build().unwrap();
        with_server(api, 1, |address| {
            let data = vec![json!({"text": "x".repeat(24_000)}); 40];
            for _ in 0..25 {
                assert_eq!(send(address, "POST /rows/batch", &json!({"data": data}).to_string()).0, 201);
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
            assert_eq!(identifiers, (2..=1_000).rev().collect::<Vec<_>>());
        });
    });
}
