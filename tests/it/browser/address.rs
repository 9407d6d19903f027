//! Addresses of operations.

use restwright_openapi::Documentation;
use restwright_runtime::Api;
use restwright_runtime::core::Route;
use serde_json::json;

use super::{Chromium, TURN, serve};
use crate::everything;
use crate::support::{Endpoint, configuration};

/// An expression that holds if only this operation is open and at the top of the window, or no operation is.
fn shows(operation: &str) -> String {
    format!(
        "(() => {{
            const open = [...document.querySelectorAll('.opblock.is-open')];
            if ({operation:?} === '') return open.length === 0 && location.hash === '';
            const top = open[0]?.getBoundingClientRect().top;
            return open.length === 1 && open[0].id.endsWith('-' + {operation:?}) && location.hash === '#' + {operation:?}
                && open[0].querySelector('.responses-wrapper') && top > -5 && top < 5;
        }})()"
    )
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn an_address_opens_its_operation() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let service = serve(everything::api());
    let Some(mut page) = Chromium::open(&format!("{service}/docs#deletePet")) else { return };
    page.resize(1280, 800);
    page.wait(&shows("deletePet"));
    // An address that somebody enters while the page is open.
    page.evaluate("location.hash = 'viewPet'");
    page.wait(&shows("viewPet"));
    page.evaluate("history.back()");
    page.wait(&shows("deletePet"));
    assert!(page.complaints().is_empty(), "{:#?}", page.complaints());
    for unknown in ["nothing", "%", "<script>"] {
        page.go(&format!("{service}/docs?{unknown}#{unknown}"));
        page.text(".opblock");
        assert_eq!(page.evaluate("document.querySelectorAll('.opblock.is-open').length"), json!(0), "{unknown}");
    }
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn the_address_follows_what_is_opened_and_back_returns() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut page) = Chromium::open(&format!("{}/docs", serve(everything::api()))) else { return };
    page.resize(1280, 800);
    let click = |page: &mut Chromium, operation: &str| {
        page.click(&format!(".opblock[id$='-{operation}'] .opblock-summary-control"));
        page.text(&format!(".opblock[id$='-{operation}'] .responses-wrapper"));
    };
    click(&mut page, "listPets");
    page.wait("location.hash === '#listPets'");
    click(&mut page, "createPet");
    page.wait("location.hash === '#createPet' && document.querySelectorAll('.opblock.is-open').length === 2");
    for (step, expected) in [("back", "listPets"), ("back", ""), ("forward", "listPets"), ("forward", "createPet")] {
        page.evaluate(&format!("history.{step}()"));
        page.wait(&shows(expected));
    }
    // An operation that is closed leaves the address.
    page.click(".opblock[id$='-createPet'] .opblock-summary-control");
    page.wait(&shows(""));
    page.evaluate("history.back()");
    page.wait(&shows("createPet"));
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn every_id_and_tag_has_an_address() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let route = Route::get("/found").id("list found, 100% \u{fc}").tag("Lost & found: pets").public();
    let other = Route::get("/other").id("other").public();
    let api = Api::builder(configuration()).module(&Documentation::public());
    let api = [other, route].into_iter().fold(api, |api, route| api.controller(Endpoint(route))).build().unwrap();
    let service = serve(api);
    let Some(mut page) = Chromium::open(&format!("{service}/docs")) else { return };
    page.resize(1280, 300);
    page.click(".opblock:not([id$='-other']) .opblock-summary-control");
    page.wait("location.hash === '#list%20found%2C%20100%25%20%C3%BC'");
    page.evaluate("history.back()");
    page.wait("document.querySelectorAll('.opblock.is-open').length === 0");
    page.evaluate("scrollTo(0, 0); history.forward()");
    page.wait("Math.abs(document.querySelector('.opblock.is-open .response')?.closest('.opblock').getBoundingClientRect().top) < 5");
}
