//! Connections that are lost during a commit, whose result is then unknown.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Shop, outcome};
use crate::databases::PostgresSchema;

/// Forwards connections to a database. Closes the next one that commits, before or after the commit.
struct Proxy {
    url: String,
    cuts: Arc<AtomicBool>,
}

impl Proxy {
    async fn new(url: &str, is_committed: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (scheme, rest) = url.split_once("://").unwrap();
        let (authority, path) = rest.split_once('/').unwrap();
        let (user, server) = authority.rsplit_once('@').unwrap();
        // TLS is off, so that a commit is readable.
        let url = format!("{scheme}://{user}@{}/{path}&sslmode=disable", listener.local_addr().unwrap());
        let (cuts, server) = (Arc::new(AtomicBool::new(false)), server.to_owned());
        let proxy = Self { url, cuts: Arc::clone(&cuts) };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(forward(client, server, Arc::clone(&cuts), is_committed));
            }
        });
        proxy
    }
}

async fn forward(mut client: TcpStream, mut server: TcpStream, cuts: Arc<AtomicBool>, is_committed: bool) {
    let (mut sent, mut received) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut sent) => {
                let Ok(read @ 1..) = read else { return };
                let bytes = &sent[..read];
                let is_commit = bytes.windows(6).any(|word| word == b"COMMIT");
                if is_commit && cuts.swap(false, Ordering::SeqCst) {
                    if is_committed {
                        server.write_all(bytes).await.unwrap();
                        // The response confirms the commit.
                        assert!(server.read(&mut received).await.unwrap() > 0);
                    }
                    return;
                }
                server.write_all(bytes).await.unwrap();
            }
            read = server.read(&mut received) => {
                let Ok(read @ 1..) = read else { return };
                if client.write_all(&received[..read]).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_repeated_request_gets_the_actual_result() {
    for (is_committed, expected) in [(true, "201 replay"), (false, "201")] {
        let Some(schema) = PostgresSchema::new().await else { return };
        let proxy = Proxy::new(&schema.url(), is_committed).await;
        let shop = Shop::at(&proxy.url, |keys| keys).await;
        proxy.cuts.store(true, Ordering::SeqCst);
        let lost = shop.create("a", "one").await;
        lost.assert_status(503).assert_problem("unavailable");
        // The store does not repeat the commit, because it may have succeeded.
        assert_eq!((shop.begun(), shop.parcels().await), (1, usize::from(is_committed)));
        assert_eq!(outcome(&shop.create("a", "one").await), expected);
        assert_eq!(shop.parcels().await, 1);
        shop.stop().await;
        schema.drop().await;
    }
}

#[tokio::test]
async fn a_commit_without_a_key_is_not_repeated() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let proxy = Proxy::new(&schema.url(), true).await;
    let shop = Shop::at(&proxy.url, |keys| keys).await;
    proxy.cuts.store(true, Ordering::SeqCst);
    let lost = shop.client.post("/parcels").json(&json!({"label": "one"})).await;
    lost.assert_status(503).assert_problem("unavailable").assert_documented();
    assert_eq!((shop.begun(), shop.parcels().await), (1, 1));
    shop.stop().await;
    schema.drop().await;
}
