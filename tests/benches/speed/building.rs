//! How long an Api of 1,000 typed routes and its document take to build.

use std::time::{Duration, Instant};

use restwright::openapi::Document;

use crate::declared;

const ROUTES: usize = 1000;
const ROUNDS: usize = 5;

pub(crate) fn print() {
    let (api, document) = (0..ROUNDS).map(|_| build()).min().expect("there are rounds");
    let (api, document) = (milliseconds(api), milliseconds(document));
    println!("\nAn Api of 1,000 typed routes is built in {api:.0} ms, its document in {document:.0} ms.");
}

fn build() -> (Duration, Duration) {
    let start = Instant::now();
    let api = declared::typed_api(ROUTES);
    let built = start.elapsed();
    let document = Document::from_api(&api).to_compact_json();
    let described = start.elapsed() - built;
    assert!(document.contains("createPet499") && document.contains("viewShelter499"), "every route is in the document");
    (built, described)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
