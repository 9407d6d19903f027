//! Defines [`Progress`], the step of a start.

use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The current step of the start of a store. It is `None` before and after the start.
#[derive(Default)]
pub(crate) struct Progress(Mutex<Option<Step>>);

/// A step of the start of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Connecting,
    Migrating,
    Comparing,
    /// Case-folds strings. Contains the number of folded rows, and the number of rows without folded strings at the start.
    Folding(u64, u64),
}

impl Progress {
    pub(crate) fn set(&self, step: Option<Step>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = step;
    }

    /// Adds rows to a step that folds rows.
    pub(crate) fn add_folded(&self, rows: u64) {
        if let Some(Step::Folding(folded, _)) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            *folded += rows;
        }
    }

    pub(crate) fn step(&self) -> Option<Step> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connecting => formatter.write_str("connecting"),
            Self::Migrating => formatter.write_str("migrating"),
            Self::Comparing => formatter.write_str("comparing the tables with the definitions"),
            Self::Folding(folded, all) => {
                write!(formatter, "filling the columns of searchable strings, {folded} of {all} rows")
            }
        }
    }
}
