//! Defines [`Rules`], the rules that exist in a table but not in its entity definition.

use std::collections::{BTreeMap, BTreeSet};

use restwright_core::schema::{Code, Violation, pointer_to};
use restwright_resource::StoreError;
use rust_decimal::Decimal;
use sea_query::Value as SqlValue;

use super::Table;

/// The rules that exist in a table but not in its entity definition: column limits, checks, generated columns and triggers.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    pub(crate) limits: BTreeMap<String, ColumnLimit>,
    /// Maps the name of each single-column check to the name of its column. Errors of the database contain this name.
    pub(crate) checks: BTreeMap<String, String>,
    /// The columns of fields that the database computes.
    pub(crate) generated: BTreeSet<String>,
    pub(crate) triggers: Triggers,
    /// `true` if triggers may change strings that also have a case-folded copy.
    pub(crate) may_change_folded: bool,
    /// The sequence that generates the identifiers.
    pub(crate) sequence: Option<String>,
}

impl Rules {
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

/// The triggers of a table, by their effect on the statements of the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Triggers {
    /// The effect of triggers on inserts.
    pub(crate) inserts: ReadBack,
    /// The effect of triggers on updates.
    pub(crate) updates: ReadBack,
    /// `true` if a trigger can skip the change of a row without an error.
    pub(crate) may_skip: bool,
}

/// Specifies how a write reads the values that the database stored. The variants are in the order of their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReadBack {
    /// The database stores the written values, so the write reads nothing.
    #[default]
    Nothing,
    /// The statement returns the stored values (`RETURNING`).
    Returned,
    /// A trigger may change the row after the statement, so the write reads the row again in the same transaction.
    Again,
}

/// The limit of a column that cannot store all values of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnLimit {
    /// The maximum number of characters.
    Length(u64),
    /// The minimum and the maximum of an integer.
    Range(i64, i64),
    /// The digits of a decimal: all of them, and those after the point.
    Digits { precision: u32, scale: i32 },
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
