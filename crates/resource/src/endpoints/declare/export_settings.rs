//! Defines [`Export`], the settings of exports.

/// The settings of exports: lists as JSON lines (`application/jsonl` or `application/x-ndjson`) and as CSV (`text/csv`, RFC 4180).
///
/// ```
/// use restwright_resource::Export;
///
/// let export = Export::new().escape_formulas();
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use = "an export does nothing until it is passed to `Endpoints::export`"]
pub struct Export {
    pub(in crate::endpoints) escapes_formulas: bool,
    pub(in crate::endpoints) counts_rows: bool,
}

impl Export {
    /// Creates the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes `'` before each string in CSV that a spreadsheet would run as a formula. These strings begin with `=`, `+`, `-`, `@`, a tab or a
    /// carriage return, also after a `'`. Decimals and durations are not escaped, so spreadsheets can calculate with them.
    pub fn escape_formulas(mut self) -> Self {
        self.escapes_formulas = true;
        self
    }

    /// Ends an export with the number of its rows. A client can then detect an incomplete export.
    ///
    /// JSON lines end with the line `{"$rows":3}`, which imports check. Both formats end with the trailer `X-Row-Count: 3`, for clients that
    /// send `TE: trailers`. Proxies may discard it. It is the number of rows that this caller received.
    pub fn row_count(mut self) -> Self {
        self.counts_rows = true;
        self
    }
}
