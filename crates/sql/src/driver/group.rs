//! Runs the changes of several requests in one transaction of SQLite. The disk is written once for all of them.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::FailureKind;
use super::driver_error::DriverError;
use super::sqlite::{ChangeStatement, Changed, changed, failure, primary_code};
use super::sqlite_codes::{SQLITE_BUSY, SQLITE_CONSTRAINT, SQLITE_FULL, SQLITE_INTERRUPT};
use super::sqlite_connection::SqliteConnection;

/// The maximum time of one transaction. Later changes get another one.
const LONGEST: Duration = Duration::from_millis(100);

/// The maximum number of changes that end the transaction of a group. Beyond it, each change runs by itself.
const MOST_BREAKS: usize = 3;

/// Runs changes, of which each is atomic, and passes the result of each to `ended` after it is committed. `begin` is the SQL that begins a transaction,
/// and `limit` the maximum duration of a change. After twice this time, changes that have not run are errors. Blocks the thread.
pub(crate) fn run_group(
    connection: &SqliteConnection,
    begin: &str,
    limit: Duration,
    statements: &[&ChangeStatement],
    mut ended: impl FnMut(usize, Result<Changed, DriverError>),
) {
    let raw = &mut connection.lock();
    if !raw.is_autocommit() {
        let _ = raw.execute_batch("ROLLBACK");
    }
    // One slow change does not fail the others.
    let end = Instant::now().checked_add(limit.saturating_mul(2));
    let is_over = || end.is_some_and(|end| Instant::now() > end);
    let run = |raw: &mut Connection, place: usize| {
        connection.set_deadline(Some(limit));
        let outcome = statements.get(place).map_or_else(no_statement, |statement| both(raw, begin, statement));
        connection.set_deadline(None);
        outcome
    };
    let (mut waiting, mut alone): (VecDeque<_>, Vec<_>) = ((0..statements.len()).collect(), Vec::new());
    let mut breaks = 0;
    while waiting.len() > 1 && breaks < MOST_BREAKS && !is_over() {
        if let Err(error) = raw.execute_batch(begin).map_err(DriverError::from) {
            return waiting.into_iter().chain(alone).for_each(|place| ended(place, Err(error.again())));
        }
        let (began, mut done) = (Instant::now(), Vec::new());
        let mut is_broken = false;
        while let Some(place) = waiting.pop_front() {
            let outcome = run(raw, place);
            // SQLite ends the whole transaction after some errors, and a trigger can do so.
            is_broken = raw.is_autocommit();
            if !is_broken {
                done.push((place, outcome));
            } else if let Err(error) = &outcome
                && primary_code(error) == Some(SQLITE_INTERRUPT)
            {
                // It took too long, and would take as long again.
                ended(place, outcome);
            } else {
                alone.push(place);
            }
            if is_broken || began.elapsed() > LONGEST {
                break;
            }
        }
        if is_broken {
            breaks += 1;
            // The changes before it are undone, so they run again.
            done.into_iter().rev().for_each(|(place, _)| waiting.push_front(place));
            continue;
        }
        match raw.execute_batch("COMMIT").map_err(DriverError::from) {
            Ok(()) => done.into_iter().for_each(|(place, outcome)| ended(place, outcome)),
            Err(error) => {
                // Fails if the error has already ended the transaction.
                let _ = raw.execute_batch("ROLLBACK");
                for (place, _) in done {
                    // A deferred constraint of one change.
                    if primary_code(&error) == Some(SQLITE_CONSTRAINT) {
                        alone.push(place);
                    } else {
                        ended(place, Err(error.again()));
                    }
                }
            }
        }
    }
    for place in waiting.into_iter().chain(alone) {
        if is_over() {
            let message = "the changes before it in its group took too long";
            ended(place, Err(DriverError::Unavailable(message.to_owned())));
        } else {
            ended(place, run(raw, place));
        }
    }
}

