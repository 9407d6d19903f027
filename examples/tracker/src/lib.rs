//! A tracker of tickets, which shows who sees what.
//!
//! `cargo run -p tracker`, then <http://127.0.0.1:8082/docs>.
//!
//! An organisation is a tenant. Inside it, [`roles`] decide who may call which operation, the policies of [`tickets`] and [`comments`] decide which
//! rows exist for a caller, and the estimate of a ticket is a field that only members read and only admins write. The feed in [`live`] contains only the
//! changes of tickets that its caller can see.

#![allow(missing_docs, missing_debug_implementations, reason = "an application, not a library")]

pub mod comments;
pub mod live;
pub mod organisations;
pub mod projects;
pub mod roles;
pub mod tickets;

use std::path::PathBuf;

use restwright::Documentation;
use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, CrudAccess, KeyList};
use restwright::files::FolderStore;
use restwright::operation::{ContactObject, LicenseObject};
use restwright::prelude::*;
use restwright::resource::Endpoints;
use restwright::sql::SqlStore;

use self::comments::{Comment, CommentAuthor};
use self::live::Changes;
use self::organisations::{Organisation, Organisations};
use self::projects::Project;
use self::tickets::{Ticket, TicketHooks, close, reopen};

const SCHEME: &str = "key";

/// Returns the access to a resource, with one scope for each operation.
fn access(resource: &str) -> CrudAccess {
    Access::crud(SCHEME, resource)
}

/// Returns the application for these keys. `database` is a URL, and `files` is the folder of the attachments.
///
/// # Errors
/// Returns all errors in the declaration.
pub fn api(
    keys: impl IntoIterator<Item = ApiKey>,
    database: &str,
    files: impl Into<PathBuf>,
) -> Result<Api, BuildErrors> {
    let configuration = Configuration::new("tracker", env!("CARGO_PKG_VERSION"))
        .description("Tickets of organisations. An organisation cannot see the data of another organisation.")
        .contact(ContactObject::new("The office").email("tracker@example.com"))
        .license(LicenseObject::spdx("CC0-1.0"))
        .authenticator(SCHEME, ApiKeyAuthenticator::new(KeyList::new(keys)));
    let store = SqlStore::new(database).migrate();
    let changes = Changes::new();
    let update = || Access::authenticated(SCHEME).all_scopes(["tickets:update"]);
    let tickets = Endpoints::<Ticket>::new(store.clone(), access("tickets")).hooks(TicketHooks(changes.clone()));
    let tickets = tickets.action("close", update(), close).action("reopen", update(), reopen);
    let tickets = tickets.files(FolderStore::new(files));
    let comments = Endpoints::<Comment>::new(store.clone(), access("comments")).hooks(CommentAuthor);
    Api::builder(configuration)
        .resource::<Organisation>(store.clone(), access("organisations"))
        .resource::<Project>(store.clone(), access("projects"))
        .module(&tickets)
        .module(&comments)
        .controller(changes.endpoint())
        .component(Organisations(store))
        .module(&Documentation::public())
        .build()
}
