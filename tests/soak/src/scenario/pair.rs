//! `pair`: two processes on one database behave like one service, even when one of them is killed.

use std::time::Duration;

use super::Scenario;
use super::orders::{Orders, send, shown};
use crate::http::Client;

const CONNECTIONS: usize = 8;
const ROUNDS: usize = 50;
/// The quota of `GET /limited`.
const LIMIT: usize = 10;

pub async fn run(scenario: &Scenario) {
    let (mut first, second) = tokio::join!(scenario.start(), scenario.start());
    let orders = Orders::default();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            let clients = [first.client(), second.client()];
            tokio::spawn(round_robin(clients, orders.clone(), number, scenario.size))
        })
        .collect();
    while orders.acknowledged() < scenario.size / 2 && !clients.iter().all(|client| client.is_finished()) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    first.kill();
    for client in clients {
        let refused = client.await.expect("no client panics");
        scenario.expect(refused.is_empty(), || format!("creates on two processes: {refused:?}"));
    }
    let mut client = second.client();
    scenario.figure(format_args!(
        "{} orders on two processes, {} of unknown end",
        orders.acknowledged(),
        orders.unknown()
    ));
    orders.check(scenario, &mut client).await;
    orders.repeat_unknown(scenario, &mut client).await;
    orders.check(scenario, &mut client).await;

    let first = scenario.start().await;
    let mut other = first.client();
    let mut waiting = 0;
    for _ in 0..ROUNDS {
        let number = orders.next();
        let (one, two) = tokio::join!(send(&mut client, number), send(&mut other, number));
        let made: Vec<_> = [&one, &two].into_iter().flatten().filter(|response| response.status == 201).collect();
        scenario.expect(!made.is_empty(), || format!("one key at two processes: {} and {}", shown(&one), shown(&two)));
        if let [one, two] = made[..] {
            scenario.expect(one.body == two.body, || format!("one key made {} and {}", one.id(), two.id()));
        } else {
            waiting += 1;
            let holds = [&one, &two].into_iter().flatten().any(|response| response.status == 409);
            scenario.expect(holds, || format!("one key at two processes: {} and {}", shown(&one), shown(&two)));
        }
        orders
            .note(number, &if made.is_empty() || one.as_ref().is_ok_and(|one| one.status == 201) { one } else { two });
    }
    scenario.figure(format_args!("{ROUNDS} keys sent to both together, {waiting} of them with one 409"));
    orders.check(scenario, &mut client).await;
    limits(scenario, [client, other]).await;
}

/// Creates orders at both processes in turn, until a number of them is acknowledged. Returns the rejected ones.
async fn round_robin(mut clients: [Client; 2], orders: Orders, start: usize, target: usize) -> Vec<String> {
    let (mut refused, mut failed_in_turn) = (Vec::new(), 0);
    for turn in start.. {
        if orders.acknowledged() >= target || refused.len() > 10 {
            break;
        }
        let ended = orders.send_next(&mut clients[turn % 2]).await;
        if ended.as_ref().is_ok_and(|response| response.status != 201) {
            refused.push(shown(&ended));
        }
        // At most one of the two processes is down.
        failed_in_turn = if ended.is_err() { failed_in_turn + 1 } else { 0 };
        if failed_in_turn > 10 {
            refused.push("no process responds".to_owned());
            break;
        }
    }
    refused
}

async fn limits(scenario: &Scenario, mut clients: [Client; 2]) {
    // The handwritten server has no limits.
    if scenario.server == "by-hand" || restwright_tests::environment("REDIS_URL").is_none() {
        return;
    }
    let mut admitted = 0;
    for turn in 0..LIMIT * 3 {
        let ended = clients[turn % 2].get("/limited").await;
        match ended.as_ref().map(|response| response.status) {
            Ok(200) => admitted += 1,
            Ok(429) => {}
            _ => scenario.expect(false, || format!("a limited request: {}", shown(&ended))),
        }
    }
    scenario.expect(admitted == LIMIT, || format!("{admitted} requests were admitted of {LIMIT}"));
    scenario.figure(format_args!("{admitted} of {} requests admitted on two processes", LIMIT * 3));
}
