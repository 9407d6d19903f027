//! Mistakes in declarations, told when the Api is built.

use restwright::list::{CursorKey, Direction, FilterBag, FilterFields, FilterPlan, Operator, SortFields};
use restwright::prelude::*;
use restwright::schema::{array, boolean, int32, string, uuid};
use serde::Serialize;

struct Endpoint<Q, S> {
    route: fn() -> Route,
    types: std::marker::PhantomData<fn() -> (Q, S)>,
}

impl<Q: Request, S: Response> Controller for Endpoint<Q, S> {
    type Request = Q;
    type Response = S;

    fn route(&self) -> Route {
        (self.route)()
    }

    async fn handle(&self, _: Q) -> Result<S> {
        unreachable!()
    }
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Nothing {}

#[derive(Request)]
struct Bags {
    _filters: FilterBag,
    _sort: SortBag,
}

#[track_caller]
fn check<Q: Request, S: Response>(route: fn() -> Route, expected: &[&str]) {
    let endpoint = Endpoint::<Q, S> { route, types: std::marker::PhantomData };
    let errors = Api::builder(Configuration::new("tests", "1.0.0")).controller(endpoint).build().unwrap_err();
    assert_eq!(errors.messages().len(), expected.len(), "{errors}");
    for (message, expected) in errors.messages().iter().zip(expected) {
        assert!(message.contains(expected), "{message}\ndoes not contain\n{expected}");
    }
}

fn route() -> Route {
    Route::get("/list").public()
}

#[test]
fn operators_that_make_no_sense() {
    #[derive(Filters)]
    struct Wrong {
        #[filter(contains)]
        _age: Filter<u8>,
        #[filter(gt)]
        _calm: Filter<bool>,
        #[filter(eq)]
        _tags: Filter<Vec<String>>,
    }
    #[derive(Request)]
    struct List {
        _filters: Wrong,
    }
    check::<List, Nothing>(
        route,
        &[
            "`contains` makes no sense for the filter `_age`, whose type is integer; it may take eq, ne, in, gt, gte, lt, lte, between, is_null",
            "`gt` makes no sense for the filter `_calm`, whose type is boolean; it may take eq, ne, is_null",
            "the filter `_tags` is for array, which has no single value",
        ],
    );
}

#[test]
fn declarations_at_run_time() {
    check::<Bags, Nothing>(route, &["the route declares no filters", "the route declares no order"]);
    let declared = || {
        let filters = FilterFields::new()
            .field(uuid("chip"), [Operator::Lt])
            .field(string("name"), [])
            .field(int32("page"), [Operator::Eq])
            .field(string("a[b]"), [Operator::Eq])
            .field(boolean("calm"), [Operator::Eq])
            .field(boolean("calm"), [Operator::Ne])
            .field(array("tags", string("")), [Operator::Eq]);
        let sort = SortFields::by_identifier("id")
            .field("name")
            .field("name")
            .field("-age")
            .default("wings", Direction::Ascending)
            .default("name", Direction::Ascending)
            .default("name", Direction::Descending);
        route().with(filters).with(sort)
    };
    check::<Bags, Nothing>(
        declared,
        &[
            "`lt` makes no sense for the filter `chip`",
            "the filter `name` has no operator",
            "a filter cannot be called `page`",
            "a filter cannot be called `a[b]`",
            "the filter `calm` is declared twice",
            "the filter `tags` is for array",
            "the order declares the field `name` twice",
            "a field to sort by cannot be called `-age`",
            "the default order names `wings`",
            "the default order names `name` twice",
        ],
    );
}

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

