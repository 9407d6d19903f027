//! Starts that last longer than 10 seconds.

use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::Endpoints;
use serde::{Deserialize, Serialize};
use sqlx::Connection;

use super::outbox::on_postgres;
use super::server::{send, with_server};

/// A song.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/songs", search(title))]
struct Song {
    #[property(id)]
    id: i64,
    title: String,
}

#[test]
fn the_server_listens_while_the_column_of_a_searchable_field_is_filled() {
    on_postgres(|schema| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let api = || {
            let songs = Endpoints::<Song>::new(schema.store().migrate(), Access::public());
            Api::builder(Configuration::new("songs", "1.0.0")).module(&songs).build().unwrap()
        };
        let mut other = runtime.block_on(async {
            let first = api();
            first.start().await.unwrap();
            first.stop().await;
            let mut other = sqlx::PgConnection::connect(&schema.url()).await.unwrap();
            for sql in ["INSERT INTO songs (title) VALUES ('ÄRGER')", "BEGIN; SELECT 1 FROM songs FOR UPDATE"] {
                sqlx::raw_sql(sql).execute(&mut other).await.unwrap();
            }
            other
        });
        with_server(api(), 1, |address| {
            let began = Instant::now();
            let (status, body) = send(address, "GET /songs?q=%C3%A4rger", "");
            assert_eq!(status, 503, "{body}");
            assert!(body.contains("The service is starting."), "{body}");
            assert!(began.elapsed() > Duration::from_secs(9), "{:?}", began.elapsed());
            runtime.block_on(sqlx::raw_sql("ROLLBACK").execute(&mut other)).unwrap();
            let found = loop {
                let (status, body) = send(address, "GET /songs?q=%C3%A4rger", "");
                if status == 200 {
                    break body;
                }
                assert!(began.elapsed() < Duration::from_secs(30), "{body}");
            };
            assert!(found.contains("ÄRGER"), "{found}");
        });
        runtime.block_on(other.close()).unwrap();
    });
}
