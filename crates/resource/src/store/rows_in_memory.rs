//! Carries out statements on rows in memory, for stores that read all rows of a definition.

use restwright_list::{Value, apply};

use super::{Change, Read, ReadResult, Statement, StoreError, no_transactions};
use crate::entity::{Version, Versioned};
use crate::row::Row;

impl Statement<'_> {
    /// Carries out a read on rows in memory, such as the rows of a file. Rows of other definitions are left out.
    ///
    /// # Errors
    /// The statement is wrong or runs in a transaction, or the read needs the rows of related entities.
    pub fn read_rows(&self, read: Read<'_>, rows: &[Versioned<Row>]) -> Result<ReadResult, StoreError> {
        self.check_without_transaction()?;
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
    /// changes `rows`. Returns the stored row, or `None` after a delete. After an error, nothing has changed. References are not checked, and a delete
    /// does not cascade.
    ///
    /// An integer identifier that the store makes is random and has up to 53 bits, so its type in an application is `i64`.
    ///
    /// # Errors
    /// The same as in [`Change`]. Also fails if the statement runs in a transaction.
    pub fn write_rows(
        &self,
        change: Change,
        rows: &mut Vec<Versioned<Row>>,
    ) -> Result<Option<Versioned<Row>>, StoreError> {
        self.check_without_transaction()?;
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
                // An entity never moves to another scope.
                let scope = self.definition.scope_values(&row);
                let is_same = |old: &Versioned<Row>| self.definition.scope_values(old) == scope;
                let place = self.place(rows, &self.definition.key(&row), expected, is_same)?;
                (row, Some(place))
            }
            Change::Delete { identifier, expected } => {
                let is_live = |row: &Versioned<Row>| !self.definition.is_deleted(row);
                let place = self.place(rows, &self.key(&identifier)?, expected, is_live)?;
                match (self.definition.deletion_field(), rows.get_mut(place)) {
                    (Some(field), Some(row)) => {
                        self.set(&mut row.entity, field.name(), self.deletion_time().into())?;
                        row.version = version;
                    }
                    _ => drop(rows.swap_remove(place)),
                }
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
        let (key, unique) = (self.definition.key(row), self.definition.unique_keys(row).collect::<Vec<_>>());
        let mut first = None;
        for other in others.filter(|other| self.is_of_definition(other)) {
            if self.definition.key(other) == key {
                return Err(StoreError::conflict(self.definition.identifier().to_owned()));
            }
            let taken =
                self.definition.unique_keys(other).filter_map(|taken| unique.iter().position(|own| *own == taken));
            first = first.into_iter().chain(taken).min();
        }
        let conflict = first.and_then(|first| unique.into_iter().nth(first));
        conflict.map_or(Ok(()), |(fields, _)| Err(StoreError::conflict_of(fields.to_vec())))
    }

    fn check_without_transaction(&self) -> Result<(), StoreError> {
        match self.transaction.is_some() {
            true => Err(no_transactions()),
            false => Ok(()),
        }
    }

    /// Returns the place of the entity with a key that is in the scope and satisfies `admits`, if it has the expected version.
    fn place(
        &self,
        rows: &[Versioned<Row>],
        key: &[Value<'static>],
        expected: Option<Version>,
        admits: impl Fn(&Versioned<Row>) -> bool,
    ) -> Result<usize, StoreError> {
        let is_found = |row: &Versioned<Row>| self.is_of_definition(row) && self.has_key(row, key) && admits(row);
        let mut found = rows.iter().enumerate().filter(|(_, row)| is_found(row));
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
