//! Defines [`Rules`], the rules that exist in a table but not in its entity definition.

use std::collections::{BTreeMap, BTreeSet};

use restwright_core::runtime::log;
use restwright_core::schema::{Code, Violation, pointer_to};
use restwright_list::ValueType;
use restwright_resource::{StoreError, ValueBounds};
use rust_decimal::Decimal;
use sea_query::Value as SqlValue;

use super::found_table::{ColumnLimit, FoundTable, FoundTriggers, ReadBack};
use crate::dialect::Dialect;
use crate::table::Table;

/// The rules that exist in a table but not in its entity definition: column limits, checks, generated columns and triggers.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    limits: BTreeMap<String, ColumnLimit>,
    /// Maps the name of each single-column check to the name of its column. Errors of the database contain this name.
    pub(crate) checks: BTreeMap<String, String>,
    /// The columns of fields that the database computes.
    pub(crate) generated: BTreeSet<String>,
    pub(crate) triggers: FoundTriggers,
    /// `true` if triggers may change strings that also have a case-folded copy.
    pub(crate) may_change_folded: bool,
    /// The sequence that generates the identifiers.
    pub(crate) sequence: Option<String>,
}

impl Rules {
    pub(super) fn new<D: Dialect>(table: &Table, found: &FoundTable) -> Self {
        let is_written =
            |name: &str| table.columns.iter().any(|column| column.name == name || column.fold() == Some(name));
        let limits = found.columns.iter().filter(|column| is_written(&column.name));
        let limits = limits.filter_map(|column| Some((column.name.clone(), D::limit(column)?))).collect();
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
        Self { limits, checks: checks.collect(), generated, triggers, may_change_folded, sequence }
    }

    /// Checks that the columns can store the bound values.
    pub(crate) fn check<'v>(
        &self,
        table: &Table,
        values: impl Iterator<Item = (&'v str, &'v SqlValue)>,
    ) -> Result<(), StoreError> {
        if self.limits.is_empty() {
            return Ok(());
        }
        for (name, value) in values {
            let Some(limit) = self.limits.get(name).filter(|limit| !limit.contains(value)) else { continue };
            let source = format!("the column `{name}` of `{table}` cannot store a value");
            let Some(column) = table.columns.iter().find(|column| column.name == name) else {
                let folded = table.columns.iter().find(|column| column.fold() == Some(name));
                return Err(StoreError::rejected(folded.map(|column| column.field.name()), source));
            };
            let violation = limit.violation(pointer_to(column.field.name()), value);
            return Err(StoreError::Rejected { violation: Box::new(violation), source: source.into() });
        }
        Ok(())
    }
}

impl ColumnLimit {
    fn contains(self, value: &SqlValue) -> bool {
        match (self, value) {
            (Self::Length(length), SqlValue::String(Some(text))) => {
                u64::try_from(text.chars().count()).is_ok_and(|characters| characters <= length)
            }
            (Self::Range(smallest, largest), SqlValue::BigInt(Some(number))) => (smallest..=largest).contains(number),
            (Self::Digits { precision, scale }, SqlValue::Decimal(Some(value))) => fits(*value, precision, scale),
            _ => true,
        }
    }

    /// Returns the violation for a value that exceeds the limit. A property with the same limit would report the same violation.
    fn violation(self, pointer: String, value: &SqlValue) -> Violation {
        match (self, value) {
            (Self::Length(length), _) => {
                let characters = if length == 1 { "character" } else { "characters" };
                let message = format!("must have at most {length} {characters}");
                Violation::new(pointer, Code::MAX_LENGTH, message).param("max_length", length)
            }
            (Self::Digits { precision, scale }, _) => {
                let message = format!("must have at most {precision} digits, of which {scale} are after the point");
                Violation::new(pointer, Code::FORMAT, message).param("format", "decimal")
            }
            (Self::Range(smallest, _), SqlValue::BigInt(Some(number))) if *number < smallest => {
                let message = format!("must be at least {smallest}");
                Violation::new(pointer, Code::MINIMUM, message).param("minimum", smallest)
            }
            (Self::Range(_, largest), _) => {
                let message = format!("must be at most {largest}");
                Violation::new(pointer, Code::MAXIMUM, message).param("maximum", largest)
            }
        }
    }

