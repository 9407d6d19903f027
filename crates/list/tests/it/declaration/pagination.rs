//! Paginations: their envelopes, limits and keys.

use restwright::list::{
    Cursor, CursorKey, CursorResponse, Limits, Offset, OffsetResponse, Page, PageResponse, SortBag, SortFields,
};
use restwright::prelude::*;

use super::{Endpoint, Nothing, check, route};

#[test]
fn envelopes_belong_to_their_pagination() {
    #[derive(Request)]
    struct ByPage {
        _page: Page,
    }
    #[derive(Request)]
    struct ByOffset {
        _page: Offset,
    }
    #[derive(Request)]
    struct ByCursor {
        _page: Cursor,
    }
    #[derive(Request)]
    struct None;

    let not_taken = "the controller has another response; write `type Response = PageResponse<..>`";
    check::<None, PageResponse<String>>(route, &["the response is `PageResponse`, but the request has no `Page`"]);
    check::<ByPage, Nothing>(route, &[not_taken]);
    check::<ByPage, OffsetResponse<String>>(
        route,
        &["the response is `OffsetResponse`, but the request has no `Offset`"],
    );
    check::<ByOffset, CursorResponse<String>>(
        route,
        &["the response is `CursorResponse`, but the request has no `Cursor`"],
    );
    check::<ByCursor, CursorResponse<String>>(route, &["the request has a `Cursor`, which requires an order"]);
    check::<ByPage, PageResponse<String>>(|| route().with(Limits::new(0, 10)), &["the default limit is 0"]);
    check::<ByPage, PageResponse<String>>(|| route().with(Limits::new(11, 10)), &["the default limit is 11"]);
}

#[test]
fn keys_that_anyone_can_guess() {
    #[derive(Request)]
    struct ByCursor {
        _sort: SortBag,
        _page: Cursor,
    }
    for length in [0, 1, 31, 32] {
        let endpoint = Endpoint::<ByCursor, CursorResponse<String>> {
            route: || route().with(SortFields::by_identifier("id")),
            types: std::marker::PhantomData,
        };
        let key = CursorKey::new(vec![7; length]);
        let built = Api::builder(Configuration::new("tests", "1.0.0").with(key)).controller(endpoint).build();
        match built {
            Ok(_) => assert_eq!(length, 32),
            Err(errors) => {
                assert!(length < 32, "{errors}");
                let expected =
                    format!("the cursor key has {length} bytes, so cursors can be forged; it must have at least 32");
                assert!(errors.to_string().contains(&expected), "{errors}");
                assert!(errors.to_string().contains("openssl rand -hex 32"), "{errors}");
            }
        }
    }
}
