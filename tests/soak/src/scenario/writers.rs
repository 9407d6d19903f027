//! `writers`: concurrent changes wait for each other instead of failing, and none is lost.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::json;

use super::orders::{Orders, shown};
use super::{Scenario, spread};
use crate::http::{Client, Response};
use crate::process::Server;

const WRITERS: usize = 64;
const CHANGERS: usize = 32;
const ROUNDS: usize = 20;

pub async fn run(scenario: &Scenario) {
    let server = scenario.start().await;
    create(scenario, &server).await;
    one_wins(scenario, &server).await;
    none_is_lost(scenario, &server).await;
    race_a_delete(scenario, &server).await;
}

/// Creates from 64 connections at once.
async fn create(scenario: &Scenario, server: &Server) {
    let (orders, start) = (Orders::default(), Instant::now());
    let each = (scenario.size / WRITERS).max(1);
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let (mut client, orders) = (server.client(), orders.clone());
            tokio::spawn(async move {
                let mut waits = Vec::new();
                let mut failed = None;
                for _ in 0..each {
                    let start = Instant::now();
                    let ended = orders.send_next(&mut client).await;
                    waits.push(start.elapsed());
                    if !ended.as_ref().is_ok_and(|response| response.status == 201) {
                        failed = failed.or_else(|| Some(shown(&ended)));
                    }
                }
                (waits, failed)
            })
        })
        .collect();
    let mut waits: Vec<Duration> = Vec::new();
    for writer in writers {
        let (waited, failed) = writer.await.expect("no writer panics");
        waits.extend(waited);
        scenario
            .expect(failed.is_none(), || format!("a create among {WRITERS} writers: {}", failed.unwrap_or_default()));
    }
    let rate = waits.len() as f64 / start.elapsed().as_secs_f64();
    scenario.figure(format_args!(
        "{} creates by {WRITERS} writers, {rate:.0}/s; waits: {}",
        waits.len(),
        spread(waits)
    ));
    orders.check(scenario, &mut server.client()).await;
}

async fn new_counter(client: &mut Client) -> String {
    let created = client.send("POST", "/counters", &[], Some(&json!({"name": "new"}))).await;
    match &created {
        Ok(response) if response.status == 201 => format!("/counters/{}", response.id()),
        _ => panic!("no counter: {}", shown(&created)),
    }
}

