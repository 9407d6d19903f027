//! The memory of a worker, and of idle connections that have made one request each.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use actix_web::{App, HttpServer};
use restwright::Host;

use crate::cases;
use crate::measure::{Server, program};
use crate::server::{self, Side};
use crate::{by_hand, declared};

const CONNECTIONS: usize = 10_000;
const WORKERS: usize = 9;
const ROUTES: usize = 4;
/// Of both sides, so that no connection ends before its memory is read.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

pub(crate) fn print() {
    let sides = [Side::ByHand, Side::Restwright];
    let [by_hand, restwright] = sides.map(Figures::measure);
    let (Some(by_hand), Some(restwright)) = (by_hand, restwright) else {
        return eprintln!(
            "the system does not say how much memory a process has: no memory of connections and workers"
        );
    };
    println!("\n| memory, KiB | actix-web by hand | restwright | ratio |");
    println!("|---|--:|--:|--:|");
    let connections = |figures: &Figures| figures.crowded - figures.idle;
    let each = |figures: &Figures| connections(figures) / CONNECTIONS as f64;
    let worker = |figures: &Figures| (figures.workers - figures.idle) / (WORKERS - 1) as f64;
    print_row("a server with one worker", &by_hand.idle, &restwright.idle);
    print_row("a further worker", &worker(&by_hand), &worker(&restwright));
    print_row("an idle connection", &each(&by_hand), &each(&restwright));
    print_row("10,000 idle connections", &connections(&by_hand), &connections(&restwright));
}

fn print_row(title: &str, by_hand: &f64, restwright: &f64) {
    println!("| {title} | {by_hand:.1} | {restwright:.1} | {:.2} |", restwright / by_hand);
}

/// Resident memory in KiB.
struct Figures {
    /// With one worker and one connection.
    idle: f64,
    /// With 10,000 connections more.
    crowded: f64,
    /// With more workers.
    workers: f64,
}

impl Figures {
    fn measure(side: Side) -> Option<Self> {
        let start = |workers: usize| {
            let mut server = Server::start(program(), &["serve", "memory", side.name(), &workers.to_string()]);
            // Each worker has a connection in turn.
            for _ in 0..workers {
                server.client = server.connect();
                server.client.ask(cases::named("health"), 10);
            }
            server
        };
        let workers = resident(start(WORKERS).id())?;
        let server = start(1);
        let idle = resident(server.id())?;
        let connections: Vec<_> = (0..CONNECTIONS).map(|_| ask_once(server.port())).collect();
        let crowded = resident(server.id())?;
        drop(connections);
        Some(Self { idle, crowded, workers })
    }
}

fn ask_once(port: u16) -> TcpStream {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("10,000 files may be open (ulimit -n)");
    stream.write_all(&(cases::named("health").request)()).expect("the server reads");
    let count = stream.read(&mut [0; 4096]).expect("the server writes");
    assert!(count > 0, "the server closed the connection");
    stream
}

/// The resident memory of a process in KiB.
pub(crate) fn resident(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Serves health on so many workers.
pub(crate) fn serve(side: Side, workers: &str) {
    let listener = server::listen();
    let workers = workers.parse().expect("a number of workers");
    match side {
        Side::ByHand => {
            let server = HttpServer::new(|| App::new().configure(|app| by_hand::configure(app, ROUTES)));
            let server = server.workers(workers).keep_alive(KEEP_ALIVE).listen(listener).expect("a bound socket").run();
            actix_web::rt::System::new().block_on(server)
        }
        Side::Restwright | Side::RestwrightInApp => {
            let host = Host::new(declared::api(ROUTES)).workers(workers).keep_alive(KEEP_ALIVE);
            // One more, so that none gives way.
            let bound = host.max_connections(CONNECTIONS + 10).listen(listener).expect("a bound socket");
            restwright::run(bound.serve()).map_err(Into::into)
        }
    }
    .expect("the server runs");
}
