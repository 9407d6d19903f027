//! `serializable`: each entry builds on the last one, and no two entries build on the same one.

use std::time::Instant;

use serde_json::json;

use super::orders::{list, shown};
use super::{Scenario, spread};

const WRITERS: usize = 16;

pub async fn run(scenario: &Scenario) {
    let server = scenario.start().await;
    let each = (scenario.size / WRITERS).max(1);
    let start = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let mut client = server.client();
            tokio::spawn(async move {
                let (mut made, mut refused, mut other, mut waits) = (0, 0, Vec::new(), Vec::new());
                for number in 0..each {
                    let start = Instant::now();
                    let ended =
                        client.send("POST", "/entries", &[], Some(&json!({"amount": writer * each + number}))).await;
                    waits.push(start.elapsed());
                    match &ended {
                        Ok(response) if response.status == 201 => made += 1,
                        Ok(response) if response.status == 503 => refused += 1,
                        _ => other.push(shown(&ended)),
                    }
                }
                (made, refused, other, waits)
            })
        })
        .collect();
    let (mut made, mut refused, mut waits) = (0, 0, Vec::new());
    for writer in writers {
        let (more, fewer, other, waited) = writer.await.expect("no writer panics");
        made += more;
        refused += fewer;
        waits.extend(waited);
        scenario.expect(other.is_empty(), || format!("{} entries: {}", other.len(), other[0]));
    }
    let rate = f64::from(made) / start.elapsed().as_secs_f64();
    scenario.figure(format_args!(
        "{made} entries by {WRITERS} writers, {rate:.0}/s, {refused} rejected with 503; waits: {}",
        spread(waits)
    ));
    let entries = match list(&mut server.client(), "/entries").await {
        Ok(entries) => entries,
        Err(error) => return scenario.expect(false, || format!("the entries could not be listed: {error}")),
    };
    scenario
        .expect(entries.len() == made as usize, || format!("{} entries are there, {made} were made", entries.len()));
    let (mut number, mut total) = (0, 0);
    for entry in entries {
        let value = |member: &str| entry[member].as_i64().unwrap_or_default();
        number += 1;
        total += value("amount");
        let holds = value("number") == number && value("total") == total;
        scenario.expect(holds, || format!("entry {number} with the total {total} is {entry}"));
    }
}
