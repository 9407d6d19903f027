//! What the page shows, and what it loads.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use restwright_core::{Api, Configuration, Route};
use restwright_openapi::Documentation;
use serde_json::json;

use super::{Chromium, TURN, each_connection, serve};
use crate::everything;
use crate::support::Endpoint;

/// Everything that is not for this machine goes through a proxy of ours, which notes it.
#[test]
fn the_page_shows_the_operations_and_asks_for_nothing_from_outside() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let outside = Arc::new(Mutex::new(Vec::new()));
    let proxy = note_requests(Arc::clone(&outside));
    let _idle = TcpStream::connect(&proxy).unwrap();
    let url = format!("{}/docs", serve(everything::api()));
    let Some(mut page) = Chromium::open(&url, &[format!("--proxy-server={proxy}")]) else { return };

    for operation in ["listPets", "createPet", "viewPet", "replacePet", "deletePet", "file"] {
        page.text(&format!(".opblock[id$='-{operation}']"));
    }
    page.text(".auth-wrapper .authorize");
    assert_eq!(page.evaluate("document.title"), "shelter");
    assert_eq!(page.evaluate("document.querySelector(`[id$='-hidden']`)"), json!(null));
    assert!(page.complaints().is_empty(), "the page complains: {:#?}", page.complaints());
    let asked = || -> BTreeSet<String> {
        let lines = outside.lock().unwrap();
        lines.iter().map(|line| host(line).to_owned()).filter(|host| !OF_THE_BROWSER.contains(&&**host)).collect()
    };
    assert_eq!(asked(), BTreeSet::new(), "the page asked for something from outside");
    page.go("http://fonts.googleapis.com/css"); // what is asked is noted
    assert_eq!(asked(), BTreeSet::from(["fonts.googleapis.com".to_owned()]));
}

/// Hosts that the browser itself asks for the time, for updates and for accounts.
const OF_THE_BROWSER: [&str; 3] = ["clients2.google.com", "update.googleapis.com", "accounts.google.com"];

/// The host in the first line of a request to a proxy (RFC 9112, section 3.2).
fn host(line: &str) -> &str {
    let target = line.split(' ').nth(1).unwrap_or_default();
    let authority = target.split_once("://").map_or(target, |(_, rest)| rest);
    authority.split(['/', ':']).next().unwrap_or_default()
}

#[test]
fn a_hostile_declaration_stays_text() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let hostile = |how: &str| {
        format!(
            "\"'></title></main><script>window.broken = '{how}'</script><img src=x onerror=\"window.broken = '{how}'\">\
             <a href=\"javascript:window.broken = '{how}'\">link</a>\n\n[link](javascript:window.broken=1)"
        )
    };
    let configuration = Configuration::new(hostile("name"), hostile("version")).description(hostile("description"));
    let pets =
        Route::get("/pets").operation_id("pets").public().summary(hostile("summary")).description(hostile("text"));
    let api = Api::builder(configuration)
        .module(&Documentation::public().client_id(hostile("client")))
        .controller(Endpoint(pets))
        .build()
        .unwrap();
    let Some(mut page) = Chromium::open(&format!("{}/docs", serve(api)), &[]) else { return };

    page.click(".opblock-summary-control");
    page.text(".opblock-description-wrapper");
    page.evaluate("document.querySelectorAll('.renderedMarkdown a').forEach((link) => link.click())");
    assert_eq!(page.evaluate("document.getElementById('documentation').dataset.clientId"), hostile("client"));
    assert_eq!(page.evaluate("document.querySelector('title').textContent"), hostile("name"));
    assert_eq!(page.evaluate("typeof window.broken"), "undefined");
    assert_eq!(page.evaluate("document.scripts.length"), 2);
    // The policy holds where the viewer would not: a script that stands in the page does not run.
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=data:, onerror=\"window.broken = 1\">');
         const script = document.createElement('script');
         script.textContent = 'window.broken = 2';
         document.body.append(script);
         new Promise((resolve) => document.querySelector('img[src=\"data:,\"]').addEventListener('error', resolve))",
    );
    assert_eq!(page.evaluate("typeof window.broken"), "undefined");
}

fn note_requests(noted: Arc<Mutex<Vec<String>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    each_connection(listener, move |connection| {
        let (mut connection, mut line) = (BufReader::new(connection), String::new());
        // One that is closed, or reset, asked for nothing.
        if connection.read_line(&mut line).is_ok_and(|read| read > 0) {
            noted.lock().unwrap().push(line);
        }
    });
    address
}
