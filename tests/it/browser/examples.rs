//! Checks the documentation pages of the examples: the length of operations, the examples of problems, and the contrast.

use animals::Provider;
use animals::authentication::Authentication;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use restwright_runtime::Api;
use restwright_tests::workspace;
use serde_json::json;

use super::{Chromium, TURN, serve};
use crate::everything;

const CONTRAST: &str = include_str!("contrast.js");

/// Returns the example with a provider whose keys cannot be fetched.
fn animals() -> Api {
    let issuer = "https://login.example.com";
    let authentication =
        Authentication::default().provider(Provider::new("http://127.0.0.1:9/keys", issuer, "animals"));
    animals::api_for(&authentication, animals::REQUESTS, animals::store_at("sqlite::memory:")).unwrap()
}

fn contracts() -> Api {
    contracts::api([], "sqlite::memory:").unwrap()
}

/// Opens the page of an Api in a window of 1280 by 800 pixels.
fn open(api: Api) -> Option<Chromium> {
    let mut page = Chromium::open("about:blank")?;
    page.resize(1280, 800);
    page.go(&format!("{}/docs", serve(api)));
    page.text(".opblock");
    Some(page)
}

fn operations(page: &mut Chromium) -> Vec<String> {
    let ids = page.evaluate("[...document.querySelectorAll('.opblock')].map((block) => block.id)");
    serde_json::from_value(ids).unwrap()
}

fn click(page: &mut Chromium, operation: &str) {
    page.click(&format!("#{operation} .opblock-summary-control"));
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn an_opened_operation_is_at_most_two_screens_long() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut lengths = Vec::new();
    for api in [animals(), contracts()] {
        let Some(mut page) = open(api) else { return };
        for operation in operations(&mut page) {
            click(&mut page, &operation);
            page.text(&format!("#{operation} .responses-table .response"));
            let length = page.evaluate(&format!("document.getElementById({operation:?}).offsetHeight"));
            lengths.push((length.as_u64().unwrap(), operation.clone()));
            click(&mut page, &operation);
        }
    }
    lengths.sort();
    assert!(lengths.len() > 40, "{lengths:#?}");
    assert!(lengths.last().unwrap().0 <= 1600, "{lengths:#?}");
}

/// What the document has as examples of the problems of an operation, and what the page shows for them.
const PROBLEMS: &str = "(async () => {
    const document_ = await (await fetch('openapi.json')).json();
    const resolve = (value) => value.$ref
        ? value.$ref.slice(2).split('/').reduce((place, name) => place[name], document_)
        : value;
    const operations = Object.values(document_.paths).flatMap((path) => Object.values(path));
    const block = document.querySelector('.opblock.is-open');
    const operation = operations.find((operation) => block.id.endsWith('-' + operation.operationId));
    const problems = Object.entries(operation.responses).filter(([status]) => status >= '400');
    return problems.map(([status, response]) => [
        status,
        Object.values(resolve(response).content['application/problem+json'].examples)[0].value,
        JSON.parse(block.querySelector(`.response[data-code='${status}'] .example`).textContent),
    ]);
})()";

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn problems_are_shown_by_real_examples() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(mut page) = open(animals()) else { return };
    click(&mut page, "operations-Pets-createPet");
    page.text(".response-fold .fold");
    page.evaluate(
        "document.querySelectorAll('.response-fold .fold[aria-expanded=false]').forEach((fold) => fold.click())",
    );
    page.text(".response[data-code='503'] .example");
    let problems = page.evaluate(PROBLEMS);
    let problems = problems.as_array().unwrap();
    assert!(problems.len() > 5, "{problems:#?}");
    for problem in problems {
        assert_eq!(problem[1], problem[2]);
        assert_eq!(problem[0], problem[1]["status"].to_string());
        assert!(problem[1]["code"].is_string() && problem[1]["title"].is_string(), "{problem:#}");
    }
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn texts_can_be_read_in_light_and_dark() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let check = |page: &mut Chromium, what: &str| {
        let contrast = page.evaluate(CONTRAST);
        assert!(contrast["count"].as_u64() > Some(50), "{what}: {contrast:#}");
        assert_eq!(contrast["found"], json!([]), "{what}");
    };
    for scheme in ["light", "dark"] {
        for api in [everything::api(), animals()] {
            let Some(mut page) = open(api) else { return };
            page.prefer(scheme);
            page.wait(&format!("document.documentElement.classList.contains('dark-mode') === {}", scheme == "dark"));
            check(&mut page, scheme);
            for method in ["get", "post", "put", "patch", "delete"] {
                page.evaluate(&format!(
                    "document.querySelector('.opblock-{method}:not(.is-open) .opblock-summary-control')?.click()"
                ));
            }
            page.wait(
                "[...document.querySelectorAll('.opblock.is-open')].every((block) => block.querySelector('.response'))",
            );
            for _ in 0..2 {
                page.evaluate(
                    "document.querySelectorAll('.opblock .fold[aria-expanded=false]').forEach((fold) => fold.click())",
                );
            }
            page.text(".opblock table.headers");
            check(&mut page, &format!("{scheme}, opened"));
            page.click(".opblock-get.is-open .execute");
            page.text(".live-responses-table .response");
            page.evaluate("document.querySelectorAll('.tablinks[data-name=model]').forEach((tab) => tab.click())");
            page.text(".opblock .json-schema-2020-12");
            page.click(".auth-wrapper .authorize");
            page.text(".modal-ux");
            check(&mut page, &format!("{scheme}, schemas"));
        }
    }
}

/// The images of README, which `UPDATE=1 cargo test -p restwright-openapi --test it screenshots` makes anew.
#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn screenshots_are_small() {
    let folder = workspace().join("docs/images");
    let files = ["light", "dark"].map(|scheme| (scheme, folder.join(format!("page-{scheme}.webp"))));
    if std::env::var_os("UPDATE").is_some() {
        let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(mut page) = open(animals()) else { return };
        click(&mut page, "operations-Animals-listAnimals");
        page.text(".response-fold .fold");
        page.evaluate(
            "document.activeElement.blur(); document.getElementById('operations-tag-Animals').scrollIntoView()",
        );
        std::fs::create_dir_all(&folder).unwrap();
        for (scheme, file) in &files {
            page.prefer(scheme);
            page.wait(&format!("document.documentElement.classList.contains('dark-mode') === {}", *scheme == "dark"));
            let image = BASE64_STANDARD.decode(page.screenshot(80)).unwrap();
            std::fs::write(file, image).unwrap();
        }
    }
    let sizes = files
        .map(|(_, file)| std::fs::metadata(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).len());
    assert!(sizes.iter().all(|size| *size > 10_000) && sizes.iter().sum::<u64>() < 200_000, "{sizes:?}");
}