    /// Returns the property settings that declare this limit, such as `max_length = 80`. Returns `None` if the bounds of the property are
    /// narrow enough.
    fn missing(self, bounds: ValueBounds) -> Option<String> {
        match self {
            Self::Length(length) => {
                let is_declared = bounds.max_length.is_some_and(|declared| declared <= length);
                (!is_declared).then(|| format!("max_length = {length}"))
            }
            // A property can declare the scale only.
            Self::Digits { .. } => None,
            Self::Range(smallest, largest) => {
                let is_above = bounds.minimum.is_some_and(|declared| declared >= smallest);
                let is_below = bounds.maximum.is_some_and(|declared| declared <= largest);
                let minimum = (!is_above).then(|| format!("minimum = {smallest}"));
                let maximum = (!is_below).then(|| format!("maximum = {largest}"));
                let missing: Vec<_> = minimum.into_iter().chain(maximum).collect();
                (!missing.is_empty()).then(|| missing.join(", "))
            }
        }
    }
}

/// Returns `true` if a `numeric` column of this precision and scale stores a decimal without rounding it.
fn fits(value: Decimal, precision: u32, scale: i32) -> bool {
    let value = value.normalize();
    let digits = value.mantissa().unsigned_abs().checked_ilog10().map_or(0, |power| i64::from(power) + 1);
    // A negative scale rounds digits before the point. No decimal column has one in practice, so it accepts only zero.
    value.is_zero()
        || i64::from(value.scale()) <= i64::from(scale)
            && digits - i64::from(value.scale()) <= i64::from(precision) - i64::from(scale)
}

/// Logs a warning for each column that cannot store all values of its property. The warning contains the setting that the property needs.
pub(super) fn warn_of_narrow_columns<D: Dialect>(table: &Table, found: &FoundTable) {
    let Some(bounds) = table.bounds.get() else { return };
    for column in &table.columns {
        let field = column.field.name();
        // The length of JSON depends on its formatting.
        let declared = bounds.get(field).filter(|_| column.field.value_type() != ValueType::Json);
        let Some((bounds, found)) = declared.zip(found.column(&column.name)) else { continue };
        let Some(missing) = D::limit(found).and_then(|limit| limit.missing(*bounds)) else { continue };
        let (definition, name, type_name) = (table.definition.name(), &column.name, &found.type_name);
        log(|| {
            tracing::warn!(
                database = D::NAME,
                "the column `{name}` of the table `{table}` is `{type_name}` and cannot store every value of the property `{field}` of \
                 `{definition}`; declare `{missing}`"
            );
        });
    }
}

/// The maximum number of digits of a decimal that a field can contain, before the point and after the point.
const DIGITS: i64 = 28;

/// Logs a warning for each `numeric` column that can contain decimals with more digits than a field. Rows with these decimals are unreadable.
pub(super) fn warn_of_wide_columns<D: Dialect>(table: &Table, found: &FoundTable) {
    for column in &table.columns {
        let Some(found) = found.column(&column.name) else { continue };
        let Some(ColumnLimit::Digits { precision, scale }) = D::limit(found) else { continue };
        let (precision, scale) = (i64::from(precision), i64::from(scale));
        // A negative scale adds zeros before the point.
        if precision.max(scale).max(precision - scale) <= DIGITS {
            continue;
        }
        let (field, name, type_name) = (column.field.name(), &column.name, &found.type_name);
        log(|| {
            tracing::warn!(
                database = D::NAME,
                "the column `{name}` of the table `{table}` is `{type_name}`, but the field `{field}` has at most {DIGITS} digits; a row with \
                 more digits is unreadable, so its view and its lists return 500; reduce the precision of the column to {DIGITS}, or call `skip_unreadable_rows` on the store"
            );
        });
    }
}
