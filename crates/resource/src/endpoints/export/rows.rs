//! Defines [`Rows`], which reads the entities of an export page by page.

use std::any::Any;
use std::sync::Arc;

use restwright_core::Result;
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Code, Violation};
use restwright_list::{Position, SortEntry, Window};

use crate::endpoints::call::Call;
use crate::endpoints::entities::Entities;
use crate::endpoints::field_rights::FieldRights;
use crate::endpoints::hooks::LocalBoxFuture;
use crate::endpoints::includes::{Embedded, embedded};
use crate::endpoints::kind::{AnyPage, ListRequest};
use crate::store::Store;

/// The number of entities that are read at a time.
const PAGE: u32 = 200;

/// The entities of one page, as the JSON `{"data": [..]}`. They still contain fields that the caller may not read.
pub(super) struct RowPage {
    pub(super) json: Vec<u8>,
    pub(super) embedded: Option<Embedded>,
    pub(super) next: Option<Box<dyn NextPage>>,
}

/// Reads the next page of an export.
pub(super) trait NextPage {
    fn read(self: Box<Self>) -> LocalBoxFuture<'static, Result<RowPage>>;
}

/// The entities of an export that are not read yet.
pub(crate) struct Rows<S: Store> {
    entities: Arc<Entities<S>>,
    call: Call,
    list: ListRequest,
}

/// The entities after a position.
struct After(Option<Position>);

impl AnyPage for After {
    fn window(&self) -> Window<'_> {
        Window::seek(self.0.as_ref(), PAGE)
    }

    fn is_counted(&self) -> bool {
        false
    }
}

impl<S: Store> Rows<S> {
    /// Creates the export of a list.
    ///
    /// # Errors
    /// 422 if the order contains a field of a related entity.
    pub(in crate::endpoints) fn new(entities: &Arc<Entities<S>>, call: Call, list: ListRequest) -> Result<Self> {
        if !list.related.is_empty() {
            let message = "must not contain a field of a related entity in an export";
            let mut violations = RequestViolations::new(1);
            violations.push(ViolationLocation::Query, Violation::new("/order_by", Code::INVALID, message));
            violations.into_result()?;
        }
        let list = ListRequest { page: Box::new(After(None)), ..list };
        Ok(Self { entities: Arc::clone(entities), call, list })
    }

    /// Returns the fields that the caller may read, the names of the computed properties that the caller may not read, and the names of the
    /// included relations.
    pub(super) fn shown(&self) -> (FieldRights, Vec<String>, Vec<String>) {
        let computed = self.entities.info.computed.iter().filter(|field| !field.is_readable(&self.call.identity));
        let relations = self.call.includes.iter().flat_map(|includes| includes.names()).map(str::to_owned);
        (self.call.rights.clone(), computed.map(|field| field.name.clone()).collect(), relations.collect())
    }

    /// Reads the next page.
    pub(super) async fn read(mut self) -> Result<RowPage> {
        let info = &self.entities.info;
        let position = |listed: &mut (dyn Any + 'static)| self.next_position(listed);
        let (mut listed, _, position) = self.entities.list_noting(&self.call, &self.list, position).await?;
        let embedded = embedded(info, &self.call, || info.kind.entities(&mut *listed)).await?;
        let mut json = Vec::from(*br#"{"data":["#);
        for (index, entity) in info.kind.entities(&mut *listed)?.iter().enumerate() {
            json.extend_from_slice(if index == 0 { b"" } else { b"," });
            json.extend_from_slice(&entity.item_json()?);
        }
        json.extend_from_slice(b"]}");
        let next = position.map(|position| {
            self.list.page = Box::new(After(Some(position)));
            Box::new(self) as Box<dyn NextPage>
        });
        Ok(RowPage { json, embedded, next })
    }

    /// Returns the position after the last entity, or `None` if the list has no further entities.
    fn next_position(&self, listed: &mut (dyn Any + 'static)) -> Result<Option<Position>> {
        let found = self.entities.info.kind.entities(listed)?;
        let is_full = found.len() >= usize::try_from(PAGE).unwrap_or(usize::MAX);
        Ok(found.last().filter(|_| is_full).map(|last| {
            let value = |entry: &SortEntry<_>| {
                let name = entry.name().to_owned();
                let value = last.value(&name).into_owned();
                (name.into(), entry.direction, value)
            };
            Position::after(self.list.order.iter().map(value))
        }))
    }
}

impl<S: Store> NextPage for Rows<S> {
    fn read(self: Box<Self>) -> LocalBoxFuture<'static, Result<RowPage>> {
        Box::pin((*self).read())
    }
}
