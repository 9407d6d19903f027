//! Finds list filters and sort orders that no index supports.

use std::sync::PoisonError;

use restwright_core::runtime::log;
use restwright_list::{Operator, PlannedList};
use restwright_resource::EntityDefinition;

use super::found_table::{FoundIndex, FoundTable};
use super::indexes::IndexColumn;
use super::table_schema::TableSchema;
use crate::dialect::Dialect;
use crate::store::Shared;
use crate::table::Table;

/// The maximum number of filters and sort orders in a log line.
const NAMED: usize = 20;

/// Logs how many combinations of filter and sort order in a list are not supported by a database index.
pub(super) fn log_list<D: Dialect>(shared: &Shared<D>, table: &Table, found: &FoundTable) {
    let lists = shared.lists.read().unwrap_or_else(PoisonError::into_inner);
    let entity = table.definition.name();
    let Some(list) = lists.get(entity) else { return };
    let indexes = found.indexes.iter().filter(|index| !index.is_partial);
    let (items, ordered): (Vec<_>, Vec<_>) = indexes.partition(|index| index.is_of_items);
    let all = Indexes {
        ordered: ordered.into_iter().map(columns).collect(),
        items: items.iter().flat_map(|index| &index.columns).filter_map(|column| column.name.as_deref()).collect(),
    };
    let Unserved { combinations, unserved, names } = all.unserved(table, list);
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

fn columns(index: &FoundIndex) -> Vec<Option<&str>> {
    index.columns.iter().map(|column| column.name.as_deref()).collect()
}

struct Unserved {
    combinations: usize,
    unserved: usize,
    /// The filters that no index supports with any sort order, and the sort orders that no index supports without a filter.
    names: Vec<String>,
}

/// Returns a note on the filters and sort orders that no index of the entity definition supports. The database may have more indexes.
pub(crate) fn list_note<D: Dialect>(
    shared: &Shared<D>,
    definition: &EntityDefinition,
    list: &PlannedList,
) -> Option<String> {
    let all = shared.all_tables();
    let table = all.iter().find(|table| table.definition.name() == definition.name())?;
    // The start reports errors in references.
    let schema = TableSchema::new::<D>(table, &all, &mut Vec::new());
    let indexes = schema.indexes.iter().filter(|index| index.condition.is_none());
    let (items, ordered): (Vec<_>, Vec<_>) = indexes.partition(|index| index.is_of_items);
    let ordered = ordered.into_iter().map(|index| index.columns.iter().map(column_of).collect());
    let items = items.iter().flat_map(|index| &index.columns).map(|column| column.name.as_str()).collect();
    let primary = schema.primary_key.iter().map(|column| Some(column.as_str())).collect();
    let Unserved { combinations, unserved, names } =
        Indexes { ordered: ordered.chain([primary]).collect(), items }.unserved(table, list);
    let shown = names.join(", ");
    (unserved > 0).then(|| {
        format!("no declared index serves {unserved} of {combinations} combinations of a filter and an order: {shown}")
    })
}

fn column_of(column: &IndexColumn) -> Option<&str> {
    Some(column.name.as_str()).filter(|_| column.expression.is_none())
}

/// The columns of each index that is not partial. `None` is an expression instead of a column.
struct Indexes<'i> {
    ordered: Vec<Vec<Option<&'i str>>>,
    /// The list columns whose items are indexed.
    items: Vec<&'i str>,
}

impl Indexes<'_> {
    /// Returns `true` if an index starts with the scope columns in any order, followed by the column. Rows with the same value are then adjacent.
    fn serve(&self, scope: &[&str], column: &str) -> bool {
        self.ordered.iter().any(|index| {
            let (first, next) = (index.get(..scope.len()).unwrap_or_default(), index.get(scope.len()));
            scope.iter().all(|name| first.contains(&Some(name))) && next == Some(&Some(column))
        })
    }

    /// Finds the filters and sort orders that no index supports. An index supports a filter if it starts with the scope, followed by the
    /// field of the filter. It supports an order without a filter if it starts with the scope, followed by the field of the order.
    fn unserved(&self, table: &Table, list: &PlannedList) -> Unserved {
        let scope: Vec<_> = table.scope_columns().map(|column| column.name.as_str()).collect();
        let orders: Vec<_> = list.orders().filter_map(|field| table.column(field)).collect();
        let mut names = Vec::new();
        let mut combinations = orders.len();
        for order in &orders {
            if !self.serve(&scope, &order.name) {
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
                let is_served = match operator {
                    Operator::Has => self.items.contains(&column.name.as_str()),
                    _ => searched.is_some_and(|searched| self.serve(&scope, searched)),
                };
                if !is_served {
                    unserved += orders.len();
                    names.push(format!("{field}[{}]", operator.as_str()));
                }
            }
        }
        Unserved { combinations, unserved, names }
    }
}
