//! The resources of the test of noninterference: rows with policies, fields with permissions, and what refers to them.

use restwright::Clock;
use restwright::auth::{Access, Identity};
use restwright::list::CursorKey;
use restwright::prelude::*;
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use restwright_resource::{Endpoints, EntityDefinition, HookContext, NoBody, Presenter, RowPolicy, Rows, exists};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A folder, which stays in the store after a delete. Its owner sees it, and callers with the permission `all`.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/folders", policy = Folders, reveals(notes), include(notes(max = 2, include(lines(max = 1)))))]
struct Folder {
    #[property(id)]
    id: Uuid,
    #[property(filter(eq, contains), sort)]
    owner: String,
    #[property(filter(eq, gt), sort)]
    size: i64,
    #[property(deleted_at)]
    deleted_at: Option<jiff::Timestamp>,
}

/// A note, which stays in the store after a delete. Its owner sees it, and everybody if it is public.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(
    path = "/notes",
    policy = Notes,
    reveals(code, folder_id, receipts),
    search(owner, code, hint),
    computed(#[property(read = "read")] doubled: Option<i64>, label_count: usize),
    batch,
    put,
    json_patch,
    export(escape_formulas),
    include(folder, lines(max = 2, order = "text"))
)]
struct Note {
    #[property(id)]
    id: Uuid,
    #[property(filter(eq, contains), sort)]
    owner: String,
    is_public: bool,
    #[property(filter(eq, gt, is_null), sort)]
    size: Option<i64>,
    #[property(unique)]
    code: Option<String>,
    #[property(references(Folder))]
    folder_id: Option<Uuid>,
    /// Only callers with the permission `read` read it.
    #[property(read = "read", write = "write", filter(eq, gt), sort)]
    #[serde(alias = "points")]
    estimate: Option<i64>,
    #[property(read = "read", write = "write")]
    hint: Option<String>,
    #[property(filter(has))]
    #[serde(default)]
    labels: Vec<String>,
    #[property(deleted_at)]
    deleted_at: Option<jiff::Timestamp>,
}

impl Note {
    /// Only callers who read the estimate read twice the estimate.
    fn doubled(&self, _: &Identity) -> Option<i64> {
        self.estimate.map(|estimate| estimate.saturating_mul(2))
    }

    fn label_count(&self, _: &Identity) -> usize {
        self.labels.len()
    }
}

/// A line of a note, which its owner sees.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(
    path = "/notes/{note_id}/lines",
    policy = Lines,
    cascades(note_id),
    pagination = cursor,
    put,
    include(note(include(folder)))
)]
struct Line {
    #[property(id)]
    id: Uuid,
    #[property(parent(Note, on_delete = cascade))]
    note_id: Uuid,
    owner: String,
    #[property(sort)]
    text: String,
}

/// A page at an address that clients choose, which its owner sees.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/pages", policy = Pages, reveals(slug), pagination = cursor, put)]
struct Page {
    #[property(id(given), filter(starts_with))]
    slug: String,
    #[property(filter(eq))]
    owner: String,
    #[property(sort)]
    size: i64,
    /// For callers with the permission `read`, it is the first order of lists.
    #[property(read = "read", write = "write", filter(eq, gt), sort(default = desc))]
    estimate: Option<i64>,
    #[property(read = "read", created_at)]
    created_at: jiff::Timestamp,
}

/// A receipt with a number of the store, which its owner sees. Its note may be hidden from the owner.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(
    path = "/receipts",
    policy = Receipts,
    reveals(id, note_id),
    include(note(
        filter(size(gt, ne, is_null), owner(contains), estimate(gt)),
        sort(size, owner, estimate)
    ))
)]
struct Receipt {
    #[property(id)]
    id: i64,
    owner: String,
    #[property(references(Note))]
    note_id: Option<Uuid>,
}

/// A member of a group of a tenant. Each member sees only their own memberships.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/members", policy = OwnMemberships)]
struct Member {
    #[property(id)]
    id: Uuid,
    #[property(scope)]
    tenant: String,
    group: String,
    owner: String,
}

/// A task, which the members of its group see.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tasks", policy = OfGroups, pagination = cursor)]
struct Task {
    #[property(id)]
    id: Uuid,
    #[property(scope)]
    tenant: String,
    #[property(filter(eq), sort)]
    group: String,
    #[property(sort)]
    size: i64,
}

