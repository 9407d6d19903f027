//! Defines [`InlineConnection`], a connection for short reads on the thread of a worker.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::limits::Limit;
use sea_query::Value as SqlValue;

use super::driver_error::DriverError;
use super::row::SqlRow;
use super::sqlite::bind;
use super::sqlite_connection::{SqliteFile, on_progress};
use super::sqlite_row::SqliteValue;
use super::trace;

/// The number of SQLite virtual machine steps between two checks of the budget.
const STEPS: i32 = 500;

/// The number of checks in the budget of a statement: 5,000 steps, which take about 0.1 ms. They also bound the number of rows.
const CHECKS: u32 = 10;

/// The maximum number of bytes of a value and of a row. SQLite reads no longer one.
const LONGEST_VALUE: i32 = 64 * 1024;

/// The maximum size of a result: the sum of the bytes in all its strings and blobs.
const LONGEST_RESULT: usize = 256 * 1024;

/// The maximum number of prepared statements that a connection keeps.
const KEPT: usize = 100;

/// The number of further runs of a statement that do not try to be short, after one was not.
const UNTRIED: u32 = 100;

/// The maximum number of statements that a connection knows not to be short.
const LONG: usize = 256;

/// A connection for short reads on the thread of a worker. It never waits for a lock.
pub(crate) struct InlineConnection {
    raw: Connection,
    /// The number of checks that are left to the running statement.
    budget: Arc<AtomicU32>,
    /// The statements that were not short, each with the number of runs that do not try it.
    long: HashMap<Arc<str>, u32>,
}

impl InlineConnection {
    /// Opens a connection. Blocks the thread.
    pub(crate) fn open(file: &SqliteFile) -> Result<Self, DriverError> {
        let mut raw = file.open()?;
        raw.busy_timeout(Duration::ZERO)?;
        raw.execute_batch("PRAGMA query_only = ON")?;
        raw.set_prepared_statement_cache_capacity(KEPT);
        raw.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
        let budget = Arc::new(AtomicU32::new(0));
        let left = Arc::clone(&budget);
        // Only this thread changes the budget.
        let is_over = move || {
            let before = left.load(Ordering::Relaxed);
            left.store(before.saturating_sub(1), Ordering::Relaxed);
            before <= 1
        };
        on_progress(&mut raw, STEPS, is_over)?;
        Ok(Self { raw, budget, long: HashMap::new() })
    }

    /// Runs a statement and returns its rows. Returns `None` if the statement is not short, waits for a lock or fails. Another connection then
    /// runs it again.
    pub(crate) fn fetch(&mut self, sql: &Arc<str>, values: &[SqlValue]) -> Option<Vec<SqlRow>> {
        if let Some(untried) = self.long.get_mut(sql) {
            *untried -= 1;
            if *untried == 0 {
                self.long.remove(sql);
            }
            return None;
        }
        self.budget.store(CHECKS, Ordering::Relaxed);
        // An error may also belong to the limits of this connection.
        if let Ok(Some(rows)) = self.read(sql, values) {
            trace(sql);
            return Some(rows);
        }
        if self.long.len() == LONG {
            self.long.clear();
        }
        self.long.insert(Arc::clone(sql), UNTRIED);
        None
    }

    /// Returns the rows, or `None` if they are too long.
    fn read(&self, sql: &str, values: &[SqlValue]) -> Result<Option<Vec<SqlRow>>, DriverError> {
        let mut statement = self.raw.prepare_cached(sql)?;
        bind(&mut statement, values)?;
        let (mut read, mut length, mut rows) = (Vec::new(), 0, statement.raw_query());
        while let Some(row) = rows.next()? {
            // The first step prepares the statement again if the table has other columns.
            let columns = row.as_ref().column_count();
            let mut cells = Vec::with_capacity(columns);
            for index in 0..columns {
                let cell = SqliteValue::from(row.get_ref(index)?);
                length += cell.length();
                cells.push(cell);
            }
            if length > LONGEST_RESULT {
                return Ok(None);
            }
            read.push(SqlRow::of_sqlite(cells.into()));
        }
        Ok(Some(read))
    }
}

