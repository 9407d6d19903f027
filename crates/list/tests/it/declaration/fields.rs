//! Filters and orders that cannot be read.

use restwright::list::{Direction, Filter, FilterFields, Operator, SortBag, SortFields};
use restwright::prelude::*;
use restwright::schema::{SchemaObject, array, boolean, int32, string, uuid};

use super::{Bags, Nothing, check, route};

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
            "the filter `_age` has the type integer, which does not support `contains`; it supports eq, ne, in, gt, gte, lt, lte, between, is_null",
            "the filter `_calm` has the type boolean, which does not support `gt`; it supports eq, ne, is_null",
            "the filter `_tags` is for array, which is not a single value",
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
            .field(array("tags", SchemaObject::string()), [Operator::Eq]);
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
            "the filter `chip` has the type uuid, which does not support `lt`",
            "the filter `name` has no operator",
            "the filter name `page` is reserved",
            "the filter name `a[b]` is reserved",
            "the filter `calm` is declared twice",
            "the filter `tags` is for array",
            "the order declares the field `name` twice",
            "`-age` is not a valid name of a sort field",
            "the default order contains `wings`",
            "the default order contains `name` twice",
        ],
    );
}

#[test]
fn orders_whose_identifier_is_no_field() {
    #[derive(Clone, Copy)]
    struct Far;

    impl Sort for Far {
        fn declare(_: &Route) -> Result<SortFields, BuildErrors> {
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
            "the order declares `id` as the field at 1, but `at` of `it::declaration::",
            "the identifier of the order is the field at 2, counted from 0, but there are only 2 fields; choose one of them",
        ],
    );
}