/// Returns the rows that belong to a caller.
macro_rules! own {
    ($row:ty, $caller:expr) => {
        Rows::matching(<$row>::FIELDS.owner.eq($caller.subject().unwrap_or_default()))
    };
}

struct Folders;
struct Notes;
struct Lines;
struct Pages;
struct Receipts;
struct OwnMemberships;
struct OfGroups;

impl RowPolicy<Folder> for Folders {
    fn visible(&self, caller: &Identity) -> Rows {
        if caller.has_permission("all") { Rows::all() } else { own!(Folder, caller) }
    }
}

impl RowPolicy<Note> for Notes {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Note::FIELDS.is_public.eq(true)).or(self.writable(caller))
    }

    fn writable(&self, caller: &Identity) -> Rows {
        own!(Note, caller)
    }
}

impl RowPolicy<Line> for Lines {
    fn visible(&self, caller: &Identity) -> Rows {
        own!(Line, caller)
    }
}

impl RowPolicy<Page> for Pages {
    fn visible(&self, caller: &Identity) -> Rows {
        own!(Page, caller)
    }
}

impl RowPolicy<Receipt> for Receipts {
    fn visible(&self, caller: &Identity) -> Rows {
        own!(Receipt, caller)
    }
}

impl RowPolicy<Member> for OwnMemberships {
    fn visible(&self, caller: &Identity) -> Rows {
        own!(Member, caller)
    }

    fn result(&self, _: &Identity) -> Rows {
        Rows::all()
    }
}

impl RowPolicy<Task> for OfGroups {
    fn visible(&self, caller: &Identity) -> Rows {
        let user = caller.subject().unwrap_or_default();
        Rows::matching(exists::<Member>(|member| member.group.same_as(Task::FIELDS.group).and(member.owner.eq(user))))
    }

    fn related(&self) -> Vec<EntityDefinition> {
        vec![Member::definition()]
    }
}

/// Shows the number of all folders as the size of a folder, to callers with the permission `all` or `peek`. The policy gives `peek` no right,
/// so a replay shows the number to a caller who lost it.
struct Sizes;

impl Presenter<Folder> for Sizes {
    async fn present(&self, context: &mut HookContext<'_>, folders: &mut [Folder]) -> Result<()> {
        if ["all", "peek"].iter().any(|right| context.identity().has_permission(right)) {
            let all = context.store::<Folder>().unrestricted().count(&()).await?;
            folders.iter_mut().for_each(|folder| folder.size = i64::try_from(all).unwrap_or_default());
        }
        Ok(())
    }
}

/// Returns the Api of all resources, whose time does not pass.
pub(super) fn api(store: &CountingStore) -> Api {
    let access = || Access::authenticated("caller");
    let keys = || Idempotency::new(MemoryIdempotencyStore::new());
    let grow = async |note: &mut Note, _: NoBody, context: &mut HookContext<'_>| {
        let seen = context.store::<Note>().count(&()).await?;
        note.size = i64::try_from(seen).ok();
        Ok(())
    };
    let folders = Endpoints::<Folder>::new(store.clone(), access()).presenter(Sizes).idempotency(keys());
    let notes = Endpoints::<Note>::new(store.clone(), access()).idempotency(keys()).delete_returns_entity().action(
        "grow",
        access(),
        grow,
    );
    let shows_estimate = store.shows_estimate();
    let notes = notes.computed("effort", move |note: &Note, _: &Identity| note.estimate.filter(|_| shows_estimate));
    let lines = Endpoints::<Line>::new(store.clone(), access());
    let pages = Endpoints::<Page>::new(store.clone(), access());
    let receipts = Endpoints::<Receipt>::new(store.clone(), access());
    // `cid` belongs to another tenant than `ann` and `bob`.
    let tenant = |caller: &Identity| Some(if caller.subject() == Some("cid") { "south" } else { "north" }.into());
    let members = Endpoints::<Member>::new(store.clone(), access()).scope("tenant", tenant);
    let tasks = Endpoints::<Task>::new(store.clone(), access()).scope("tenant", tenant);
    let configuration = Configuration::new("notes", "1.0.0")
        .clock(Clock::manual(1_700_000_000))
        .with(CursorKey::new([7; 32]))
        .authenticator("caller", Callers);
    let api = Api::builder(configuration).module(&folders).module(&notes).module(&lines);
    api.module(&pages).module(&receipts).module(&members).module(&tasks).build().unwrap()
}
