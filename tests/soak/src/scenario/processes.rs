//! `processes`: two processes whose writers share transactions change one SQLite file. SIGKILL of one loses nothing, and the other continues.

use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::Scenario;
use super::animals::{self, Animals};
use crate::process::Server;
use crate::speed::table;

/// The number of writers at each process.
const WRITERS: usize = 32;
const KILLS: usize = 5;

pub async fn run(scenario: &Scenario) {
    table::fill(&scenario.database, 1).await;
    let (animals, url, start) = (Animals::default(), scenario.database.url(), Instant::now());
    let first = Server::start("speed", "restwright", &url);
    let of_first = write(&animals, &first, scenario.size);
    for _ in 0..KILLS {
        let mut second = Server::start("speed", "restwright", &url);
        let of_second = write(&animals, &second, scenario.size);
        let per_round = scenario.size / (KILLS + 2);
        let killed_at = animals.acknowledged() + 1 + scenario.random.below(per_round as u64) as usize;
        while animals.acknowledged() < killed_at && !of_second.iter().all(|writer| writer.is_finished()) {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        second.kill();
        check_responses(scenario, of_second).await;
    }
    let second = Server::start("speed", "restwright", &url);
    let of_second = write(&animals, &second, scenario.size);
    check_responses(scenario, of_first).await;
    check_responses(scenario, of_second).await;
    animals::check(scenario, &animals.states(), &url).await;
    drop((first, second));
    animals::check(scenario, &animals.states(), &url).await;
    scenario.figure(format_args!(
        "{} of {} creates at two processes with {WRITERS} writers each acknowledged over {KILLS} kills of one in {:.1} s, and {} responses \
         with 503",
        animals.acknowledged(),
        animals.created(),
        start.elapsed().as_secs_f64(),
        animals.unavailable()
    ));
}

/// Starts the writers of a process.
fn write(animals: &Animals, server: &Server, target: usize) -> Vec<JoinHandle<Vec<String>>> {
    (0..WRITERS).map(|_| tokio::spawn(animals.clone().change(server.client(), target))).collect()
}

async fn check_responses(scenario: &Scenario, writers: Vec<JoinHandle<Vec<String>>>) {
    for writer in writers {
        let rejected = writer.await.expect("no client panics");
        scenario.expect(rejected.is_empty(), || format!("changes at two processes: {rejected:?}"));
    }
}
