//! Tickets: private rows, a field for some callers, a file, search, batches, exports and two actions.

use jiff::Timestamp;
use restwright::prelude::*;
use restwright::problem::catalogue::CONFLICT;
use restwright::resource::{CommittedChange, HookContext, Hooks, NoBody, RowPolicy, Rows, StoredFile};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::live::Changes;
use crate::projects::Project;

/// A ticket of a project. Only its author, its assignee and admins see a private ticket.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(
    path = "/tickets",
    pagination = page(total = false),
    policy = TicketPolicy,
    reveals(project_id, number), // a private ticket has a number too
    include(project(filter(key(eq, in)), sort(name)), comments(max = 20, order = "-created_at")),
    search(title, text),
    computed(
        /// `true` if the caller works on the ticket.
        is_mine: bool
    ),
    batch,
    json_patch,
    export(escape_formulas)
)]
pub struct Ticket {
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    pub id: Uuid,
    /// The organisation. Clients do not see it.
    #[property(scope = "organisation", exclude(view, list))]
    pub organisation: String,
    /// The project. A project with tickets cannot be deleted.
    #[property(references = Project, filter(eq, in))]
    pub project_id: Uuid,
    /// The number of the ticket, unique in its project.
    #[property(minimum = 1, unique(project_id), filter(eq))]
    pub number: Option<i64>,
    /// The title of the ticket.
    #[property(min_length = 1, max_length = 200, filter(eq, contains), sort)]
    pub title: String,
    /// What happened.
    #[property(max_length = 5_000)]
    pub text: Option<String>,
    /// Words to find the ticket by, such as `urgent`.
    #[serde(default)]
    #[property(max_items = 20, items(max_length = 40), filter(has))]
    pub labels: Vec<String>,
    /// `true` if only the author, the assignee and admins see the ticket.
    #[serde(default)]
    #[property(filter(eq))]
    pub private: bool,
    /// The person who created the ticket.
    #[serde(default)]
    #[property(read_only, filter(eq))]
    pub author: String,
    /// The person who works on the ticket.
    #[property(min_length = 1, max_length = 100, filter(eq, is_null))]
    pub assignee: Option<String>,
    /// The estimated effort in hours. Members read it, and admins write it.
    #[property(
        minimum = 0,
        maximum = 10_000,
        scale = 2,
        read = "estimates:read",
        write = "estimates:write",
        filter(gte, lte),
        sort
    )]
    pub estimate: Option<Decimal>,
    /// The state of the ticket, which the actions change.
    #[serde(default)]
    #[property(read_only, filter(eq, in))]
    pub state: State,
    /// A file about the ticket, such as a screenshot.
    #[property(file, max_size = 10_000_000)]
    pub attachment: Option<StoredFile>,
    /// The time of creation.
    #[property(created_at, sort(default = desc))]
    pub created_at: Timestamp,
    /// The time of the deletion. Clients do not see it.
    #[property(deleted_at)]
    pub deleted_at: Option<Timestamp>,
}

impl Ticket {
    fn is_mine(&self, caller: &Identity) -> bool {
        self.assignee.is_some() && self.assignee.as_deref() == caller.subject()
    }
}

/// The state of a ticket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    #[default]
    Open,
    Closed,
}

pub struct TicketPolicy;

impl RowPolicy<Ticket> for TicketPolicy {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Ticket::FIELDS.private.eq(false)).or(self.writable(caller))
    }

    fn writable(&self, caller: &Identity) -> Rows {
        if caller.has_permission("tickets:all") {
            return Rows::all();
        }
        let Some(person) = caller.subject() else { return Rows::none() };
        Rows::matching(Ticket::FIELDS.author.eq(person).or(Ticket::FIELDS.assignee.eq(person)))
    }
}

/// Sets the author of a new ticket, and announces committed changes.
pub(crate) struct TicketHooks(pub(crate) Changes);

impl Hooks<Ticket> for TicketHooks {
    async fn before_create(&self, context: &mut HookContext<'_>, ticket: &mut Ticket) -> Result<()> {
        context.identity().subject().unwrap_or_default().clone_into(&mut ticket.author);
        Ok(())
    }

    async fn after_commit(&self, change: &CommittedChange<Ticket>) {
        self.0.announce(change.clone());
    }
}

/// Closes an open ticket.
pub(crate) async fn close(ticket: &mut Ticket, _: NoBody, _: &mut HookContext<'_>) -> Result<()> {
    change(ticket, State::Open, State::Closed)
}

/// Reopens a closed ticket.
pub(crate) async fn reopen(ticket: &mut Ticket, _: NoBody, _: &mut HookContext<'_>) -> Result<()> {
    change(ticket, State::Closed, State::Open)
}

fn change(ticket: &mut Ticket, from: State, to: State) -> Result<()> {
    if ticket.state != from {
        return Err(Problem::new(CONFLICT).detail("The ticket is already in this state."));
    }
    ticket.state = to;
    Ok(())
}
