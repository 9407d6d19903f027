//! The content of the page, and the files it loads.

use restwright_openapi::Documentation;
use restwright_runtime::Api;
use restwright_runtime::core::{Configuration, Route};
use serde_json::json;

use super::{Chromium, TURN, serve};
use crate::everything;
use crate::support::Endpoint;

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn shows_the_operations_without_outside_requests() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let own = serve(everything::api());
    let Some(mut page) = Chromium::open(&format!("{own}/docs")) else { return };

    for operation in ["listPets", "createPet", "viewPet", "replacePet", "deletePet", "file"] {
        page.text(&format!(".opblock[id$='-{operation}']"));
    }
    page.text(".auth-wrapper .authorize");
    assert_eq!(page.evaluate("document.title"), "shelter");
    assert_eq!(page.evaluate("document.querySelector(`[id$='-hidden']`)"), json!(null));
    assert!(page.complaints().is_empty(), "the page complains: {:#?}", page.complaints());
    let outside = |page: &Chromium| -> Vec<String> {
        let asked = page.asked().iter();
        asked.filter(|url| !url.starts_with(&own) && !url.starts_with("data:")).cloned().collect()
    };
    assert!(page.asked().contains(&format!("{own}/openapi.json")), "{:?}", page.asked());
    assert_eq!(outside(&page), [""; 0]);
    // Requests that the policy blocks are logged in the console, and other requests are recorded.
    page.evaluate("fetch('http://outside.invalid/').catch(() => null)");
    assert!(page.complaints().iter().any(|one| one.contains("http://outside.invalid/")), "{:?}", page.complaints());
    page.go("http://outside.invalid/");
    assert_eq!(outside(&page), ["http://outside.invalid/"]);
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn a_hostile_declaration_stays_text() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let hostile = |how: &str| {
        format!(
            "\"'></title></main><script>window.broken = '{how}'</script><img src=x onerror=\"window.broken = '{how}'\">\
             <a href=\"javascript:window.broken = '{how}'\">link</a>\n\n[link](javascript:window.broken=1)"
        )
    };
    let configuration = Configuration::new(hostile("name"), hostile("version")).description(hostile("description"));
    let pets = Route::get("/pets").id("pets").public().summary(hostile("summary")).description(hostile("text"));
    let api = Api::builder(configuration)
        .module(&Documentation::public().client_id(hostile("client")))
        .controller(Endpoint(pets))
        .build()
        .unwrap();
    let Some(mut page) = Chromium::open(&format!("{}/docs", serve(api))) else { return };

    page.click(".opblock-summary-control");
    page.text(".opblock-description-wrapper");
    page.evaluate("document.querySelectorAll('.renderedMarkdown a').forEach((link) => link.click())");
    assert_eq!(page.evaluate("document.getElementById('documentation').dataset.clientId"), hostile("client"));
    assert_eq!(page.evaluate("document.querySelector('title').textContent"), hostile("name"));
    assert_eq!(page.evaluate("typeof window.broken"), "undefined");
    assert_eq!(page.evaluate("document.scripts.length"), 5);
    // The policy also blocks scripts that the viewer would run: an inline script does not run.
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=data:, onerror=\"window.broken = 1\">');
         const script = document.createElement('script');
         script.textContent = 'window.broken = 2';
         document.body.append(script);
         new Promise((resolve) => document.querySelector('img[src=\"data:,\"]').addEventListener('error', resolve))",
    );
    assert_eq!(page.evaluate("typeof window.broken"), "undefined");
}
