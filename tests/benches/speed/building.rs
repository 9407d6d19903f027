//! How long an Api of 1,000 typed routes and its document take to build, and the memory of a route.

use std::time::{Duration, Instant};

use restwright::openapi::Document;

use crate::{declared, memory};

const ROUTES: usize = 1000;
const ROUNDS: usize = 5;

pub(crate) fn print() {
    let (api, document) = (0..ROUNDS).map(|_| build()).min().expect("there are rounds");
    let (api, document) = (milliseconds(api), milliseconds(document));
    println!("\nAn Api of 1,000 typed routes is built in {api:.0} ms, its document in {document:.0} ms.");
    if let Some(kept) = memory_of_a_route() {
        println!("A route of it takes {kept:.1} KiB.");
    }
}

/// In KiB. The first Api has left the allocator memory to use again, so many are kept.
fn memory_of_a_route() -> Option<f64> {
    const KEPT: usize = 10;
    let before = memory::resident(std::process::id())?;
    let apis: Vec<_> = (0..KEPT).map(|_| declared::typed_api(ROUTES)).collect();
    let after = memory::resident(std::process::id())?;
    drop(apis);
    Some((after - before) / (KEPT * ROUTES) as f64)
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
