//! Orders of every type of values, with nulls and ties.

use restwright_list::{Comparison, Expression};

use super::filters::specimens;
use super::specimen::values;
use super::table::{Table, when};
use super::{Cases, Specimen, equal};
use crate::store::Repository;

/// Orders with the labels of the list, as in `filters`.
const ORDERS: &[(&str, &str, &str)] = &[
    ("the identifier alone", "", "1 2 3 4 5 6 7 8"),
    ("the identifier descending", "-id", "8 7 6 5 4 3 2 1"),
    ("text", "text", "1 2 7 4 3 5 6 8"),
    ("text descending", "-text", "8 6 5 3 4 7 2 1"),
    ("integer with a tie", "integer", "1 8 2 3 4 5 6 7"),
    ("integer descending with a tie", "-integer", "7 6 5 4 3 2 8 1"),
    ("integer descending and the identifier ascending", "-integer,id", "7 6 4 5 3 2 8 1"),
    ("number", "number", "1 7 2 3 4 5 6 8"),
    ("number descending", "-number", "8 6 5 4 3 2 7 1"),
    ("boolean", "flag", "1 8 2 4 7 3 5 6"),
    ("boolean descending", "-flag", "6 5 3 7 4 2 8 1"),
    ("boolean and the identifier descending", "flag,-id", "8 1 7 4 2 6 5 3"),
    ("boolean descending and the identifier ascending", "-flag,id", "3 5 6 2 4 7 1 8"),
    ("date", "date", "1 8 6 2 3 5 4 7"),
    ("date descending", "-date", "7 4 5 3 2 6 8 1"),
    ("date-time", "moment", "1 8 6 2 3 5 4 7"),
    ("date-time descending", "-moment", "7 4 5 3 2 6 8 1"),
    ("uuid", "uuid", "1 8 2 3 5 7 4 6"),
    ("uuid descending", "-uuid", "6 4 7 5 3 2 8 1"),
    ("two fields in two directions", "flag,-integer", "8 1 7 4 2 6 5 3"),
    ("two fields with nulls", "date,text", "1 8 6 2 3 5 4 7"),
    ("two fields with nulls last", "date,-text", "8 1 6 2 5 3 4 7"),
    ("three fields", "flag,date,-number", "8 1 2 4 7 6 5 3"),
];

pub(super) async fn run<S: Repository<Specimen>>(make_store: &impl AsyncFn() -> S, cases: &mut Cases) {
    let store = make_store().await;
    let table = Table::new(&store, values());
    let inserted = async { Ok(table.insert_all(specimens().into_iter().rev()).await?) };
    cases.run("orders", "the entities are inserted", inserted).await;
    for (name, order, expected) in ORDERS {
        let case = async { equal(table.labels(Expression::TRUE, order).await?.join(" "), (*expected).to_owned()) };
        cases.run("orders", name, case).await;
    }
    let filter = when("integer", Comparison::Gte(7.into()));
    let filtered = async { equal(table.labels(filter, "-number").await?.join(" "), "6 5 4 7".to_owned()) };
    cases.run("orders", "number descending of a filtered list", filtered).await;
}
