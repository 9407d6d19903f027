//! Lists of which no response can be made: a 500, whose log has the reason.

use std::sync::{Arc, Mutex};

use restwright::Part;
use restwright::list::{CursorKey, FilterBag, FilterFields, ListSlice, Operator, SortFields, apply};
use restwright::prelude::*;
use restwright::schema::int32;
use restwright::testing::TestClient;
use serde::Serialize;

#[derive(Clone, Serialize, Schema, Record)]
struct Word {
    word: Option<&'static str>,
    length: i32,
}

const WORDS: [Word; 3] =
    [Word { word: Some("a"), length: 1 }, Word { word: Some("bb"), length: 2 }, Word { word: Some("cc"), length: 2 }];

#[derive(Request)]
struct Wanted<P: Part> {
    filters: FilterBag,
    sort: SortBag,
    page: P,
}

struct ByPage;
struct ByOffset;
struct ByCursor;
struct Stored;
struct Unnamed;

macro_rules! lists {
    ($($controller:ident $path:literal $pagination:ident -> $response:ident $listed:expr;)*) => {$(
        impl Controller for $controller {
            type Request = Wanted<$pagination>;
            type Response = $response<Word>;

            fn route(&self) -> Route {
                let filters = FilterFields::new()
                    .field(int32("length"), [Operator::Eq])
                    .field(int32("Length"), [Operator::Eq])
                    .computed("Length");
                let sort = SortFields::by_identifier("word").field("length").field("Length").computed("Length");
                Route::get($path).public().with(filters).with(sort)
            }

            async fn handle(&self, wanted: Wanted<$pagination>) -> Result<$response<Word>> {
                let listed: fn(&Wanted<$pagination>) -> ListSlice<Word> = $listed;
                Ok(wanted.page.respond(listed(&wanted)))
            }
        }
    )*};
}

lists! {
    ByPage "/by-page" Page -> PageResponse |wanted| apply(&wanted.filters, &wanted.sort, &wanted.page, WORDS);
    ByOffset "/by-offset" Offset -> OffsetResponse |wanted| apply(&wanted.filters, &wanted.sort, &wanted.page, &WORDS).cloned();
    ByCursor "/by-cursor" Cursor -> CursorResponse |wanted| apply(&wanted.filters, &wanted.sort, &wanted.page, WORDS);
    Stored "/stored" Cursor -> CursorResponse |wanted| ListSlice::new(&wanted.page, WORDS).counted(3);
    Unnamed "/unnamed" Cursor -> CursorResponse |wanted| {
        ListSlice::new(&wanted.page, [Word { word: None, length: 0 }]).counted(1)
    };
}

#[test]
fn lists_by_what_items_do_not_have() {
    let configuration = Configuration::new("words", "1.0.0").with(CursorKey::new([7; 32]));
    let api = Api::builder(configuration);
    let api = api.controller(ByPage).controller(ByOffset).controller(ByCursor).controller(Stored).controller(Unnamed);
    let client = TestClient::new(api.build().unwrap());
    for (target, expected) in [
        ("/by-page?order_by=length&length=2", None),
        ("/by-page?order_by=-Length", Some("the field `Length`, which the record it::failures::Word does not have")),
        ("/by-page?Length=2", Some("the field `Length`, which")),
        ("/by-page?length=7&order_by=Length", Some("the field `Length`, which")),
        ("/by-offset?order_by=length&length=2", None),
        ("/by-offset?Length=2", Some("the field `Length`, which")),
        ("/by-cursor?order_by=length&length=2", None),
        ("/by-cursor?Length=2", Some("the field `Length`, which")),
        ("/by-cursor?order_by=Length&limit=1", Some("the field `Length`, which")),
        ("/stored?limit=1", None),
        // A store has its own names; a cursor is made of the record.
        ("/stored?Length=2&limit=1", None),
        ("/stored?order_by=Length&limit=1", Some("the field `Length`, which")),
        ("/unnamed", Some("an item of the type it::failures::Word has no `word`")),
    ] {
        let log = Log::default();
        let response = tracing::subscriber::with_default(log.clone(), || client.get(target).send());
        let log = log.0.lock().unwrap();
        match expected {
            None => _ = response.assert_status(200).assert_documented(),
            Some(expected) => {
                response.assert_status(500).assert_problem("internal_error");
                assert!(!response.text().contains("Length"), "{}", response.text());
                assert!(log.contains(expected), "{target}: {log}");
            }
        }
    }
}

/// Collects the log.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<String>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut write = |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            self.0.lock().unwrap().push_str(&format!("{field}={value:?} "));
        };
        event.record(&mut write);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
