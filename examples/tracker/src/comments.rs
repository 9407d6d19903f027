//! Comments on tickets. A comment exists for everyone who sees its ticket.

use jiff::Timestamp;
use restwright::prelude::*;
use restwright::resource::{HookContext, Hooks, RowPolicy, Rows};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::tickets::Ticket;

/// A comment on a ticket. Only its author and admins change it.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets/{ticket_id}/comments", policy = CommentPolicy, cascades(ticket_id), reveals(ticket_id))]
pub struct Comment {
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    pub id: Uuid,
    /// The organisation. Clients do not see it.
    #[property(scope = "organisation", exclude(view, list))]
    pub organisation: String,
    /// The ticket. Its comments are deleted with it.
    #[property(parent(Ticket, on_delete = cascade))]
    pub ticket_id: Uuid,
    /// The person who wrote the comment.
    #[serde(default)]
    #[property(read_only, filter(eq))]
    pub author: String,
    /// The text of the comment.
    #[property(min_length = 1, max_length = 5_000)]
    pub text: String,
    /// The time of creation.
    #[property(created_at, sort(default = asc))]
    pub created_at: Timestamp,
}

pub struct CommentPolicy;

impl RowPolicy<Comment> for CommentPolicy {
    fn visible(&self, _: &Identity) -> Rows {
        Rows::all()
    }

    fn writable(&self, caller: &Identity) -> Rows {
        if caller.has_permission("tickets:all") {
            return Rows::all();
        }
        caller.subject().map_or(Rows::none(), |person| Rows::matching(Comment::FIELDS.author.eq(person)))
    }
}

/// Sets the author of a new comment.
pub(crate) struct CommentAuthor;

impl Hooks<Comment> for CommentAuthor {
    async fn before_create(&self, context: &mut HookContext<'_>, comment: &mut Comment) -> Result<()> {
        context.identity().subject().unwrap_or_default().clone_into(&mut comment.author);
        Ok(())
    }
}
