//! Connections to PostgreSQL over TLS, with certificates that the test generates.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::Component;
use restwright_sql::SqlStore;
use restwright_tests::{Authority, environment};
use rustls::ServerConfig;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

const HERE: &str = "127.0.0.1";

/// The first message of a client that requests TLS: its length and a code (PostgreSQL, `SSLRequest`).
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Starts a proxy that uses TLS with clients, but not with the server.
async fn proxy(server: &PgConnectOptions, tls: ServerConfig) -> SocketAddr {
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tls, server) = (TlsAcceptor::from(Arc::new(tls)), (server.get_host().to_owned(), server.get_port()));
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (tls, server) = (tls.clone(), server.clone());
            tokio::spawn(async move {
                let mut request = [0; 8];
                client.read_exact(&mut request).await.unwrap();
                assert_eq!(request, SSL_REQUEST);
                client.write_all(b"S").await.unwrap();
                // The client may reject the certificate.
                let Ok(mut client) = tls.accept(client).await else { return };
                let mut server = TcpStream::connect(server).await.unwrap();
                let _ = copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}

/// Connects to a proxy and reads from the server behind it.
async fn connect(server: &PgConnectOptions, proxy: SocketAddr, settings: &str) -> Result<i32, String> {
    let (user, database) = (server.get_username(), server.get_database().unwrap_or("postgres"));
    let store = SqlStore::new(format!("postgres://{user}@{proxy}/{database}?{settings}"));
    let store = store.wait(Duration::from_secs(10));
    store.start().await.map_err(|error| error.to_string())?;
    let read = sqlx::query_scalar("SELECT 1").fetch_one(&store.postgres_pool().unwrap()).await;
    store.stop().await;
    read.map_err(|error| error.to_string())
}

fn certificate_file(name: &str, pem: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("restwright-sql-tls-{}-{name}.pem", std::process::id()));
    std::fs::write(&file, pem).unwrap();
    file
}

#[tokio::test]
async fn a_connection_over_tls_performs_the_checks_of_its_url() {
    let Some(server) = environment("POSTGRES_URL") else { return };
    let server: PgConnectOptions = server.parse().unwrap();
    let (ours, other) = (Authority::new("ours"), Authority::new("other"));
    let named = proxy(&server, ours.server(HERE, 2100)).await;
    let misnamed = proxy(&server, ours.server("db.example.com", 2100)).await;
    let expired = proxy(&server, ours.server(HERE, 2020)).await;
    let our_file = certificate_file("ours", &ours.pem());
    let other_file = certificate_file("other", &other.pem());
    let (ours, other) = (our_file.display(), other_file.display());
    for (proxy, settings, expected) in [
        (named, format!("sslmode=verify-full&sslrootcert={ours}"), Ok(1)),
        (named, format!("sslmode=verify-full&sslrootcert={other}"), Err("UnknownIssuer")),
        (named, "sslmode=verify-full".to_owned(), Err("UnknownIssuer")),
        (misnamed, format!("sslmode=verify-full&sslrootcert={ours}"), Err("not valid for name")),
        (expired, format!("sslmode=verify-full&sslrootcert={ours}"), Err("expired")),
        (misnamed, format!("sslmode=verify-ca&sslrootcert={ours}"), Ok(1)),
        (misnamed, format!("sslmode=verify-ca&sslrootcert={other}"), Err("UnknownIssuer")),
        // Encrypted, but without a check of the server.
        (misnamed, "sslmode=require".to_owned(), Ok(1)),
    ] {
        match (connect(&server, proxy, &settings).await, expected) {
            (Ok(read), Ok(expected)) => assert_eq!(read, expected, "{settings}"),
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{settings}: {error}"),
            (outcome, _) => panic!("{settings}: {outcome:?}"),
        }
    }
    std::fs::remove_file(our_file).unwrap();
    std::fs::remove_file(other_file).unwrap();
}
