//! `full`: a full disk rejects creates and loses nothing, and the server recovers when the disk has space again. This holds for separate transactions
//! and for shared transactions.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Scenario;
use super::animals::{self, Animals};
use super::orders::{Orders, send, shown};
use crate::database::{Database, sqlite_url};
use crate::http::Client;
use crate::process::Server;
use crate::speed::table;

const CONNECTIONS: usize = 4;
/// The number of writers that share transactions.
const WRITERS: usize = 64;
/// The number of requests that each connection sends while the disk is full.
const MOST_UNAVAILABLE: usize = 50;

pub async fn run(scenario: &Scenario) {
    let Some(disk) = Disk::mount() else {
        return restwright_tests::skip("mounting a tmpfs needs root");
    };
    create_orders(scenario, disk).await;
    let Some(disk) = Disk::mount() else {
        return restwright_tests::skip("mounting a tmpfs needs root");
    };
    share_transactions(scenario, disk).await;
}

/// Creates orders, each in a separate transaction.
async fn create_orders(scenario: &Scenario, disk: Disk) {
    let server = scenario.start_at(&sqlite_url(&disk.0)).await;
    let (orders, mut client) = (Orders::default(), server.client());
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let (mut client, orders) = (server.client(), orders.clone());
            tokio::spawn(async move {
                let (mut unavailable, mut other) = (0, Vec::new());
                while unavailable < MOST_UNAVAILABLE && other.len() < MOST_UNAVAILABLE {
                    let ended = orders.send_next(&mut client).await;
                    match &ended {
                        Ok(response) if response.status == 201 => {}
                        Ok(response) if response.is_unavailable() => unavailable += 1,
                        _ => other.push(shown(&ended)),
                    }
                }
                other
            })
        })
        .collect();
    for client in clients {
        let other = client.await.expect("no client panics");
        scenario.expect(other.is_empty(), || format!("{} creates on a full disk: {}", other.len(), other[0]));
    }
    scenario.figure(format_args!(
        "{} orders until the disk was full, {} of unknown end",
        orders.acknowledged(),
        orders.unknown()
    ));
    let viewed = client.get("/orders?page=1&limit=1").await;
    scenario.expect(viewed.as_ref().is_ok_and(|response| response.status == 200), || {
        format!("a list on a full disk: {}", shown(&viewed))
    });

    disk.enlarge();
    let start = Instant::now();
    let recovered = loop {
        let number = orders.next();
        let ended = send(&mut client, number).await;
        orders.note(number, &ended);
        let is_made = ended.as_ref().is_ok_and(|response| response.status == 201);
        if is_made || start.elapsed() > Duration::from_secs(10) {
            break is_made;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    scenario.expect(recovered, || "no create succeeds 10 s after there is room".to_owned());
    scenario.figure(format_args!("recovered {:.3} s after there was room", start.elapsed().as_secs_f64()));
    orders.check(scenario, &mut client).await;
    orders.repeat_unknown(scenario, &mut client).await;
    orders.check(scenario, &mut client).await;
    drop(server);
    let server = scenario.start_at(&sqlite_url(&disk.0)).await;
    orders.check(scenario, &mut server.client()).await;
}

/// Creates animals by writers that share transactions.
async fn share_transactions(scenario: &Scenario, disk: Disk) {
    let (animals, url) = (Animals::default(), sqlite_url(&disk.0));
    table::fill(&Database::Sqlite { folder: disk.0.clone() }, 1).await;
    let server = Server::start("speed", "restwright", &url);
    let writers: Vec<_> =
        (0..WRITERS).map(|_| tokio::spawn(create_until_full(server.client(), animals.clone()))).collect();
    for writer in writers {
        let other = writer.await.expect("no client panics");
        scenario.expect(other.is_empty(), || format!("creates of {WRITERS} writers on a full disk: {other:?}"));
    }
    scenario.figure(format_args!(
        "{} of {} animals by {WRITERS} writers until the disk was full",
        animals.acknowledged(),
        animals.created()
    ));
    animals::check(scenario, &animals.states(), &url).await;

    disk.enlarge();
    let (start, until) = (Instant::now(), animals.acknowledged() + 10 * WRITERS);
    let writers: Vec<_> = (0..WRITERS).map(|_| tokio::spawn(animals.clone().change(server.client(), until))).collect();
    for writer in writers {
        let other = writer.await.expect("no client panics");
        scenario.expect(other.is_empty(), || format!("changes of {WRITERS} writers after there is room: {other:?}"));
    }
    scenario.figure(format_args!("{} animals {:.1} s later", animals.acknowledged(), start.elapsed().as_secs_f64()));
    animals::check(scenario, &animals.states(), &url).await;
    drop(server);
    animals::check(scenario, &animals.states(), &url).await;
}

/// Creates animals until the disk is full. Returns the responses other than 201 and 503 with `Retry-After`.
async fn create_until_full(mut client: Client, animals: Animals) -> Vec<String> {
    let (mut unavailable, mut other) = (0, Vec::new());
    while unavailable < MOST_UNAVAILABLE && other.len() < MOST_UNAVAILABLE {
        match animals.create_next(&mut client).await.1 {
            Ok(response) if response.status == 201 => {}
            Ok(response) if response.is_unavailable() => unavailable += 1,
            ended => other.push(shown(&ended)),
        }
    }
    other
}

/// A small file system in memory, which is removed on drop.
struct Disk(PathBuf);

impl Disk {
    fn mount() -> Option<Self> {
        let folder = std::env::temp_dir().join(format!("soak_full_{}", std::process::id()));
        std::fs::create_dir_all(&folder).ok()?;
        mount(&["-t", "tmpfs", "-o", "size=6m", "tmpfs", &folder.display().to_string()]).then_some(Self(folder))
    }

    fn enlarge(&self) {
        assert!(mount(&["-o", "remount,size=64m", &self.0.display().to_string()]), "the disk is enlarged");
    }
}

fn mount(arguments: &[&str]) -> bool {
    Command::new("mount").args(arguments).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
        let _ = std::fs::remove_dir(&self.0);
    }
}
