//! The peak of a process whose clients want its memory.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use restwright::body::{Bytes, StreamingBody};
use restwright::prelude::*;
use restwright::production::Compression;

use super::{Pieces, Upload, count, get, gzip, head, post};
use crate::server::Server;

const SCENARIO: &str = "COMPRESSION_SCENARIO";
const MIB: usize = 1024 * 1024;
/// What a scenario may take beyond the server, its client's own included.
const BOUND: u64 = 12 * 1024;

#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Endless(#[body] StreamingBody);

fn server() -> Server {
    let route = |route: Route| route.public().body_limit(2 * MIB);
    let whole = async |upload: Upload| Ok(Data(upload.body.0.len()));
    let endless = async |()| {
        let piece: String = super::noise(20_000).iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:x}").unwrap();
            text
        });
        let piece = Bytes::from(piece);
        Ok(Endless(StreamingBody::new(futures_util::stream::repeat_with(move || Ok(piece.clone())))))
    };
    let api = Api::builder(Configuration::new("bounded", "1.0.0"))
        .middleware(Compression::new())
        .controller(route(Route::post("/whole").id("whole")).handler(whole))
        .controller(route(Route::post("/pieces").id("pieces")).handler(count))
        .controller(
            route(Route::post("/huge").id("huge"))
                .body_limit(2048 * MIB)
                .handler(async |pieces: Pieces| count(pieces).await),
        )
        .controller(route(Route::get("/endless").id("endless")).handler(endless))
        .build();
    Server::start(api.unwrap())
}

/// gzip of so many MiB of zeros, without its end.
fn gzip_bomb(size: usize) -> Vec<u8> {
    let mut encoder = flate2::Compress::new(flate2::Compression::best(), false);
    let mut block = Vec::with_capacity(8192);
    let zeros = vec![0; MIB];
    encoder.compress_vec(&zeros, &mut block, flate2::FlushCompress::Full).unwrap();
    assert_eq!(encoder.total_in(), MIB as u64);
    [&gzip(b"")[..10], &block.repeat(size)].concat()
}

/// Zstandard of so many MiB of zeros in blocks of 128 KiB, which take 4 bytes each (RFC 8878, section 3.1.1.2).
fn zstd_bomb(size: usize) -> Vec<u8> {
    let header = [0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3];
    let block = |is_last: u32| [&(((128 * 1024) << 3) | (1 << 1) | is_last).to_le_bytes()[..3], &[0]].concat();
    [&header[..], &block(0).repeat(size * 8 - 1), &block(1)].concat()
}

fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

fn bomb(coding: &str, size: usize) {
    let server = server();
    assert_eq!(get(&server, "/nowhere", &["Accept-Encoding: gzip"]).status, 404);
    let body = if coding == "gzip" { gzip_bomb(size) } else { zstd_bomb(size) };
    assert!(body.len() < 2 * MIB, "{}", body.len());
    let (before, begin) = (peak(), Instant::now());
    for path in ["/whole", "/pieces"] {
        let reply = post(&server, path, coding, &body);
        // The smallest is within the limit.
        let expected = if size <= 2 { 200 } else { 413 };
        assert_eq!(reply.status, expected, "{path} {}", String::from_utf8_lossy(&reply.body));
    }
    check(before, begin);
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
}

fn check(before: u64, begin: Instant) {
    let grown = peak() - before;
    println!("{grown} KiB more, {:?}", begin.elapsed());
    assert!(grown < BOUND, "{grown} KiB");
}

/// A process of a scenario.
#[test]
#[ignore = "other tests run it in separate processes"]
fn process() {
    match std::env::var(SCENARIO).unwrap().split_once(' ').unwrap() {
        ("bomb", bombs) => {
            let (coding, size) = bombs.split_once(' ').unwrap();
            bomb(coding, size.parse().unwrap());
        }
        ("huge", _) => {
            let (server, body) = (server(), zstd_bomb(1024));
            let (before, begin) = (peak(), Instant::now());
            assert_eq!(post(&server, "/huge", "zstd", &body).json()["data"], 1024 * MIB);
            check(before, begin);
        }
        ("slow", path) => {
            let server = server();
            let before = peak();
            for coding in ["gzip", "br", "zstd"] {
                let begin = Instant::now();
                let mut clients: Vec<_> = (0..3).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
                let request = head(&server, &format!("GET {path}"), &[&format!("Accept-Encoding: {coding}")]);
                for client in &mut clients {
                    client.write_all(&request).unwrap();
                    client.read_exact(&mut [0; 20_000]).unwrap();
                }
                // They read nothing, until the buffers of the sockets are full and after.
                std::thread::sleep(Duration::from_secs(2));
                check(before, begin);
            }
        }
        other => panic!("{other:?}"),
    }
}

fn run(scenario: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "compression::memory::process", "--ignored", "--nocapture"])
        .env(SCENARIO, scenario)
        .output()
        .unwrap();
    assert!(output.status.success(), "{scenario}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{scenario}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the peak is read as Linux shows it")]
fn bombs_take_no_memory() {
    for coding in ["gzip", "zstd"] {
        for size in [64, 1024] {
            run(&format!("bomb {coding} {size}"));
        }
    }
    run("bomb zstd 1");
    run("huge zstd");
}

#[test]
#[ignore = "it takes longer than the others, and the gate runs it"]
#[cfg_attr(not(target_os = "linux"), ignore = "the peak is read as Linux shows it")]
fn slow_readers_take_no_memory() {
    run("slow /endless");
}
