//! Finds the rules that exist in a table but not in its entity definition.

use std::collections::BTreeSet;

use restwright_core::runtime::log;
use restwright_list::ValueType;
use restwright_resource::ValueBounds;

use super::found_table::FoundTable;
use super::types;
use crate::table::{ColumnLimit, ReadBack, Rules, Table};

/// Returns the rules of a table that was found in the database.
pub(super) fn rules(table: &Table, found: &FoundTable) -> Rules {
    let is_written = |name: &str| table.columns.iter().any(|column| column.name == name || column.fold() == Some(name));
    let limits = found.columns.iter().filter(|column| is_written(&column.name));
    let limits =
        limits.filter_map(|column| Some((column.name.clone(), types::limit(table.dialect, column)?))).collect();
    let checks = found.checks.iter().filter_map(|check| match check.columns.as_slice() {
        [column] => Some((check.name.clone(), column.clone())),
        _ => None,
    });
    let is_read = |name: &str| table.columns.iter().any(|column| column.name == name);
    let generated = found.columns.iter().filter(|column| column.is_generated && is_read(&column.name));
    let generated: BTreeSet<_> = generated.map(|column| column.name.clone()).collect();
    let mut triggers = found.triggers;
    let may_change_folded = table.is_folded() && triggers.inserts.max(triggers.updates) != ReadBack::Nothing;
    if !generated.is_empty() {
        triggers.inserts = triggers.inserts.max(ReadBack::Returned);
        triggers.updates = triggers.updates.max(ReadBack::Returned);
    }
    let sequence = found.column(&table.identifier().name).and_then(|column| column.sequence.as_ref());
    let sequence = sequence.map(|sequence| sequence.name.clone());
    Rules { limits, checks: checks.collect(), generated, triggers, may_change_folded, sequence }
}

/// Returns the property settings that declare this limit, such as `max_length = 80`. Returns `None` if the bounds of the property are
/// narrow enough.
fn missing(limit: ColumnLimit, bounds: ValueBounds) -> Option<String> {
    match limit {
        ColumnLimit::Length(length) => {
            let is_declared = bounds.max_length.is_some_and(|declared| declared <= length);
            (!is_declared).then(|| format!("max_length = {length}"))
        }
        // A property can declare the scale only.
        ColumnLimit::Digits { .. } => None,
        ColumnLimit::Range(smallest, largest) => {
            let is_above = bounds.minimum.is_some_and(|declared| declared >= smallest);
            let is_below = bounds.maximum.is_some_and(|declared| declared <= largest);
            let minimum = (!is_above).then(|| format!("minimum = {smallest}"));
            let maximum = (!is_below).then(|| format!("maximum = {largest}"));
            let missing: Vec<_> = minimum.into_iter().chain(maximum).collect();
            (!missing.is_empty()).then(|| missing.join(", "))
        }
    }
}

/// Logs a warning for each column that cannot store all values of its property. The warning contains the setting that the property needs.
pub(super) fn warn_of_narrow_columns(table: &Table, found: &FoundTable) {
    let Some(bounds) = table.bounds.get() else { return };
    for column in &table.columns {
        let field = column.field.name();
        // The length of JSON depends on its formatting.
        let declared = bounds.get(field).filter(|_| column.field.value_type() != ValueType::Json);
        let Some((bounds, found)) = declared.zip(found.column(&column.name)) else { continue };
        let Some(missing) = types::limit(table.dialect, found).and_then(|limit| missing(limit, *bounds)) else {
            continue;
        };
        let (definition, name, type_name) = (table.definition.name(), &column.name, &found.type_name);
        log(|| {
            tracing::warn!(
                database = table.dialect.name(),
                "the column `{name}` of the table `{table}` is `{type_name}` and cannot store every value of the property `{field}` of \
                 `{definition}`; declare `{missing}`"
            );
        });
    }
}

/// The maximum number of digits of a decimal that a field can contain, before the point and after the point.
const DIGITS: i64 = 28;

/// Logs a warning for each `numeric` column that can contain decimals with more digits than a field. Rows with these decimals are unreadable.
pub(super) fn warn_of_wide_columns(table: &Table, found: &FoundTable) {
    for column in &table.columns {
        let Some(found) = found.column(&column.name) else { continue };
        let Some(ColumnLimit::Digits { precision, scale }) = types::limit(table.dialect, found) else { continue };
        let (precision, scale) = (i64::from(precision), i64::from(scale));
        // A negative scale adds zeros before the point.
        if precision.max(scale).max(precision - scale) <= DIGITS {
            continue;
        }
        let (field, name, type_name) = (column.field.name(), &column.name, &found.type_name);
        log(|| {
            tracing::warn!(
                database = table.dialect.name(),
                "the column `{name}` of the table `{table}` is `{type_name}`, but the field `{field}` has at most {DIGITS} digits; a row with \
                 more digits is unreadable, so its view and its lists return 500; reduce the precision of the column to {DIGITS}, or call `skip_unreadable_rows` on the store"
            );
        });
    }
}
