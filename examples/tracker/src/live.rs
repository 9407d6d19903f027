//! A live feed of tickets. Each caller receives the changes of the tickets that the caller can see.

use std::error::Error;
use std::sync::Arc;

use futures_util::{Stream, stream};
use restwright::prelude::*;
use restwright::resource::{CommittedChange, RowPolicy};
use restwright::{Event, EventStream};
use serde::Serialize;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::tickets::{Ticket, TicketPolicy};

/// The number of changes that a slow reader of the feed may be behind.
const BACKLOG: usize = 256;

/// A change of a ticket, from the view of the caller.
#[derive(Debug, PartialEq, Serialize, Schema)]
pub struct TicketChange {
    /// What happened to the ticket.
    pub kind: ChangeKind,
    /// The ticket.
    pub id: Uuid,
}

/// What happened to a ticket, from the view of the caller.
#[derive(Debug, PartialEq, Serialize, Schema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The ticket is new, or the caller can see it now.
    Appeared,
    /// The ticket has changed.
    Changed,
    /// The ticket is deleted, or the caller cannot see it any more.
    Disappeared,
}

/// Sends the committed changes of tickets to the readers of the feed.
#[derive(Clone)]
pub(crate) struct Changes(broadcast::Sender<Arc<CommittedChange<Ticket>>>);

#[derive(Request)]
struct Watch {
    caller: Identity,
}

impl Changes {
    pub(crate) fn new() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }

    pub(crate) fn announce(&self, change: CommittedChange<Ticket>) {
        // Without a reader of the feed, sending fails.
        let _ = self.0.send(Arc::new(change));
    }

    /// Returns the changes from now on. A reader that is too slow gets an error, and connects again.
    fn watch(&self, caller: Identity) -> impl Stream<Item = Result<Event<TicketChange>, Box<dyn Error>>> + 'static {
        stream::unfold((self.0.subscribe(), caller), async |(mut changes, caller)| {
            loop {
                let event = match changes.recv().await {
                    Ok(change) => seen_by(&caller, &change).map(|change| Ok(Event::new(change))),
                    Err(broadcast::error::RecvError::Closed) => return None,
                    Err(error) => Some(Err(error.into())),
                };
                if let Some(event) = event {
                    return Some((event, (changes, caller)));
                }
            }
        })
    }

    pub(crate) fn endpoint(self) -> impl Controller {
        Route::get("/tickets/changes")
            .id("watchTickets")
            .summary("Watch the tickets")
            .description("Sends an event for each change of a ticket that the caller can see.")
            .tag("Tickets")
            .authorize(crate::SCHEME, ["tickets:read"])
            .handler(async move |watch: Watch| Ok(EventStream::new(self.watch(watch.caller))))
    }
}

/// Returns the change of a ticket as the caller sees it. A hidden ticket has no changes, and a ticket that becomes visible appears.
fn seen_by(caller: &Identity, change: &CommittedChange<Ticket>) -> Option<TicketChange> {
    let organisation = caller.claims().get("organisation").and_then(|organisation| organisation.as_str());
    let rows = TicketPolicy.visible(caller);
    let sees = |ticket: &&Ticket| organisation == Some(ticket.organisation.as_str()) && rows.contains(*ticket);
    let (before, after) = match change {
        CommittedChange::Created(ticket) => (None, Some(ticket)),
        CommittedChange::Updated { before, after } => (Some(before), Some(after)),
        CommittedChange::Deleted(ticket) => (Some(ticket), None),
        _ => return None,
    };
    let (before, after) = (before.filter(sees), after.filter(sees));
    let kind = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => ChangeKind::Appeared,
        (Some(_), Some(_)) => ChangeKind::Changed,
        (Some(_), None) => ChangeKind::Disappeared,
    };
    Some(TicketChange { kind, id: after.or(before)?.id })
}
