//! The page without a mouse.

use serde_json::json;

use super::{Chromium, TURN, serve};
use crate::everything;

/// Presses Tab until an element has the focus.
fn tab_to(page: &mut Chromium, selector: &str) {
    for _ in 0..200 {
        page.press("Tab");
        if page.evaluate(&format!("document.activeElement.matches({})", json!(selector))) == json!(true) {
            // A user sees where the focus is.
            let outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
            assert_ne!(outline, json!("none"), "{selector}");
            return;
        }
    }
    panic!("Tab does not reach {selector}");
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn an_operation_is_opened_read_and_tried_out_by_keyboard() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut page) = Chromium::open(&format!("{}/docs", serve(everything::api()))) else { return };
    page.resize(1280, 800);
    page.text(".opblock[id$='-listPets']");

    tab_to(&mut page, ".opblock[id$='-listPets'] .opblock-summary-control");
    page.press("Enter");
    page.text(".opblock[id$='-listPets'] .responses-wrapper");
    tab_to(&mut page, ".parameters .fold");
    page.press(" ");
    page.text("tr[data-param-in=query]");
    tab_to(&mut page, ".response-fold:last-child .fold");
    page.press(" ");
    page.wait("document.activeElement.getAttribute('aria-expanded') === 'true'");
    tab_to(&mut page, ".response .headers-fold .fold");
    page.press("Enter");
    page.text(".response table.headers");
    page.press("Enter");
    page.wait("!document.activeElement.parentElement.querySelector('table.headers')");
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn what_reacts_to_a_click_can_have_the_focus() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut page) = Chromium::open(&format!("{}/docs#createPet", serve(everything::api()))) else { return };
    page.text(".opblock.is-open .response");
    let unreachable = page.evaluate(
        "[...document.querySelectorAll('*')]
            .filter((element) => element.checkVisibility() && getComputedStyle(element).cursor === 'pointer')
            .filter((element) => !element.closest('a[href], button, input, select, textarea, label, summary, [tabindex]'))
            .filter((element) => !element.querySelector('a[href], button'))
            .map((element) => element.localName + '.' + element.className)",
    );
    assert_eq!(unreachable, json!([]));
}