/// Runs a statement and the one that follows it, in a savepoint or in a separate transaction.
fn both(raw: &Connection, begin: &str, statement: &ChangeStatement) -> Result<Changed, DriverError> {
    let Some(following) = &statement.following else { return changed(raw, statement) };
    let [begin, end, undo] = match raw.is_autocommit() {
        true => [begin, "COMMIT", "ROLLBACK"],
        false => ["SAVEPOINT change", "RELEASE change", "ROLLBACK TO change; RELEASE change"],
    };
    raw.execute_batch(begin)?;
    let run = || {
        let changed_rows = changed(raw, statement)?;
        if changed_rows.count == 1 {
            changed(raw, following)?;
            raw.execute_batch(end)?;
        } else {
            raw.execute_batch(undo)?;
        }
        Ok(changed_rows)
    };
    let outcome = run();
    // SQLite may have ended the whole transaction.
    if outcome.is_err() && !raw.is_autocommit() {
        let _ = raw.execute_batch(undo);
    }
    outcome
}

/// Returns `true` if a connection may not work after an error, such as an error of the disk.
pub(crate) fn breaks_connection(error: &DriverError) -> bool {
    let code = primary_code(error);
    let works = matches!(code, Some(SQLITE_BUSY | SQLITE_INTERRUPT | SQLITE_FULL));
    !works && code.is_some_and(|code| failure(code) == FailureKind::Unavailable)
}

