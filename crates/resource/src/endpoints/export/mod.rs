//! Lists as JSON lines and as CSV, which contain all matching entities. [`Rows`] reads them page by page, and [`RowWriter`] writes them.

mod csv;
mod response;
mod rows;
mod writer;

use restwright_core::http::header::ACCEPT;
use restwright_core::http::preferred_media_type;
use restwright_core::operation::Operation;
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Code, Violation};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Result};
use restwright_list::PlannedList;

pub(super) use self::response::Listed;
pub(super) use self::rows::Rows;

use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::{Endpoints, Export, Resource};

impl<R: Resource> Endpoints<R> {
    /// Lets clients export the list. `Accept: application/jsonl` or `application/x-ndjson` returns one entity per line, and `Accept: text/csv` one
    /// row per entity.
    ///
    /// An export contains all matching entities, in the order of the list and with its fields. Pagination parameters are a 422. An order by a field
    /// of a related entity is also a 422.
    ///
    /// The entities are read in pages while the client reads. A page has at most 200 entities and 256 KiB of JSON, or one entity that is longer. Each page starts after the last entity of the previous page. The memory does
    /// not depend on the number of entities, and no connection is held between the pages. Hooks of lists run for each page. If an entity moves to
    /// another place in the order during the export, it can be missing or occur twice.
    ///
    /// If a later page cannot be read, the response ends early. Clients then report an incomplete body.
    pub fn export(mut self, export: Export) -> Self {
        self.declared.info.export = Some(export);
        self
    }
}

/// The media type of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    JsonLines,
    /// JSON lines under the older name of the media type, which many programs use.
    Ndjson,
    Csv,
}

impl Format {
    const ALL: [Self; 3] = [Self::JsonLines, Self::Ndjson, Self::Csv];

    fn media_type(self) -> &'static str {
        match self {
            Self::JsonLines => "application/jsonl",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv",
        }
    }
}

/// The format that the client prefers, or `None` for a page as JSON.
pub(in crate::endpoints) struct SelectedFormat(pub(in crate::endpoints) Option<Format>);

pub(super) struct FormatPlan {
    has_export: bool,
    /// The parameters of pages.
    pagination: Vec<&'static str>,
}

/// The parameters of all kinds of pagination.
const PAGINATION: [&str; 4] = ["limit", "page", "offset", "cursor"];

impl Part for SelectedFormat {
    type Plan = FormatPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<FormatPlan, BuildErrors> {
        let has_export = resource_of(context)?.export.is_some();
        let list = PlannedList::of_request(context);
        let is_filter = |name: &&str| list.filters().any(|(filter, _)| filter == *name);
        Ok(FormatPlan { has_export, pagination: PAGINATION.into_iter().filter(|name| !is_filter(name)).collect() })
    }

    fn describe(_: &FormatPlan, _: &mut Operation) {}

    fn read(plan: &FormatPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let Some(accept) = plan.has_export.then(|| head.request().header(&ACCEPT)).flatten() else {
            return Some(Self(None));
        };
        let [lines, ndjson, csv] = Format::ALL.map(Format::media_type);
        let preferred = preferred_media_type(accept, &["application/json", lines, ndjson, csv]);
        let Some(format) = Format::ALL.into_iter().find(|format| Some(format.media_type()) == preferred) else {
            return Some(Self(None));
        };
        let is_sent = |name: &&&str| head.query().sent().any(|(sent, _)| sent == **name);
        // The list has marked its parameters as known. Other parameters are rejected as undeclared.
        let is_known = |name: &&&str| !head.query().unclaimed().any(|unknown| unknown == **name);
        let mut sent = plan.pagination.iter().filter(is_sent).filter(is_known).peekable();
        let has_none = sent.peek().is_none();
        for name in sent {
            let message = "does not apply to an export, which contains all entities; leave it out";
            violations.push(ViolationLocation::Query, Violation::new(format!("/{name}"), Code::INVALID, message));
        }
        has_none.then_some(Self(Some(format)))
    }
}
