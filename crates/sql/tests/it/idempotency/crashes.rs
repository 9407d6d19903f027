//! A process that is killed while it executes a request.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::{Shop, on_both, outcome};

/// The environment variable with the point at which a process halts.
const MOMENT: &str = "RESTWRIGHT_TEST_HALTS_WHEN";
const URL: &str = "RESTWRIGHT_TEST_URL";

/// Halts forever if this process must halt at this point.
pub(super) async fn halt_if(moment: &str) {
    if std::env::var(MOMENT).is_ok_and(|halts| halts == moment) {
        println!("HALTED");
        std::future::pending::<()>().await;
    }
}

/// Runs in the process that is killed.
#[tokio::test]
#[ignore = "another test runs it in a separate process"]
async fn process() {
    let shop = Shop::at(&std::env::var(URL).unwrap(), |keys| keys).await;
    let moment = std::env::var(MOMENT).unwrap();
    shop.create(&moment, &moment).await;
}

/// Starts the process and kills it when it halts.
fn kill_when(moment: &str, url: &str) {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "idempotency::crashes::process", "--ignored", "--nocapture"])
        .envs([(MOMENT, moment), (URL, url)])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let has_halted = lines.map_while(Result::ok).any(|line| line.contains("HALTED"));
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(has_halted, "the process ended by itself");
}

#[tokio::test]
async fn a_create_is_not_repeated_after_a_crash() {
    on_both(async |database| {
        for (moment, expected, parcels) in [("inserted", "201", 1), ("committed", "201 replay", 2)] {
            kill_when(moment, &database.url());
            let shop = Shop::new(database).await;
            // If the key were held for the process that is gone, it would be a 409 after a second.
            assert_eq!(outcome(&shop.create(moment, moment).await), expected, "{moment}");
            assert_eq!(shop.parcels().await, parcels, "{moment}");
            shop.stop().await;
        }
    })
    .await;
}
