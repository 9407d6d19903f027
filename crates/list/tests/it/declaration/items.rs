//! Filters and orders by fields that the items of the response do not have.

use restwright::list::{
    Cursor, CursorResponse, Filter, FilterBag, FilterFields, Offset, OffsetResponse, Operator, Page, PageResponse,
    SortBag, SortFields,
};
use restwright::prelude::*;
use restwright::schema::{int32, string};
use serde::Serialize;

use super::{check, route};

#[derive(Serialize, Schema, Record)]
#[serde(rename_all = "camelCase")]
struct Pet {
    id: i64,
    #[serde(flatten)]
    details: Details,
}

#[derive(Serialize, Schema, Record)]
#[serde(rename_all = "camelCase")]
struct Details {
    weight_kg: f64,
    #[serde(rename = "called")]
    name: String,
}

#[derive(Filters)]
struct Fitting {
    #[filter(gt, rename = "weightKg")]
    _weight_kg: Filter<f64>,
    #[filter(contains, computed)]
    _anything: Filter<String>,
}

#[derive(Filters)]
struct Misnamed {
    #[filter(gt, rename = "weight_kg")]
    _weight_kg: Filter<f64>,
    #[filter(eq, rename = "called")]
    _name: Filter<String>,
}

#[derive(Clone, Sort)]
enum PetSort {
    #[sort(id)]
    Id,
    Wings,
    #[sort(computed)]
    Relevance,
}

#[derive(Request)]
struct ByPage {
    _filters: Misnamed,
    _sort: SortBag<PetSort>,
    _page: Page,
}

#[derive(Request)]
struct ByOffset {
    _offset: Offset,
    _filters: Misnamed,
}

#[derive(Request)]
struct ByCursor {
    _cursor: Cursor,
    _sort: SortBag<PetSort>,
}

#[test]
fn fields_that_the_items_do_not_have() {
    let filter =
        "a filter names the field `weight_kg`, which the items `Pet` do not have (they have id, weightKg, called";
    let order = "the order names the field `Wings`, which the items `Pet` do not have";
    check::<ByPage, PageResponse<Pet>>(route, &[filter, &order.replace("Wings", "wings")]);
    check::<ByOffset, OffsetResponse<Pet>>(route, &[filter]);
    check::<ByCursor, CursorResponse<Pet>>(route, &[&order.replace("Wings", "wings")]);
}

#[test]
fn fields_that_are_declared_at_run_time() {
    #[derive(Request)]
    struct Bags {
        _filters: FilterBag,
        _sort: SortBag,
        _page: Page,
    }
    let declared = || {
        let filters =
            FilterFields::new().field(int32("wings"), [Operator::Eq]).field(string("q"), [Operator::Contains]);
        route()
            .with(filters.computed("q"))
            .with(SortFields::by_identifier("id").field("tail").field("rank").computed("rank"))
    };
    check::<Bags, PageResponse<Pet>>(
        declared,
        &["a filter names the field `wings`", "the order names the field `tail`"],
    );
    // Items without declared properties have no fields to check.
    check::<Bags, PageResponse<String>>(declared, &[]);
    let misplaced = || {
        let filters = FilterFields::new().computed("q").default_operator("name", Operator::Eq);
        let filters = filters.field(string("name"), [Operator::Eq]).default_operator("name", Operator::Contains);
        route().with(filters).with(SortFields::by_identifier("id").computed("rank"))
    };
    check::<Bags, PageResponse<String>>(
        misplaced,
        &[
            "the default operator `contains` of the filter `name` is not one of its operators",
            "names the filter `q`, which is not declared before the call",
            "names the filter `name`, which is not declared before the call",
            "`computed` names `rank`, which is not a sort field",
        ],
    );
}

#[test]
fn fields_that_the_items_have_or_that_are_computed() {
    #[derive(Request)]
    struct ByPage {
        _filters: Fitting,
        _page: Page,
    }
    check::<ByPage, PageResponse<Pet>>(route, &[]);
}
