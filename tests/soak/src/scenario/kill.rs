//! `kill`: SIGKILL at random moments loses nothing that was acknowledged, and creates nothing twice.

use std::time::{Duration, Instant};

use super::orders::Orders;
use super::{Scenario, spread};

const CONNECTIONS: usize = 8;
const KILLS: usize = 10;

pub async fn run(scenario: &Scenario) {
    let orders = Orders::default();
    let per_round = (scenario.size / (KILLS + 1)).max(1);
    let (mut unknown, mut restarts, start) = (0, Vec::new(), Instant::now());
    for round in 0..=KILLS {
        let restarted = Instant::now();
        let mut server = scenario.start().await;
        let mut client = server.client();
        restarts.push(restarted.elapsed());
        orders.check(scenario, &mut client).await;
        unknown += orders.unknown();
        orders.repeat_unknown(scenario, &mut client).await;
        orders.check(scenario, &mut client).await;

        let is_last = round == KILLS;
        let target = if is_last { scenario.size } else { orders.acknowledged() + per_round };
        let clients: Vec<_> =
            (0..CONNECTIONS).map(|_| tokio::spawn(create(server.client(), orders.clone(), target))).collect();
        if !is_last {
            let killed_at = target - per_round + 1 + scenario.random.below(per_round as u64 * 9 / 10) as usize;
            while orders.acknowledged() < killed_at && !clients.iter().all(|client| client.is_finished()) {
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
            tokio::time::sleep(Duration::from_micros(scenario.random.below(5000))).await;
            server.kill();
        }
        for client in clients {
            let refused = client.await.expect("no client panics");
            scenario.expect(refused.is_empty(), || format!("creates that were rejected: {refused:?}"));
        }
        if is_last {
            orders.check(scenario, &mut client).await;
        }
    }
    scenario.figure(format_args!(
        "{} orders acknowledged over {KILLS} kills in {:.1} s; {unknown} of unknown end, all repeated, the longest for {:.1} s; restart: {}",
        orders.acknowledged(),
        start.elapsed().as_secs_f64(),
        orders.longest_retry().as_secs_f64(),
        spread(restarts),
    ));
}

/// Creates orders until a number of them is acknowledged or the server is gone. Returns the statuses other than 201.
async fn create(mut client: crate::http::Client, orders: Orders, target: usize) -> Vec<u16> {
    let mut refused = Vec::new();
    while orders.acknowledged() < target {
        match orders.send_next(&mut client).await {
            Ok(response) if response.status == 201 => {}
            Ok(response) => refused.push(response.status),
            Err(_) => break,
        }
        if refused.len() > 10 {
            break;
        }
    }
    refused
}
