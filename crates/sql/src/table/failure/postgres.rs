//! Classifies the errors of PostgreSQL by their SQLSTATE code (PostgreSQL manual, appendix A).

use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;

use crate::driver::FailureKind;
use crate::driver::postgres::{failure, routine};
use crate::table::Table;

/// The classes of SQLSTATE codes that PostgreSQL and the SQL standard define. Other classes belong to applications.
const CLASSES: [&str; 43] = [
    "00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z", "10", "20", "21", "22", "23", "24", "25",
    "26", "27", "28", "2B", "2D", "2F", "34", "38", "39", "3B", "3D", "3F", "40", "42", "44", "53", "54", "55", "57",
    "58", "F0", "HV", "P0", "XX",
];

/// Classifies an error that a statement on a table caused.
pub(super) fn failure_of(error: &(dyn DatabaseError + 'static), table: &Table) -> FailureKind {
    // Triggers write other tables, whose columns are no fields of this table.
    let is_own = error.table().is_none_or(|name| name == table.name);
    let columns = || error.constraint().map(|name| table.columns_of_constraint(name)).unwrap_or_default();
    match error.code().as_deref() {
        Some("23505") => FailureKind::Unique(if is_own { columns() } else { Vec::new() }),
        // An exclusion constraint concerns several rows, so it has no fields.
        Some("23P01") => FailureKind::Unique(Vec::new()),
        Some("23514") if !is_own => FailureKind::Rejected(None),
        Some("23514") => FailureKind::Rejected(
            error.constraint().and_then(|name| table.column_of_check(name)).or_else(|| named_column(error)),
        ),
        code if is_rejected(error, code) => FailureKind::Rejected(named_column(error)),
        Some("23503") => FailureKind::Reference { column: columns().pop(), table: error.table().map(str::to_owned) },
        Some("23502") => FailureKind::Value(named_column(error)),
        // A policy of row-level security rejects the row.
        Some("42501") if routine(error) == Some("ExecWithCheckOptions") => FailureKind::Rejected(None),
        // The maximum size of an index row, which is a third of a page.
        Some("54000") => FailureKind::TooLong,
        _ => failure(error),
    }
}

/// Classifies an error of a commit, which deferred constraints and triggers cause.
pub(super) fn failure_of_commit(error: &(dyn DatabaseError + 'static)) -> FailureKind {
    match error.code().as_deref() {
        Some("23505" | "23P01") => FailureKind::Unique(Vec::new()),
        Some("23514") => FailureKind::Rejected(None),
        code if is_rejected(error, code) => FailureKind::Rejected(None),
        _ => failure(error),
    }
}

/// Returns `true` if the database rejects the values of a row: by `RAISE EXCEPTION` with any code, by a code of the application, or because a
/// function cannot use a value, such as the bounds of a range.
fn is_rejected(error: &(dyn DatabaseError + 'static), code: Option<&str>) -> bool {
    let Some(code) = code else { return false };
    let is_raised = code == "P0001" || routine(error) == Some("exec_stmt_raise");
    let is_of_application = code.get(..2).is_some_and(|class| !CLASSES.contains(&class));
    // An application may raise a serialization failure, so the transaction runs again.
    code.starts_with("22") || is_of_application || (is_raised && failure(error) == FailureKind::Other)
}

/// Returns the column name that PostgreSQL reports with an error, if any.
fn named_column(error: &(dyn DatabaseError + 'static)) -> Option<String> {
    error.try_downcast_ref::<PgDatabaseError>().and_then(PgDatabaseError::column).map(str::to_owned)
}
