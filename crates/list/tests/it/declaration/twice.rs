//! What stands twice: parts, and readers of one parameter.

use restwright::list::{Filter, FilterBag, FilterFields, FilterPlan, Page, PageResponse, SortBag, SortFields};
use restwright::prelude::*;

use super::{Nothing, check, route};

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
            "the query parameter `_name` conflicts with `filter[_name][contains]`, whose flat spelling is `_name[contains]`; rename one of them",
        ],
    );
    check::<Before, Nothing>(
        route,
        &["the query parameter `_age` conflicts with `filter[_age]`, whose flat spelling is `_age`"],
    );
    check::<Bracketed, Nothing>(
        route,
        &[
            "the query parameter `_name[]` conflicts with `filter[_name][contains]`",
            "the query parameter `filter[wings]` conflicts with `filter[_name][contains]`",
        ],
    );
    check::<OfLists, PageResponse<String>>(
        || route().with(SortFields::by_identifier("id")),
        &[
            "the query parameter `filter` conflicts with `filter[_name][contains]`",
            "two parameters in the query are named `order_by`",
            "two parameters in the query are named `limit`",
            "two parameters in the query are named `page`",
        ],
    );
}
