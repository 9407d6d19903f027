//! Animals on rusqlite. Each worker runs the statements on its own thread, with its own connection.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params, params_from_iter};
use uuid::Uuid;

use super::statements::{COUNT, FIND, INSERT, LIST, UPDATE, filter};
use super::{Animal, AnimalChanges, Animals, Failure, ListQuery, Species};

thread_local! {
    static CONNECTION: OnceCell<Connection> = const { OnceCell::new() };
}

/// The animals of a database, for statements on the thread of the caller.
#[derive(Clone)]
pub struct WorkerAnimals {
    path: PathBuf,
}

impl WorkerAnimals {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    fn with<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        let connected =
            |cell: &OnceCell<Connection>| run(cell.get_or_init(|| open(&self.path).expect("the database opens")));
        Ok(CONNECTION.with(connected)?)
    }
}

/// Opens a connection with the pragmas of all servers.
pub fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.execute_batch("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")?;
    Ok(connection)
}

impl Animals for WorkerAnimals {
    async fn find(&self, id: Uuid) -> Result<Option<Animal>, Failure> {
        self.with(|connection| find(connection, id))
    }

    async fn insert(&self, animal: &Animal) -> Result<(), Failure> {
        self.with(|connection| insert(connection, animal))
    }

    async fn change(&self, id: Uuid, changes: AnimalChanges) -> Result<Option<Animal>, Failure> {
        self.with(|connection| change(connection, id, &changes))
    }

    async fn list(
        &self,
        query: &ListQuery,
        order: &'static str,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<Animal>, Failure> {
        let mut statement = BoundStatement::new(LIST);
        filter!(statement, query);
        statement.push(" order by ").push(order).push(" limit ").push_bind(limit).push(" offset ").push_bind(offset);
        self.with(|connection| {
            let mut prepared = connection.prepare_cached(&statement.sql)?;
            prepared.query_map(params_from_iter(&statement.values), read)?.collect()
        })
    }

    async fn count(&self, query: &ListQuery) -> Result<i64, Failure> {
        let mut statement = BoundStatement::new(COUNT);
        filter!(statement, query);
        self.with(|connection| {
            let mut prepared = connection.prepare_cached(&statement.sql)?;
            prepared.query_row(params_from_iter(&statement.values), |row| row.get(0))
        })
    }
}

pub fn find(connection: &Connection, id: Uuid) -> rusqlite::Result<Option<Animal>> {
    connection.prepare_cached(FIND)?.query_row([id], read).optional()
}

pub fn insert(connection: &Connection, animal: &Animal) -> rusqlite::Result<()> {
    let Animal { id, name, species, weight_kg, created_at, version } = animal;
    connection.prepare_cached(INSERT)?.execute(params![id, name, species, weight_kg, created_at, version])?;
    Ok(())
}

pub fn change(connection: &Connection, id: Uuid, changes: &AnimalChanges) -> rusqlite::Result<Option<Animal>> {
    loop {
        let Some(mut animal) = find(connection, id)? else { return Ok(None) };
        animal.change(changes);
        let Animal { id, name, species, weight_kg, version, .. } = &animal;
        if connection.prepare_cached(UPDATE)?.execute(params![name, species, weight_kg, id, version])? == 1 {
            animal.version += 1;
            return Ok(Some(animal));
        }
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Animal> {
    Ok(Animal {
        id: row.get(0)?,
        name: row.get(1)?,
        species: row.get(2)?,
        weight_kg: row.get(3)?,
        created_at: row.get(4)?,
        version: row.get(5)?,
    })
}

/// A statement with its values.
struct BoundStatement {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl BoundStatement {
    fn new(sql: &str) -> Self {
        Self { sql: sql.to_owned(), values: Vec::new() }
    }

    fn push(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    fn push_bind(&mut self, value: impl ToSql + 'static) -> &mut Self {
        self.values.push(Box::new(value));
        self.push("?")
    }
}

impl ToSql for Species {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let name = match self {
            Self::Bird => "bird",
            Self::Cat => "cat",
            Self::Dog => "dog",
        };
        Ok(name.into())
    }
}

impl FromSql for Species {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "bird" => Ok(Self::Bird),
            "cat" => Ok(Self::Cat),
            "dog" => Ok(Self::Dog),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self { status: 503, detail: error.to_string() }
    }
}
