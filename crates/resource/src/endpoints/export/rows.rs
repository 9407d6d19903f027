//! Defines [`Rows`], which reads the entities of an export page by page.

use std::sync::Arc;

use restwright_core::Result;
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::runtime::{LocalBoxFuture, Members};
use restwright_core::schema::{Code, Violation};
use restwright_list::{Position, SortEntry, Window};

use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::field_rights::FieldRights;
use crate::endpoints::erased::any_entity::{AnyEntity, references};
use crate::endpoints::erased::member_changes::Embedded;
use crate::endpoints::erased::paginates::AnyPage;
use crate::endpoints::includes::{Includes, embedded};
use crate::endpoints::operate::entities::Entities;
use crate::endpoints::read::list_request::ListRequest;

/// The maximum number of entities that are read at a time.
const PAGE: u32 = 200;

/// The number of entities of the first page. The sizes of entities are not known before it is read.
const FIRST_PAGE: u32 = 25;

/// The number of bytes of JSON above which a page has no further entity.
const PAGE_BYTES: usize = 256 * 1024;

/// The entities of one page. They still contain fields that the caller may not read.
pub(super) struct RowPage {
    pub(super) rows: Vec<Members>,
    pub(super) embedded: Option<Embedded>,
    pub(super) next: Option<Box<dyn NextPage>>,
}

/// Reads the next page of an export.
pub(super) trait NextPage {
    fn read(self: Box<Self>) -> LocalBoxFuture<'static, Result<RowPage>>;
}

/// The entities of an export that are not read yet.
pub(crate) struct Rows {
    entities: Arc<Entities>,
    call: Call,
    includes: Option<Box<Includes>>,
    list: ListRequest,
    /// The position after the last entity of the previous page.
    after: Option<Position>,
    /// The number of entities of the next page.
    count: u32,
}

/// A number of entities after a position.
struct After(Option<Position>, u32);

impl AnyPage for After {
    fn window(&self) -> Window<'_> {
        Window::seek(self.0.as_ref(), self.1)
    }

    fn is_counted(&self) -> bool {
        false
    }

    fn cursor_fields(&self) -> Vec<&str> {
        Vec::new()
    }
}

impl Rows {
    /// Creates the export of a list.
    ///
    /// # Errors
    /// 422 if the order contains a field of a related entity.
    pub(in crate::endpoints) fn new(
        entities: &Arc<Entities>,
        (call, includes): (Call, Option<Box<Includes>>),
        list: ListRequest,
    ) -> Result<Self> {
        if !list.related.is_empty() {
            let message = "must not contain a field of a related entity in an export";
            let mut violations = RequestViolations::new(1);
            violations.push(ViolationLocation::Query, Violation::new("/order_by", Code::INVALID, message));
            violations.into_result()?;
        }
        Ok(Self { entities: Arc::clone(entities), call, includes, list, after: None, count: FIRST_PAGE })
    }

    /// Returns the fields that the caller may read, the names of the computed properties that the caller may not read, and the names of the
    /// included relations.
    pub(super) fn shown(&self) -> (FieldRights, Vec<String>, Vec<String>) {
        let computed = self.entities.info.computed.iter().filter(|field| !field.is_readable(&self.call.identity));
        let relations = self.includes.iter().flat_map(|includes| includes.names()).map(str::to_owned);
        (self.call.rights.clone(), computed.map(|field| field.name.clone()).collect(), relations.collect())
    }

    /// Reads the next page. A page that is too long is read again with fewer entities, so hooks have seen exactly its
    /// entities.
    pub(super) async fn read(mut self) -> Result<RowPage> {
        loop {
            self.list.page = Box::new(After(self.after.clone(), self.count));
            let position = |listed: &[Box<dyn AnyEntity>]| Ok(self.next_position(listed));
            let (listed, _, position) = self.entities.list_noting(&self.call, &self.list, position).await?;
            let info = &self.entities.info;
            let found = references(&listed.items);
            let (rows, bytes) = page_rows(&found)?;
            let is_whole = rows.len() == found.len();
            self.count = next_count(self.count, bytes, rows.len());
            if !is_whole {
                continue;
            }
            let embedded = embedded(info, &self.call, self.includes.as_deref(), || found).await?;
            let next = position.map(|position| {
                self.after = Some(position);
                Box::new(self) as Box<dyn NextPage>
            });
            return Ok(RowPage { rows, embedded, next });
        }
    }

    /// Returns the position after the last entity, or `None` if the list has no further entities.
    fn next_position(&self, found: &[Box<dyn AnyEntity>]) -> Option<Position> {
        let is_full = found.len() >= usize::try_from(self.count).unwrap_or(usize::MAX);
        found.last().filter(|_| is_full).map(|last| {
            let value = |entry: &SortEntry<_>| {
                let name = entry.name().to_owned();
                let value = last.value(&name).into_owned();
                (name.into(), entry.direction, value)
            };
            Position::after(self.list.order.iter().map(value))
        })
    }
}

impl NextPage for Rows {
    fn read(self: Box<Self>) -> LocalBoxFuture<'static, Result<RowPage>> {
        Box::pin((*self).read())
    }
}

/// Returns the first entities as JSON, at most about [`PAGE_BYTES`], and their number of bytes. The page contains at least one entity.
fn page_rows(entities: &[&dyn AnyEntity]) -> Result<(Vec<Members>, usize)> {
    let (mut rows, mut bytes) = (Vec::with_capacity(entities.len()), 0);
    for entity in entities {
        let row = entity.cloned().into_item(true)?;
        if !rows.is_empty() && bytes + row.json().len() > PAGE_BYTES {
            break;
        }
        bytes += row.json().len();
        rows.push(row);
    }
    Ok((rows, bytes))
}

/// Returns the number of entities of the next page, from the number of the last page and the `bytes` of the `written` entities. It
/// is at most twice the last number, because later entities may be longer.
fn next_count(last: u32, bytes: usize, written: usize) -> u32 {
    let fit = PAGE_BYTES.saturating_mul(written) / bytes.max(1);
    u32::try_from(fit).unwrap_or(PAGE).clamp(1, last.saturating_mul(2).min(PAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_entities_follows_their_size() {
        for (last, bytes, written, expected) in [
            (25, 5_000, 25, 50),
            (150, 15_000, 150, 200),
            (200, 20_000, 200, 200),
            // Entities of 5 KiB, of 200 kB and of 1 MB.
            (25, 25 * 5 * 1024, 25, 50),
            (50, 50 * 5 * 1024, 50, 51),
            (25, 200_000, 1, 1),
            (1, 1_000_000, 1, 1),
            // Longer entities, of which only a part was written.
            (200, 250_000, 10, 10),
            (1, 20, 0, 1),
        ] {
            assert_eq!(next_count(last, bytes, written), expected, "{last} {bytes} {written}");
        }
    }
}