impl fmt::Debug for InlineConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("InlineConnection").field("long", &self.long.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rusqlite::params;

    use super::*;

    /// A database with 10,000 rows, whose file is removed on drop.
    struct Numbers(SqliteFile);

    impl Numbers {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("restwright-inline-{}-{name}.db", std::process::id()));
            let wait = Duration::from_secs(2);
            let file = SqliteFile { path, is_read_only: false, is_immutable: false, is_created: true, wait };
            let raw = file.open().unwrap();
            raw.execute_batch(
                "CREATE TABLE numbers (id INTEGER PRIMARY KEY, text TEXT);
                 INSERT INTO numbers (id) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT i FROM n",
            )
            .unwrap();
            Self(file)
        }

        /// Sets the text of some rows.
        fn fill(&self, rows: i64, length: usize) {
            let raw = self.0.open().unwrap();
            raw.execute("UPDATE numbers SET text = ?2 WHERE id <= ?1", params![rows, "x".repeat(length)]).unwrap();
        }
    }

    impl Drop for Numbers {
        fn drop(&mut self) {
            for suffix in ["", "-wal", "-shm"] {
                let path: PathBuf = format!("{}{suffix}", self.0.path.display()).into();
                let _ = std::fs::remove_file(path);
            }
        }
    }

    fn rows(connection: &mut InlineConnection, sql: &str) -> Option<usize> {
        connection.fetch(&sql.into(), &[]).map(|rows| rows.len())
    }

    #[test]
    fn only_short_statements_run() {
        let numbers = Numbers::new("short");
        numbers.fill(1, 60_000);
        let mut connection = InlineConnection::open(&numbers.0).unwrap();
        for (sql, expected) in [
            ("SELECT * FROM numbers WHERE id = 7", Some(1)),
            ("SELECT * FROM numbers WHERE id = 1", Some(1)),
            ("SELECT * FROM numbers ORDER BY id LIMIT 100 OFFSET 1", Some(100)),
            // Reads all rows.
            ("SELECT count(*) FROM numbers WHERE text = 'y'", None),
            ("SELECT id FROM numbers", None),
            // Fails.
            ("SELECT * FROM nothing", None),
            ("DELETE FROM numbers WHERE id = 7", None),
        ] {
            assert_eq!(rows(&mut connection, sql), expected, "{sql}");
        }
        assert_eq!(rows(&mut connection, "SELECT id FROM numbers WHERE id = 7"), Some(1), "the row still exists");
    }

    #[test]
    fn long_values_and_results_do_not_run() {
        let numbers = Numbers::new("long");
        numbers.fill(1, 70_000);
        let mut connection = InlineConnection::open(&numbers.0).unwrap();
        assert_eq!(rows(&mut connection, "SELECT text FROM numbers WHERE id = 1"), None);
        assert_eq!(rows(&mut connection, "SELECT text FROM numbers WHERE id = 2"), Some(1));
        numbers.fill(20, 15_000);
        assert_eq!(rows(&mut connection, "SELECT text FROM numbers ORDER BY id LIMIT 17"), Some(17));
        assert_eq!(rows(&mut connection, "SELECT text FROM numbers ORDER BY id LIMIT 18"), None);
    }

    #[test]
    fn a_long_statement_is_tried_again_after_a_hundred_runs() {
        let numbers = Numbers::new("again");
        numbers.fill(1, 70_000);
        let mut connection = InlineConnection::open(&numbers.0).unwrap();
        let sql = "SELECT text FROM numbers WHERE id = 1";
        assert_eq!(rows(&mut connection, sql), None);
        numbers.fill(1, 10);
        for run in 0..UNTRIED {
            assert_eq!(rows(&mut connection, sql), None, "{run}");
        }
        assert_eq!(rows(&mut connection, sql), Some(1));
    }

    /// Prints how long short reads of a large table take.
    #[test]
    #[ignore = "a measurement"]
    fn short_reads_of_a_million_rows() {
        let numbers = Numbers::new("million");
        let raw = numbers.0.open().unwrap();
        raw.execute_batch(
            "INSERT INTO numbers WITH RECURSIVE n(i) AS (SELECT 10001 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
             SELECT i, hex(randomblob(50)) FROM n; PRAGMA wal_checkpoint(TRUNCATE)",
        )
        .unwrap();
        let mut connection = InlineConnection::open(&numbers.0).unwrap();
        let (view, page): (Arc<str>, Arc<str>) = (
            "SELECT * FROM numbers WHERE id = ?".into(),
            "SELECT * FROM numbers WHERE id > ? ORDER BY id LIMIT 20".into(),
        );
        for sql in [&view, &page] {
            let mut times: Vec<_> = (0..100_000_i64)
                .map(|turn| {
                    let id = turn * 7919 % 990_000;
                    let began = std::time::Instant::now();
                    connection.fetch(sql, &[id.into()]).unwrap();
                    began.elapsed()
                })
                .collect();
            times.sort();
            println!("{sql}: median {:?}, 99.9 % {:?}, longest {:?}", times[50_000], times[99_900], times[99_999]);
            assert!(times[99_900] <= Duration::from_millis(2), "{:?}", times[99_900]);
        }
    }

    /// A statement that is not reset would keep its snapshot, and no checkpoint could pass it.
    #[test]
    fn statements_hold_no_snapshot() {
        let numbers = Numbers::new("snapshot");
        let mut connection = InlineConnection::open(&numbers.0).unwrap();
        for sql in ["SELECT id FROM numbers WHERE id = 7", "SELECT id FROM numbers"] {
            let _ = rows(&mut connection, sql);
            numbers.fill(100, 100);
            let raw = numbers.0.open().unwrap();
            let busy: i64 = raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
            assert_eq!(busy, 0, "{sql}");
        }
    }
}
