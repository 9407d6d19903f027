//! Lists of which no response can be made: a 500, whose log has the reason.

use restwright::Part;
use restwright::list::{
    Cursor, CursorKey, CursorResponse, FilterBag, FilterFields, ListSlice, Offset, OffsetResponse, Operator, Page,
    PageResponse, SortBag, SortFields, apply,
};
use restwright::prelude::*;
use restwright::schema::int32;
use restwright::testing::TestClient;
use restwright_tests::Log;
use serde::Serialize;
use tracing::Level;

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
        let log = Log::up_to(Level::ERROR);
        let response = log.during(|| client.get(target).send());
        let log = log.take("").concat();
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
