//! A value that several parts of a request share is read once, regardless of the order of the parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restwright::extend::core::problem::{RequestViolations, ViolationLocation};
use restwright::extend::core::schema::{Code, Violation};
use restwright::extend::core::{BuildContext, BuildErrors, Part, RequestHead, operation};
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde_json::{Value, json};

/// Counts the reads of the words.
#[derive(Clone, Debug, Default)]
struct Count(Arc<AtomicUsize>);

/// The words of the query, which two parts use.
struct Words(Vec<String>);

fn words(count: &Count, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<std::rc::Rc<Words>> {
    head.shared(|| {
        count.0.fetch_add(1, Ordering::Relaxed);
        let words: Vec<_> = head.query().values("word").map(str::to_owned).collect();
        if words.is_empty() {
            violations.push(ViolationLocation::Query, Violation::new("/word", Code::REQUIRED, "is missing"));
        }
        (!words.is_empty()).then_some(Words(words))
    })
}

macro_rules! part {
    ($name:ident, $value:ty, $of:expr) => {
        struct $name($value);

        impl Part for $name {
            type Plan = Count;

            fn plan(context: &mut BuildContext<'_>) -> Result<Count, BuildErrors> {
                Ok(context.configuration().get::<Count>().cloned().unwrap_or_default())
            }

            fn describe(_: &Count, _: &mut operation::Operation) {}

            fn read(plan: &Count, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
                words(plan, head, violations).map(|words| Self($of(&words.0)))
            }
        }
    };
}

part!(FirstWord, String, |words: &[String]| words[0].clone());
part!(WordCount, usize, |words: &[String]| words.len());

#[derive(Part)]
struct Nested {
    count: WordCount,
}

#[derive(Request)]
struct OneWay {
    first: FirstWord,
    nested: Nested,
    count: WordCount,
}

#[derive(Request)]
struct OtherWay {
    count: WordCount,
    first: FirstWord,
}

#[test]
fn a_shared_value_is_read_once() {
    let count = Count::default();
    let route = |path: &'static str| Route::get(path).id(path.trim_start_matches('/')).public();
    let api =
        Api::builder(Configuration::new("words", "1.0.0").with(count.clone()))
            .controller(route("/one").handler(async |request: OneWay| {
                Ok(Data(json!([request.first.0, request.nested.count.0, request.count.0])))
            }))
            .controller(route("/other").handler(async |request: OtherWay| {
                Ok(Data(json!([request.first.0, request.count.0, request.count.0])))
            }))
            .build();
    let client = TestClient::new(api.unwrap());
    for path in ["/one", "/other"] {
        for (query, status) in [("?word=a&word=b", 200), ("", 422)] {
            let before = count.0.load(Ordering::Relaxed);
            let response = client.get(format!("{path}{query}")).send();
            response.assert_status(status);
            assert_eq!(count.0.load(Ordering::Relaxed) - before, 1, "{path}{query}");
            let body: Value = response.json();
            match status {
                200 => assert_eq!(body["data"], json!(["a", 2, 2])),
                _ => assert_eq!(body["errors"].as_array().map(Vec::len), Some(1), "{body}"),
            }
        }
    }
}