    let not_taken = "the request imposes";
    check::<None, PageResponse<String>>(route, &["the response is a `PageResponse` and the request has no `Page`"]);
    check::<ByPage, Nothing>(route, &[not_taken]);
    check::<ByPage, OffsetResponse<String>>(
        route,
        &["the response is a `OffsetResponse` and the request has no `Offset`"],
    );
    check::<ByOffset, CursorResponse<String>>(
        route,
        &["the response is a `CursorResponse` and the request has no `Cursor`"],
    );
    check::<ByCursor, CursorResponse<String>>(route, &["the request has a `Cursor` and no order"]);
    check::<ByPage, PageResponse<String>>(|| route().with(Limits::new(0, 10)), &["the limits are 0 by default"]);
    check::<ByPage, PageResponse<String>>(|| route().with(Limits::new(11, 10)), &["the limits are 11 by default"]);
}

#[test]
fn orders_whose_identifier_is_no_field() {
    #[derive(Clone, Copy)]
    struct Far;

    impl Sort for Far {
        fn declare(_: &Route) -> Result<SortFields, StartErrors> {
            Ok(SortFields::with_identifier_at(["name", "id"], 2))
        }

        fn at(_: &SortFields, _: usize) -> Option<Self> {
            Some(Self)
        }

        fn name(&self) -> &str {
            "name"
        }
    }

    #[derive(Request)]
    struct List {
        _sort: SortBag<Far>,
    }
    check::<List, Nothing>(
        route,
        &[
            "the order declares `id` as the field at 1, and by `at` of `it::declaration::",
            "the identifier of the order is the field at 2, counted from 0, and there are 2 fields; name one of them",
        ],
    );
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
                let expected = format!("the cursor key has {length} bytes, so that cursors can be forged; it needs 32");
                assert!(errors.to_string().contains(&expected), "{errors}");
                assert!(errors.to_string().contains("openssl rand -hex 32"), "{errors}");
            }
        }
    }
}

#[test]
fn two_of_a_kind() {
    #[derive(Request)]
    struct Two {
        _first: FilterBag,
        _second: FilterBag,
        _sort: SortBag,
        _again: SortBag,
    }
    let declared = || route().with(FilterFields::new()).with(SortFields::by_identifier("id"));
    check::<Two, Nothing>(declared, &["two sets of filters", "two orders"]);
    fn _is_public(_: FilterPlan) {}
}

#[test]
fn two_readers_of_one_parameter() {
    #[derive(Filters)]
    struct ByName {
        #[filter(contains, starts_with)]
        _name: Filter<String>,
        #[filter(eq)]
        _age: Filter<u8>,
    }
    #[derive(Request)]
    struct Flat {
        _filters: ByName,
        #[query]
        _name: String,
    }
    #[derive(Request)]
    struct Before {
        #[query("_age")]
        _age: u8,
        _filters: ByName,
    }
    #[derive(Request)]
    struct Bracketed {
        _filters: ByName,
        #[query("_name[]")]
        _names: Vec<String>,
        #[query("filter[wings]")]
        _wings: Option<u8>,
        #[query]
        _names_with_more: Option<u8>,
    }
    #[derive(Request)]
    struct OfLists {
        #[query("filter")]
        _query_filter: Option<String>,
        _filters: ByName,
        #[query("order_by")]
        _query_order_by: Option<String>,
        _sort: SortBag,
        #[query("limit")]
        _query_limit: Option<u8>,
        _page: Page,
        #[query("page")]
        _query_page: Option<u8>,
    }
    check::<Flat, Nothing>(
        route,
        &[
            "the query parameter `_name` is also read as `filter[_name][contains]`, which may be spelt `_name[contains]`; give one of them another name",
        ],
    );
    check::<Before, Nothing>(
        route,
        &["the query parameter `_age` is also read as `filter[_age]`, which may be spelt `_age`"],
    );
    check::<Bracketed, Nothing>(
        route,
        &[
            "the query parameter `_name[]` is also read as `filter[_name][contains]`",
            "the query parameter `filter[wings]` is also read as `filter[_name][contains]`",
        ],
    );
    check::<OfLists, PageResponse<String>>(
        || route().with(SortFields::by_identifier("id")),
        &[
            "the query parameter `filter` is also read as `filter[_name][contains]`",
            "two parameters in the query are named `order_by`",
            "two parameters in the query are named `limit`",
            "two parameters in the query are named `page`",
        ],
    );
}
