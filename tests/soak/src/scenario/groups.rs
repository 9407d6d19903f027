//! `groups`: SIGKILL at random moments loses no acknowledged change of writers that share transactions, and a backup contains all changes before it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;
use sqlx::{Connection, Row, SqliteConnection};

use super::{Scenario, spread};
use crate::http::Client;
use crate::process::Server;
use crate::speed::table;

const WRITERS: usize = 64;
const KILLS: usize = 10;

/// The animals of the scenario by their number. The clients share them.
#[derive(Clone, Default)]
struct Animals(Arc<AtomicUsize>, Arc<Mutex<Vec<usize>>>);

impl Animals {
    fn acknowledged(&self) -> Vec<usize> {
        self.1.lock().expect("no client panics").clone()
    }

    /// Creates animals until the server is gone or a number of them is acknowledged. Returns the statuses other than 201.
    async fn create(self, mut client: Client, target: usize) -> Vec<u16> {
        let mut rejected = Vec::new();
        while rejected.len() < 10 && self.1.lock().expect("no client panics").len() < target {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            let body = json!({"name": format!("group {number}"), "species": "cat", "weight_kg": 4.5});
            match client.send("POST", "/animals", &[], Some(&body)).await {
                Ok(response) if response.status == 201 => self.1.lock().expect("no client panics").push(number),
                Ok(response) => rejected.push(response.status),
                Err(_) => break,
            }
        }
        rejected
    }

    /// Checks that a database has each acknowledged animal once and whole, and no other animal twice.
    async fn check(scenario: &Scenario, acknowledged: &[usize], url: &str) {
        let mut connection = SqliteConnection::connect(url).await.expect("the database opens");
        let select =
            sqlx::query("select name, count(*), min(weight_kg) from animals where name like 'group %' group by name");
        let rows = select.fetch_all(&mut connection).await.expect("the animals are read");
        connection.close().await.expect("the database closes");
        let found: HashMap<String, (i64, f64)> =
            rows.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
        for (name, of_name) in &found {
            scenario
                .expect(*of_name == (1, 4.5), || format!("{name} exists {} times, weight {}", of_name.0, of_name.1));
        }
        for number in acknowledged {
            let name = format!("group {number}");
            scenario.expect(found.contains_key(&name), || format!("{name} was acknowledged and is missing in {url}"));
        }
    }
}

pub async fn run(scenario: &Scenario) {
    table::fill(&scenario.database, 1).await;
    let (animals, url, mut times) = (Animals::default(), scenario.database.url(), Vec::new());
    for round in 0..=KILLS {
        let mut server = Server::start("speed", "restwright", &url);
        let started = animals.acknowledged().len();
        let target = if round == KILLS { scenario.size } else { started + scenario.size / (KILLS + 1) };
        let writers: Vec<_> =
            (0..WRITERS).map(|_| tokio::spawn(animals.clone().create(server.client(), target))).collect();
        if round < KILLS {
            let killed_at = started + 1 + scenario.random.below((target - started) as u64 * 9 / 10) as usize;
            while animals.acknowledged().len() < killed_at && !writers.iter().all(|writer| writer.is_finished()) {
                tokio::time::sleep(std::time::Duration::from_micros(200)).await;
            }
            server.kill();
        } else {
            times.push(back_up(scenario, &animals, &url).await);
        }
        for writer in writers {
            let rejected = writer.await.expect("no client panics");
            scenario.expect(rejected.is_empty(), || format!("creates that were rejected: {rejected:?}"));
        }
        drop(server);
        Animals::check(scenario, &animals.acknowledged(), &url).await;
    }
    let (acknowledged, sent) = (animals.acknowledged().len(), animals.0.load(Ordering::Relaxed));
    scenario.figure(format_args!(
        "{acknowledged} of {sent} creates by {WRITERS} writers acknowledged over {KILLS} kills; backup: {}",
        spread(times)
    ));
}

/// Backs the database up while the writers write, and checks the copy.
async fn back_up(scenario: &Scenario, animals: &Animals, url: &str) -> std::time::Duration {
    let path = url.trim_start_matches("sqlite://").split('?').next().unwrap_or_default();
    let copy = format!("{path}.backup");
    let (acknowledged, began) = (animals.acknowledged(), Instant::now());
    let mut connection = SqliteConnection::connect(url).await.expect("the database opens");
    let backup = format!("vacuum into '{copy}'");
    sqlx::query(sqlx::AssertSqlSafe(backup)).execute(&mut connection).await.expect("the backup is made");
    connection.close().await.expect("the database closes");
    let lasted = began.elapsed();
    Animals::check(scenario, &acknowledged, &format!("sqlite://{copy}")).await;
    scenario.expect(Path::new(&copy).exists(), || format!("{copy} is missing"));
    lasted
}
