use std::sync::{Arc, Mutex};

use restwright_list::{Value, apply};
use restwright_resource::{
    Change, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture, Version, Versioned,
};

/// Entities of every definition.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapStore(Arc<Mutex<Vec<Versioned<Row>>>>);

impl Store for MapStore {
    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move {
            let all = self.0.lock().map_err(|error| StoreError::failed(error.to_string()))?;
            let rows = || all.iter().filter(|row| row.entity.definition() == statement.definition()).cloned();
            Ok(match read {
                Read::Find(identifier) => {
                    let key = statement.key(identifier)?;
                    let is_found =
                        |row: &Versioned<Row>| statement.definition().key(row) == key && statement.admits(row);
                    ReadResult::rows(rows().find(is_found))
                }
                Read::List { query, .. } => {
                    apply(statement.restrict_query(query)?, &query.order, &query.window, rows()).into()
                }
                Read::ListPerKey { query, fields, keys } => {
                    let mut found = Vec::new();
                    for query in keys.iter().map(|key| query.for_key(fields, key)) {
                        found.extend(
                            apply(statement.restrict_query(&query)?, &query.order, &query.window, rows()).items,
                        );
                    }
                    ReadResult::rows(found)
                }
                Read::Count(filter) => {
                    let filter = statement.restrict(filter)?;
                    ReadResult::total(rows().filter(|row| filter.holds(row)).count() as u64)
                }
                other => return Err(StoreError::unsupported(&other)),
            })
        })
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let definition = statement.definition();
            let mut all = self.0.lock().map_err(|error| StoreError::failed(error.to_string()))?;
            // Random, so an identifier that is deleted and inserted again gets other versions.
            let version = Version::random();
            let (row, replaced) = match change {
                Change::Insert(mut row) => {
                    if statement.prepare_insert(&mut row, version)? {
                        statement.set(&mut row, definition.identifier(), version.number().into())?;
                    }
                    (Some(row), None)
                }
                Change::Update { mut row, expected } => {
                    statement.prepare_update(&mut row, version)?;
                    let place = place(&all, &statement, &definition.key(&row), expected)?;
                    // An entity never moves to another scope.
                    if all.get(place).is_some_and(|old| definition.scope_values(old) != definition.scope_values(&row)) {
                        return Err(StoreError::NotFound);
                    }
                    (Some(row), Some(place))
                }
                Change::Delete { identifier, expected } => {
                    (None, Some(place(&all, &statement, &statement.key(&identifier)?, expected)?))
                }
                _ => return Err(StoreError::failed("the store does not support this change")),
            };
            let Some(row) = row else {
                replaced.map(|place| all.remove(place));
                return Ok(None);
            };
            let others = all.iter().enumerate().filter(|(place, other)| {
                Some(*place) != replaced && other.entity.definition().name() == definition.name()
            });
            let others: Vec<_> = others.map(|(_, other)| other).collect();
            if others.iter().any(|other| definition.key(*other) == definition.key(&row)) {
                return Err(StoreError::conflict(definition.identifier().to_owned()));
            }
            let taken: Vec<_> = others.into_iter().flat_map(|other| definition.unique_keys(other)).collect();
            if let Some((fields, _)) = definition.unique_keys(&row).find(|unique| taken.contains(unique)) {
                return Err(StoreError::conflict_of(fields.to_vec()));
            }
            let row = Versioned::new(row, version);
            match replaced.and_then(|place| all.get_mut(place)) {
                Some(place) => *place = row.clone(),
                None => all.push(row.clone()),
            }
            Ok(Some(row))
        })
    }
}

/// Returns the place of the entity with a key, if it is in the scope and has the expected version.
fn place(
    all: &[Versioned<Row>],
    statement: &Statement<'_>,
    key: &[Value<'static>],
    expected: Option<Version>,
) -> Result<usize, StoreError> {
    let definition = statement.definition();
    let is_found = |row: &Versioned<Row>| {
        row.entity.definition() == definition && definition.key(row) == key && statement.admits(row)
    };
    let place = all.iter().position(is_found).ok_or(StoreError::NotFound)?;
    let is_stale = expected.is_some_and(|expected| all.get(place).is_some_and(|row| row.version != expected));
    if is_stale { Err(StoreError::StaleVersion) } else { Ok(place) }
}