fn no_statement() -> Result<Changed, DriverError> {
    Err(DriverError::Other("the group has no such statement".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::super::sqlite_connection::SqliteFile;
    use super::*;

    const BEGIN: &str = "BEGIN IMMEDIATE";
    const LIMIT: Duration = Duration::from_secs(5);

    /// Tables in which a change can fail in each way that SQLite has.
    const TABLES: &str = "
        CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER CHECK (size < 100));
        CREATE TABLE strict (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT ROLLBACK);
        CREATE TABLE parents (id INTEGER PRIMARY KEY);
        CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER abort BEFORE INSERT ON names WHEN NEW.name = 'abort' BEGIN SELECT RAISE(ABORT, 'abort'); END;
        CREATE TRIGGER fail BEFORE INSERT ON names WHEN NEW.name = 'fail' BEGIN SELECT RAISE(FAIL, 'fail'); END;
        CREATE TRIGGER undo BEFORE INSERT ON names WHEN NEW.name = 'rollback' BEGIN SELECT RAISE(ROLLBACK, 'rollback'); END;
        CREATE TRIGGER slow BEFORE INSERT ON names WHEN NEW.name = 'slow' BEGIN
            SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n);
        END;";

    struct File(SqliteFile);

    impl File {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("restwright-group-{}-{name}.db", std::process::id()));
            let wait = Duration::from_millis(20);
            Self(SqliteFile { path, is_read_only: false, is_immutable: false, is_created: true, wait })
        }

        async fn open(&self) -> SqliteConnection {
            let connection = SqliteConnection::open(self.0.clone()).await.unwrap();
            connection.lock().execute_batch(TABLES).unwrap();
            connection
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            for suffix in ["", "-wal", "-shm"] {
                let path: PathBuf = format!("{}{suffix}", self.0.path.display()).into();
                let _ = std::fs::remove_file(path);
            }
        }
    }

    fn statement(sql: &str) -> ChangeStatement {
        ChangeStatement { sql: sql.into(), values: Vec::new(), is_kept: true, following: None }
    }

    fn insert(name: &str) -> ChangeStatement {
        statement(&format!("INSERT INTO names (name) VALUES ('{name}') RETURNING id"))
    }

    /// Returns the outcome of each statement: the number of changes, or the error.
    fn run(connection: &SqliteConnection, limit: Duration, statements: &[ChangeStatement]) -> Vec<String> {
        let statements: Vec<_> = statements.iter().collect();
        let mut outcomes = vec![None; statements.len()];
        run_group(connection, BEGIN, limit, &statements, |place, outcome| {
            let text = match outcome {
                Ok(changed) => format!("{} changed", changed.count),
                Err(error) => error.message(),
            };
            assert_eq!(outcomes[place].replace(text), None, "a change has one outcome");
        });
        outcomes.into_iter().map(|outcome| outcome.expect("each change has an outcome")).collect()
    }

    fn names(connection: &SqliteConnection) -> Vec<String> {
        let raw = connection.lock();
        let mut select = raw.prepare("SELECT name FROM names ORDER BY id").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[tokio::test]
    async fn a_failed_change_does_not_end_the_group() {
        let file = File::new("failed");
        let connection = file.open().await;
        let outcomes = run(
            &connection,
            LIMIT,
            &[
                insert("one"),
                insert("one"),
                insert("abort"),
                insert("fail"),
                statement("INSERT INTO names (name, size) VALUES ('large', 100)"),
                statement("INSERT INTO nowhere VALUES (1)"),
                statement("DELETE FROM names WHERE name = 'none'"),
                insert("two"),
            ],
        );
        assert_eq!(
            outcomes,
            [
                "1 changed",
                "UNIQUE constraint failed: names.name",
                "abort",
                "fail",
                "CHECK constraint failed: size < 100",
                "no such table: nowhere",
                "0 changed",
                "1 changed"
            ]
        );
        assert_eq!(names(&connection), ["one", "two"]);
    }

    #[tokio::test]
    async fn changes_before_one_that_ends_the_transaction_run_again() {
        let file = File::new("ended");
        let connection = file.open().await;
        let strict = |name: &str| statement(&format!("INSERT INTO strict (name) VALUES ('{name}')"));
        let outcomes = run(
            &connection,
            LIMIT,
            &[
                insert("one"),
                insert("rollback"),
                insert("two"),
                strict("a"),
                strict("a"),
                insert("three"),
                insert("one"),
            ],
        );
        let unique = "UNIQUE constraint failed: names.name";
        let strict = "UNIQUE constraint failed: strict.name";
        assert_eq!(outcomes, ["1 changed", "rollback", "1 changed", "1 changed", strict, "1 changed", unique]);
        assert_eq!(names(&connection), ["one", "two", "three"]);
        // Each change ends the transaction.
        let outcomes = run(&connection, LIMIT, &[const { "rollback" }; 20].map(insert));
        assert_eq!(outcomes, ["rollback"; 20]);
        assert_eq!(names(&connection), ["one", "two", "three"]);
    }

    #[tokio::test]
    async fn a_statement_and_the_one_that_follows_it_are_one_change() {
        let unique = "UNIQUE constraint failed: names.name";
        let none = || statement("UPDATE names SET size = 1 WHERE name = 'none'");
        for (what, change, following, expected, stored) in [
            ("both", insert("two"), "key", "1 changed", &["one", "two", "key", "last"][..]),
            ("a failed change", insert("one"), "key", unique, &["one", "last"]),
            ("a failed second statement", insert("two"), "one", unique, &["one", "last"]),
            ("the same by a trigger", insert("two"), "fail", "fail", &["one", "last"]),
            ("no changed row", none(), "key", "0 changed", &["one", "last"]),
            ("the end of the transaction", insert("two"), "rollback", "rollback", &["one", "last"]),
        ] {
            for is_alone in [false, true] {
                let file = File::new("followed");
                let connection = file.open().await;
                let change = statement(&change.sql);
                let change = ChangeStatement { following: Some(Box::new(insert(following))), ..change };
                let changes = [insert("one"), change, insert("last")];
                let outcomes = match is_alone {
                    false => run(&connection, LIMIT, &changes),
                    true => changes.into_iter().flat_map(|one| run(&connection, LIMIT, &[one])).collect(),
                };
                assert_eq!(outcomes, ["1 changed", expected, "1 changed"], "{what}, {is_alone}");
                assert_eq!(names(&connection), stored, "{what}, {is_alone}");
                assert!(connection.lock().is_autocommit(), "{what}, {is_alone}");
            }
        }
    }

    #[tokio::test]
    async fn a_slow_change_is_interrupted() {
        let file = File::new("slow");
        let connection = file.open().await;
        let began = Instant::now();
        let outcomes = run(&connection, Duration::from_millis(50), &[insert("one"), insert("slow"), insert("two")]);
        assert_eq!(outcomes, ["1 changed", "interrupted", "1 changed"]);
        assert_eq!(names(&connection), ["one", "two"]);
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn a_commit_that_a_deferred_constraint_forbids_concerns_one_change() {
        let file = File::new("deferred");
        let connection = file.open().await;
        let outcomes = run(
            &connection,
            LIMIT,
            &[insert("one"), statement("INSERT INTO children (parent) VALUES (7)"), insert("two")],
        );
        assert_eq!(outcomes, ["1 changed", "FOREIGN KEY constraint failed", "1 changed"]);
        assert_eq!(names(&connection), ["one", "two"]);
    }

    #[tokio::test]
    async fn a_lock_of_another_connection_concerns_all_changes() {
        let file = File::new("locked");
        let connection = file.open().await;
        let other = SqliteConnection::open(file.0.clone()).await.unwrap();
        other.lock().execute_batch(BEGIN).unwrap();
        assert_eq!(run(&connection, LIMIT, &[insert("one"), insert("two")]), ["database is locked"; 2]);
        assert_eq!(run(&connection, LIMIT, &[insert("one")]), ["database is locked"]);
        other.lock().execute_batch("ROLLBACK").unwrap();
        assert_eq!(run(&connection, LIMIT, &[insert("one"), insert("two")]), ["1 changed"; 2]);
    }

    #[tokio::test]
    async fn a_full_database_keeps_what_fits() {
        let file = File::new("full");
        let connection = file.open().await;
        let pages: i64 = connection.lock().query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        connection.lock().query_row(&format!("PRAGMA max_page_count = {}", pages + 2), [], |_row| Ok(())).unwrap();
        let large = || statement("INSERT INTO names (name) VALUES (hex(randomblob(3000)))");
        let outcomes = run(&connection, LIMIT, &[insert("one"), large(), large(), large(), large(), insert("two")]);
        let full = "database or disk is full";
        assert_eq!(outcomes.iter().filter(|outcome| *outcome == full).count(), 4 - (names(&connection).len() - 2));
        assert!(outcomes.contains(&full.to_owned()), "{outcomes:?}");
        assert_eq!((outcomes[0].as_str(), outcomes[5].as_str()), ("1 changed", "1 changed"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// A group has the outcomes and the rows of its changes one after the other, if none of them ends the transaction.
        #[test]
        fn a_group_is_its_changes_one_after_the_other(
            kinds in prop::collection::vec((0..5_u8, 0..6_u8), 1..20),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let statements = || -> Vec<_> {
                kinds.iter().map(|(kind, name)| match kind {
                    0 | 1 => insert(&format!("name {name}")),
                    2 => statement(&format!("UPDATE names SET name = 'name {}' WHERE name = 'name {name}'", name + 1)),
                    3 => statement(&format!("DELETE FROM names WHERE name = 'name {name}'")),
                    _ => insert("abort"),
                }).collect()
            };
            let (group, single) = (File::new("group"), File::new("single"));
            let (group, single) = runtime.block_on(async { (group.open().await, single.open().await) });
            for connection in [&group, &single] {
                connection.lock().execute_batch("DELETE FROM names").unwrap();
            }
            let grouped = run(&group, LIMIT, &statements());
            let alone: Vec<_> = statements().into_iter().flat_map(|one| run(&single, LIMIT, &[one])).collect();
            prop_assert_eq!(grouped, alone);
            prop_assert_eq!(names(&group), names(&single));
        }
    }
}