/// Sends one request from each of so many connections at once.
async fn at_once(
    clients: &mut Vec<Client>,
    requests: impl Fn(usize) -> (&'static str, String, Option<String>),
) -> Vec<Response> {
    let sent: Vec<_> = clients
        .drain(..)
        .enumerate()
        .map(|(number, mut client)| {
            let (method, path, if_match) = requests(number);
            tokio::spawn(async move {
                let headers: Vec<_> = if_match.iter().map(|tag| ("If-Match", tag.as_str())).collect();
                let body = (method == "PATCH").then(|| json!({"name": format!("writer {number}")}));
                let ended = client.send(method, &path, &headers, body.as_ref()).await;
                (client, ended)
            })
        })
        .collect();
    let mut responses = Vec::new();
    for sent in sent {
        let (client, ended) = sent.await.expect("no client panics");
        clients.push(client);
        match ended {
            Ok(response) => responses.push(response),
            Err(error) => {
                responses.push(Response { status: 0, headers: Vec::new(), body: error.to_string().into_bytes() })
            }
        }
    }
    responses
}

fn statuses(responses: &[Response]) -> HashMap<u16, usize> {
    let mut counts = HashMap::new();
    for response in responses {
        *counts.entry(response.status).or_default() += 1;
    }
    counts
}

/// Of 32 updates that name one state, one wins.
async fn one_wins(scenario: &Scenario, server: &Server) {
    let mut clients: Vec<_> = (0..CHANGERS).map(|_| server.client()).collect();
    let path = new_counter(&mut clients[0]).await;
    let start = Instant::now();
    for round in 1..=ROUNDS {
        let current = clients[0].get(&path).await.ok();
        let tag = current.as_ref().and_then(|current| current.header("etag")).unwrap_or_default().to_owned();
        let responses = at_once(&mut clients, |_| ("PATCH", path.clone(), Some(tag.clone()))).await;
        let counts = statuses(&responses);
        let holds = counts.get(&200) == Some(&1) && counts.get(&412) == Some(&(CHANGERS - 1));
        scenario.expect(holds, || format!("{CHANGERS} updates with one If-Match: {counts:?}"));
        let count = clients[0].get(&path).await.map(|current| current.data("count"));
        let is_one = count.as_ref().is_ok_and(|count| *count == json!(round));
        scenario.expect(is_one, || format!("after {round} updates with If-Match the count is {count:?}"));
    }
    let each = start.elapsed().as_secs_f64() * 1000.0 / ROUNDS as f64;
    scenario.figure(format_args!("{ROUNDS} rounds of {CHANGERS} updates with one If-Match: {each:.1} ms each"));
}

/// Of 32 updates without a condition, none is lost.
async fn none_is_lost(scenario: &Scenario, server: &Server) {
    let mut clients: Vec<_> = (0..CHANGERS).map(|_| server.client()).collect();
    let path = new_counter(&mut clients[0]).await;
    let (mut tags, mut updated, mut refused, start) = (HashMap::new(), 0, 0, Instant::now());
    for _ in 0..ROUNDS {
        for response in at_once(&mut clients, |_| ("PATCH", path.clone(), None)).await {
            let (count, tag) = (response.data("count"), response.header("etag").unwrap_or_default().to_owned());
            match response.status {
                200 => updated += 1,
                503 => {
                    refused += 1;
                    continue;
                }
                _ => scenario.expect(false, || format!("an update among {CHANGERS}: {}", shown(&Ok(response)))),
            }
            let other = tags.insert(tag.clone(), count.clone());
            scenario.expect(other.is_none(), || format!("the tag {tag} belongs to {count} and to {other:?}"));
        }
    }
    let count = clients[0].get(&path).await.map(|current| current.data("count"));
    let is_all = count.as_ref().is_ok_and(|count| *count == json!(updated));
    scenario.expect(is_all, || format!("{updated} updates made the count {count:?}"));
    scenario.expect(refused == 0, || format!("{refused} of {} updates were refused with 503", ROUNDS * CHANGERS));
    let each = start.elapsed().as_secs_f64() * 1000.0 / ROUNDS as f64;
    scenario.figure(format_args!(
        "{ROUNDS} rounds of {CHANGERS} updates without a condition: {each:.1} ms each, {updated} made, {refused} refused with 503"
    ));
}

/// Updates during a delete find the entity or nothing.
async fn race_a_delete(scenario: &Scenario, server: &Server) {
    let mut clients: Vec<_> = (0..CHANGERS).map(|_| server.client()).collect();
    let (mut updated, mut missed) = (0, 0);
    for _ in 0..ROUNDS {
        let path = new_counter(&mut clients[0]).await;
        let deleting = scenario.random.below(CHANGERS as u64) as usize;
        let method = |number| if number == deleting { "DELETE" } else { "PATCH" };
        let responses = at_once(&mut clients, |number| (method(number), path.clone(), None)).await;
        for (number, response) in responses.into_iter().enumerate() {
            match (method(number), response.status) {
                ("PATCH", 200) => updated += 1,
                ("PATCH", 404) => missed += 1,
                ("DELETE", 204) => {}
                (method, _) => scenario.expect(false, || format!("{method} during a delete: {}", shown(&Ok(response)))),
            }
        }
        let gone = clients[0].get(&path).await.map(|response| response.status);
        scenario.expect(matches!(gone, Ok(404)), || format!("a deleted counter is there: {gone:?}"));
    }
    scenario.figure(format_args!(
        "{ROUNDS} deletes during {} updates: {updated} made, {missed} found nothing",
        CHANGERS - 1
    ));
}
