//! The last line of an export, which contains the number of its rows.

use restwright_schema::{PropertyCollection, int64};

/// The only member of the last line of JSON lines, which contains the number of the lines before it.
pub const ROW_COUNT: &str = "$rows";

/// Returns the schema of the last line, such as `{"$rows":3}`.
pub fn row_count_line() -> PropertyCollection {
    let count = int64(ROW_COUNT).minimum(0).description("The number of rows before this line.");
    PropertyCollection::new("").closed().property(count)
}
