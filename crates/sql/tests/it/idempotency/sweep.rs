//! Expired responses.

use std::time::Duration;

use restwright_core::Clock;
use restwright_sql::{SqlIdempotency, SqlStore};

use super::{Shop, on_both, outcome};

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn responses_are_stored_for_a_day() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        shop.create("a", "one").await.assert_status(201);
        shop.clock.advance(DAY - Duration::from_secs(1));
        assert_eq!(outcome(&shop.create("a", "one").await), "201 replay");
        shop.clock.advance(Duration::from_secs(1));
        let outcomes = [shop.create("a", "two").await, shop.create("a", "two").await];
        assert_eq!(outcomes.each_ref().map(outcome), ["201", "201 replay"]);
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_sweep_deletes_expired_responses() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        for number in 0..5 {
            shop.create(&format!("early-{number}"), &format!("early {number}")).await.assert_status(201);
        }
        shop.clock.advance(Duration::from_secs(1));
        shop.create("late", "late").await.assert_status(201);
        let keys = |seconds: u64| {
            let clock = Clock::manual(1_800_000_000);
            clock.advance(Duration::from_secs(seconds));
            SqlIdempotency::new(&SqlStore::new(database.url())).clock(clock)
        };
        let day = DAY.as_secs();
        for (seconds, deleted) in [(day - 1, 0), (day, 5), (day, 0), (day + 1, 1)] {
            assert_eq!(keys(seconds).sweep().await.unwrap(), deleted, "{seconds}");
        }
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn the_component_deletes_expired_responses() {
    on_both(async |database| {
        let shop = Shop::at(&database.url(), |keys| keys.keep_for(Duration::from_secs(60))).await;
        shop.create("a", "one").await.assert_status(201);
        shop.clock.advance(Duration::from_secs(60));
        let deleted = || {
            let report = shop.client.api().report();
            let sample = report.samples().iter().find(|sample| sample.name() == "idempotency_deleted");
            sample.map(|sample| format!("{:?}", sample.value()))
        };
        assert_eq!(deleted(), Some("Counter(0)".to_owned()));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(deleted(), Some("Counter(1)".to_owned()));
        shop.stop().await;
    })
    .await;
}
