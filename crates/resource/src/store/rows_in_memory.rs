//! Carries out statements on rows in memory, for stores that read all rows of a definition.

use restwright_list::{Value, apply};

use super::{Change, Read, ReadResult, Statement, StoreError};
use crate::entity::{Version, Versioned};
use crate::row::Row;

impl Statement<'_> {
    /// Carries out a read on rows in memory, such as the rows of a file. Rows of other definitions are left out.
    ///
    /// # Errors
    /// The statement is wrong, or the read needs the rows of related entities.
    pub fn read_rows(&self, read: Read<'_>, rows: &[Versioned<Row>]) -> Result<ReadResult, StoreError> {
        let rows = || rows.iter().filter(|row| self.is_of_definition(row));
        Ok(match read {
            Read::Find(identifier) => {
                let key = self.key(identifier)?;
                ReadResult::rows(rows().find(|row| self.has_key(row, &key)).cloned())
            }
            Read::List { query, .. } => {
                apply(self.restrict_query(query)?, &query.order, &query.window, rows()).cloned().into()
            }
            Read::ListPerKey { query, fields, keys } => {
                let mut found = Vec::new();
                for query in keys.iter().map(|key| query.for_key(fields, key)) {
                    let filter = self.restrict_query(&query)?;
                    found.extend(apply(filter, &query.order, &query.window, rows()).cloned().items);
                }
                ReadResult::rows(found)
            }
            Read::Count(filter) => {
                let filter = self.restrict(filter)?;
                ReadResult::total(rows().filter(|row| filter.holds(row)).count() as u64)
            }
            other @ (Read::Exists { .. } | Read::Any(_)) => return Err(StoreError::unsupported(&other)),
        })
    }

    /// Carries out a change on the rows of a store in memory: checks the values, the version and the unique values, sets what the service sets, and
    /// changes `rows`. Returns the stored row, or `None` after a delete. After an error, nothing has changed. References are not checked.
    ///
    /// # Errors
    /// The same as in [`Change`].
    pub fn write_rows(
        &self,
        change: Change,
        rows: &mut Vec<Versioned<Row>>,
    ) -> Result<Option<Versioned<Row>>, StoreError> {
        // Random, so an identifier that is deleted and inserted again gets other versions.
        let version = Version::random();
        let (row, replaced) = match change {
            Change::Insert(mut row) => {
                if self.prepare_insert(&mut row, version)? {
                    self.set(&mut row, self.definition.identifier(), version.number().into())?;
                }
                (row, None)
            }
            Change::Update { mut row, expected } => {
                self.prepare_update(&mut row, version)?;
                let place = self.place(rows, &self.definition.key(&row), expected)?;
                // An entity never moves to another scope.
                let is_same = |old| self.definition.scope_values(old) == self.definition.scope_values(&row);
                if !rows.get(place).is_some_and(is_same) {
                    return Err(StoreError::NotFound);
                }
                (row, Some(place))
            }
            Change::Delete { identifier, expected } => {
                let place = self.place(rows, &self.key(&identifier)?, expected)?;
                rows.swap_remove(place);
                return Ok(None);
            }
        };
        let others = rows.iter().enumerate().filter(|(place, _)| Some(*place) != replaced).map(|(_, other)| other);
        self.check_unique(&row, others)?;
        let row = Versioned::new(row, version);
        match replaced.and_then(|place| rows.get_mut(place)) {
            Some(place) => *place = row.clone(),
            None => rows.push(row.clone()),
        }
        Ok(Some(row))
    }

    /// Checks that no other row has the identifier or the unique values of a row.
    fn check_unique<'r>(&self, row: &Row, others: impl Iterator<Item = &'r Versioned<Row>>) -> Result<(), StoreError> {
        let key = self.definition.key(row);
        let mut taken = Vec::new();
        for other in others.filter(|other| self.is_of_definition(other)) {
            if self.definition.key(other) == key {
                return Err(StoreError::conflict(self.definition.identifier().to_owned()));
            }
            taken.extend(self.definition.unique_keys(other));
        }
        let mut conflicts = self.definition.unique_keys(row).filter(|unique| taken.contains(unique));
        conflicts.next().map_or(Ok(()), |(fields, _)| Err(StoreError::conflict_of(fields.to_vec())))
    }

    /// Returns the place of the entity with a key, if it is in the scope and has the expected version.
    fn place(
        &self,
        rows: &[Versioned<Row>],
        key: &[Value<'static>],
        expected: Option<Version>,
    ) -> Result<usize, StoreError> {
        let mut found = rows.iter().enumerate().filter(|(_, row)| self.is_of_definition(row) && self.has_key(row, key));
        let (place, row) = found.next().ok_or(StoreError::NotFound)?;
        let is_stale = expected.is_some_and(|expected| row.version != expected);
        if is_stale { Err(StoreError::StaleVersion) } else { Ok(place) }
    }

    fn is_of_definition(&self, row: &Versioned<Row>) -> bool {
        row.entity.definition().name() == self.definition.name()
    }

    fn has_key(&self, row: &Versioned<Row>, key: &[Value<'static>]) -> bool {
        self.definition.key(row) == key && self.admits(row)
    }
}
