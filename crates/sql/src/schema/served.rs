//! The indexes that serve the filters and orders of a list.

use std::sync::PoisonError;

use restwright_core::runtime::log;
use restwright_list::{Operator, PlannedList};

use super::found_table::FoundTable;
use crate::dialect::Dialect;
use crate::store::Shared;
use crate::table::Table;

/// The most filters and orders that a line of the log names.
const NAMED: usize = 20;

/// Logs how many combinations of a filter and an order of a resource's list are served by no index of the database.
pub(super) fn log_list<D: Dialect>(shared: &Shared<D>, table: &Table, found: &FoundTable) {
    let lists = shared.lists.read().unwrap_or_else(PoisonError::into_inner);
    let entity = table.definition.name();
    let Some(list) = lists.get(entity) else { return };
    let Unserved { combinations, unserved, names } = unserved(table, found, list);
    let mut shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        shown.push_str(", ..");
    }
    if names.is_empty() {
        log(|| {
            tracing::info!(
                entity,
                combinations,
                unserved,
                "indexes serve all filters and orders of the list of `{entity}`"
            )
        });
    } else {
        log(|| {
            tracing::info!(
                entity,
                combinations,
                unserved,
                "no index serves {unserved} of {combinations} combinations of a filter and an order of the list of `{entity}`: {shown}"
            );
        });
    }
}

struct Unserved {
    combinations: usize,
    unserved: usize,
    /// The filters that no index serves in any order, and the orders without a filter.
    names: Vec<String>,
}

/// An index serves a filter if it has the scope and then the field, so that it has the rows next to each other, and an order without a filter if it
/// has the scope and then the field of the order.
fn unserved(table: &Table, found: &FoundTable, list: &PlannedList) -> Unserved {
    let scope: Vec<_> = table.scope_columns().map(|column| column.name.clone()).collect();
    let orders: Vec<_> = list.orders().filter_map(|field| table.column(field)).collect();
    let mut names = Vec::new();
    let mut combinations = orders.len();
    for order in &orders {
        if !found.is_indexed(&scope, &order.name) {
            names.push(format!("order_by={}", order.field.name()));
        }
    }
    let mut unserved = names.len();
    for (field, operators) in list.filters() {
        let Some(column) = table.column(field) else { continue };
        for operator in operators {
            combinations += orders.len();
            let searched = match operator {
                Operator::Ne | Operator::Contains | Operator::EndsWith => None,
                Operator::StartsWith => column.fold(),
                _ => Some(column.name.as_str()),
            };
            if !searched.is_some_and(|searched| found.is_indexed(&scope, searched)) {
                unserved += orders.len();
                names.push(format!("{field}[{}]", operator.as_str()));
            }
        }
    }
    Unserved { combinations, unserved, names }
}
