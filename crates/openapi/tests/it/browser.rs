//! The page in a real browser.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use restwright_actix::{Host, run};

use crate::everything;

const CHROMIUM: &str = "/usr/bin/chromium";

/// Everything that is not for this machine goes through a proxy of ours, which notes it.
#[test]
fn the_page_shows_the_operations_and_asks_for_nothing_from_outside() {
    if !Path::new(CHROMIUM).exists() {
        eprintln!("skipped: {CHROMIUM} is not installed");
        return;
    }
    let outside = Arc::new(Mutex::new(Vec::new()));
    let proxy = note_requests(Arc::clone(&outside));
    let address = serve();
    let profile = tempfile();
    let output = Command::new(CHROMIUM)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--dump-dom", "--virtual-time-budget=20000", "--window-size=1200,1600"])
        .arg(format!("--user-data-dir={profile}"))
        .arg(format!("--proxy-server={proxy}"))
        .args(std::env::var("SCREENSHOT").map(|file| format!("--screenshot={file}")))
        .arg(format!("http://{address}/docs"))
        .output()
        .unwrap();
    let (page, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    std::fs::remove_dir_all(profile).unwrap();

    assert!(page.contains("<title>shelter"), "{page}\n{log}");
    for operation in ["listPets", "createPet", "viewPet", "replacePet", "deletePet", "file"] {
        assert!(page.contains(&format!("-{operation}\"")), "{operation} is missing in {page}\n{log}");
    }
    assert!(page.contains("Authorize"), "{page}");
    assert!(!page.contains("-hidden\""), "{page}");
    let console: Vec<_> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "the page complains: {console:#?}");
    let outside = outside.lock().unwrap();
    // The browser itself asks its maker for the time and for updates.
    let outside: Vec<_> = outside.iter().filter(|line| !line.contains(".google")).collect();
    assert!(outside.is_empty(), "the page asked for something from outside: {outside:#?}");
}

/// Serves the Api on a thread that ends with the process.
fn serve() -> String {
    let bound = Host::new(everything::api()).workers(1).bind("127.0.0.1:0").unwrap();
    let address = bound.addresses()[0].to_string();
    std::thread::spawn(|| run(bound.serve()).unwrap());
    address
}

fn note_requests(noted: Arc<Mutex<Vec<String>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut line = String::new();
            BufReader::new(connection.unwrap()).read_line(&mut line).unwrap();
            noted.lock().unwrap().push(line);
        }
    });
    address
}

fn tempfile() -> String {
    let folder = format!("{}/chromium-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
