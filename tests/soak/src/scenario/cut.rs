//! `cut`: while the database cannot be reached the responses are 503 and in time, and no retry makes anything twice.

use std::time::{Duration, Instant};

use super::orders::{Orders, shown};
use super::{Scenario, spread};
use crate::http::{Client, Response};
use crate::proxy::{Mode, Proxy};
use crate::shop::STATEMENT_TIMEOUT;

/// A response that needs the database takes no longer than a statement may, and this.
const MARGIN: Duration = Duration::from_secs(1);
const RECOVERY: Duration = Duration::from_secs(10);

pub async fn run(scenario: &Scenario) {
    let proxy = Proxy::start(&scenario.database.upstream()).await.expect("a free port");
    let server = scenario.start_at(&scenario.database.proxied(proxy.address())).await;
    let mut cut = Cut { scenario, proxy, client: server.client(), orders: Orders::default() };
    cut.recovers("at first").await;

    cut.outage(Mode::Cut, true).await;
    cut.outage(Mode::Stall, true).await;
    // New connections work, so that a response may be either.
    cut.outage(Mode::StallOpen, false).await;
    let rounds = (scenario.size / 100).clamp(1, 10);
    for mode in [Mode::CutBeforeCommit, Mode::CutAfterCommit] {
        for _ in 0..rounds {
            cut.interrupted(mode).await;
        }
        scenario.figure(format_args!("{mode:?}: {rounds} creates"));
    }
    let mut bytes = 0;
    let mut lengths = 0;
    while bytes < 1500 {
        cut.interrupted(Mode::CutAfter(bytes)).await;
        bytes += 1 + scenario.random.below((30_000 / scenario.size.max(1) as u64).max(10)) as usize;
        lengths += 1;
    }
    scenario.figure(format_args!("connections cut after {lengths} lengths of what the database sent"));
    cut.while_it_happens().await;
    let Cut { mut client, orders, .. } = cut;
    orders.check(scenario, &mut client).await;
    scenario.figure(format_args!("{} orders in the end", orders.acknowledged()));
}

struct Cut<'s> {
    scenario: &'s Scenario,
    proxy: Proxy,
    client: Client,
    orders: Orders,
}

impl Cut<'_> {
    /// Sends creates and views while a mode lasts, and creates after it.
    async fn outage(&mut self, mode: Mode, is_total: bool) {
        let created = self.create().await;
        let view = format!("/orders/{}", created.map(|response| response.id()).unwrap_or_default());
        self.proxy.set(mode);
        let mut times = Vec::new();
        for round in 0..6 {
            let start = Instant::now();
            let (ended, what) = if round % 2 == 0 {
                (self.create().await, "a create")
            } else {
                (self.client.get(&view).await, "a view")
            };
            let took = start.elapsed();
            times.push(took);
            let status = ended.as_ref().map_or(0, |response| response.status);
            let holds = status == 503 || !is_total && matches!(status, 200 | 201);
            self.scenario.expect(holds, || format!("{what} while {mode:?}: {}", shown(&ended)));
            self.scenario.expect(took < STATEMENT_TIMEOUT + MARGIN, || format!("{what} while {mode:?} took {took:?}"));
        }
        self.scenario.figure(format_args!("while {mode:?}: {}", spread(times)));
        self.recovers(&format!("{mode:?}")).await;
    }

    /// Sends a create while a mode lasts, and again with its key after it.
    async fn interrupted(&mut self, mode: Mode) {
        self.proxy.set(mode);
        let start = Instant::now();
        let ended = self.create().await;
        let took = start.elapsed();
        let holds = ended.as_ref().is_ok_and(|response| matches!(response.status, 201 | 503));
        self.scenario.expect(holds, || format!("a create while {mode:?}: {}", shown(&ended)));
        self.scenario.expect(took < STATEMENT_TIMEOUT + MARGIN, || format!("a create while {mode:?} took {took:?}"));
        self.recovers(&format!("{mode:?}")).await;
    }

    async fn create(&mut self) -> std::io::Result<Response> {
        self.orders.send_next(&mut self.client).await
    }

    /// Lets everything pass, waits until creates succeed again, and repeats the creates of unknown end.
    async fn recovers(&mut self, after: &str) {
        self.proxy.set(Mode::Pass);
        let start = Instant::now();
        let recovered = loop {
            let ended = self.create().await;
            let is_made = ended.is_ok_and(|response| response.status == 201);
            if is_made || start.elapsed() > RECOVERY {
                break is_made;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let took = start.elapsed();
        self.scenario.expect(recovered, || format!("no create succeeds {RECOVERY:?} after {after}"));
        if took > Duration::from_millis(500) {
            self.scenario.figure(format_args!("recovered {:.1} s after {after}", took.as_secs_f64()));
        }
        self.orders.repeat_unknown(self.scenario, &mut self.client).await;
    }

    /// Many creates while modes change at random.
    async fn while_it_happens(&mut self) {
        let target = self.orders.acknowledged() + self.scenario.size;
        let clients: Vec<_> = (0..8)
            .map(|_| {
                let (mut client, orders) = (Client::new(self.client.port()), self.orders.clone());
                tokio::spawn(async move {
                    let mut other = Vec::new();
                    while orders.acknowledged() < target && other.len() < 10 {
                        let start = Instant::now();
                        let ended = orders.send_next(&mut client).await;
                        let in_time = start.elapsed() < STATEMENT_TIMEOUT + MARGIN;
                        if !in_time || !ended.as_ref().is_ok_and(|response| matches!(response.status, 201 | 503)) {
                            other.push(format!("{} after {:?}", shown(&ended), start.elapsed()));
                        }
                    }
                    other
                })
            })
            .collect();
        let modes = [Mode::Cut, Mode::CutBeforeCommit, Mode::CutAfterCommit, Mode::CutAfter(300), Mode::CutAfter(2000)];
        let start = Instant::now();
        while !clients.iter().all(|client| client.is_finished()) && start.elapsed() < Duration::from_secs(120) {
            tokio::time::sleep(Duration::from_millis(self.scenario.random.below(50))).await;
            self.proxy.set(modes[self.scenario.random.below(modes.len() as u64) as usize]);
            tokio::time::sleep(Duration::from_millis(self.scenario.random.below(20))).await;
            self.proxy.set(Mode::Pass);
        }
        for client in clients {
            let other = client.await.expect("no client panics");
            self.scenario.expect(other.is_empty(), || format!("creates while connections break: {other:?}"));
        }
        self.scenario.figure(format_args!("{} creates of unknown end while connections broke", self.orders.unknown()));
        self.recovers("everything").await;
    }
}
