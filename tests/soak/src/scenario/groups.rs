//! `groups`: SIGKILL at random moments loses no acknowledged change of writers that share transactions, and a backup contains all changes before it.

use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::{Connection, SqliteConnection};

use super::animals::{self, Animals};
use super::{Scenario, spread};
use crate::process::Server;
use crate::speed::table;

const WRITERS: usize = 64;
const KILLS: usize = 10;

pub async fn run(scenario: &Scenario) {
    table::fill(&scenario.database, 1).await;
    let (animals, url, mut times) = (Animals::default(), scenario.database.url(), Vec::new());
    for round in 0..=KILLS {
        let mut server = Server::start("speed", "restwright", &url);
        let started = animals.acknowledged();
        let target = if round == KILLS { scenario.size } else { started + scenario.size / (KILLS + 1) };
        let writers: Vec<_> =
            (0..WRITERS).map(|_| tokio::spawn(animals.clone().create(server.client(), target))).collect();
        if round < KILLS {
            let killed_at = started + 1 + scenario.random.below((target - started) as u64 * 9 / 10) as usize;
            while animals.acknowledged() < killed_at && !writers.iter().all(|writer| writer.is_finished()) {
                tokio::time::sleep(Duration::from_micros(200)).await;
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
        animals::check(scenario, &animals.states(), &url).await;
    }
    let (acknowledged, sent) = (animals.acknowledged(), animals.created());
    scenario.figure(format_args!(
        "{acknowledged} of {sent} creates by {WRITERS} writers acknowledged over {KILLS} kills; backup: {}",
        spread(times)
    ));
}

/// Backs the database up while the writers write, and checks the copy.
async fn back_up(scenario: &Scenario, animals: &Animals, url: &str) -> Duration {
    let path = url.trim_start_matches("sqlite://").split('?').next().unwrap_or_default();
    let copy = format!("{path}.backup");
    let (states, began) = (animals.states(), Instant::now());
    let mut connection = SqliteConnection::connect(url).await.expect("the database opens");
    let backup = format!("vacuum into '{copy}'");
    sqlx::query(sqlx::AssertSqlSafe(backup)).execute(&mut connection).await.expect("the backup is made");
    connection.close().await.expect("the database closes");
    let lasted = began.elapsed();
    animals::check(scenario, &states, &format!("sqlite://{copy}")).await;
    scenario.expect(Path::new(&copy).exists(), || format!("{copy} is missing"));
    lasted
}
