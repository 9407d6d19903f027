//! An application with documents: a form with a file, downloads with ranges, a live feed, a discussion, and a static page.
//!
//! `cargo run -p files`, then <http://127.0.0.1:8083/>. The list of documents is in memory; an application has it in a resource.

#![allow(missing_docs, missing_debug_implementations, reason = "an application, not a library")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{Stream, stream};
use restwright::files::{FileResponse, StaticFiles, UploadedFile};
use restwright::http::HeaderValue;
use restwright::operation::{ContactObject, LicenseObject, TagObject};
use restwright::prelude::*;
use restwright::websocket::{WebSocket, WebSocketUpgrade};
use restwright::{Event, EventStream};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

/// The number of changes that a slow reader of the feed may be behind.
const BACKLOG: usize = 64;

/// The form for a new document.
#[derive(Deserialize, Schema)]
struct NewDocument {
    /// The title.
    #[property(min_length = 1, max_length = 100)]
    title: String,
    /// A file of up to 20 MB.
    #[property(max_size = 20_000_000, accept = "image/*, application/pdf, text/plain")]
    file: UploadedFile,
}

/// A document with a file.
#[derive(Debug, Clone, Serialize, Schema)]
struct Document {
    /// The number of the document.
    id: u32,
    /// The title.
    title: String,
    /// The name of the file on the client.
    file_name: String,
    /// The media type of the file, as the client declared it.
    media_type: String,
    /// The size of the file in bytes.
    size: u64,
}

/// A change of the documents.
#[derive(Debug, Clone, Serialize, Schema)]
struct Change {
    /// What happened to the document.
    kind: ChangeKind,
    /// The document.
    document: Document,
}

#[derive(Debug, Clone, Copy, Serialize, Schema)]
#[serde(rename_all = "snake_case")]
enum ChangeKind {
    Created,
    Deleted,
}

/// A remark of a client in the discussion.
#[derive(Deserialize, Schema)]
struct NewRemark {
    /// The text.
    #[property(min_length = 1, max_length = 500)]
    text: String,
}

/// A remark in the discussion.
#[derive(Debug, Clone, Serialize, Schema)]
struct Remark {
    /// The number of the remark.
    number: u32,
    /// The text.
    text: String,
}

#[derive(Request)]
struct Discuss {
    upgrade: WebSocketUpgrade<NewRemark, Remark>,
}

/// Stores the file, and returns the document with the path of its file.
#[derive(Request)]
struct CreateDocument {
    #[body(multipart)]
    form: NewDocument,
}

#[derive(Request)]
struct OneDocument {
    /// The number of the document.
    #[segment]
    id: u32,
}

/// The documents, and the folder with their files.
struct Documents {
    folder: PathBuf,
    entries: Mutex<BTreeMap<u32, Document>>,
    last_id: AtomicU32,
    changes: broadcast::Sender<Change>,
    last_remark: AtomicU32,
    remarks: broadcast::Sender<Remark>,
}

impl Documents {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<u32, Document>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the path of a file. Clients choose no part of it.
    fn path(&self, id: u32) -> PathBuf {
        self.folder.join(id.to_string())
    }

    fn announce(&self, kind: ChangeKind, document: Document) {
        // Without a reader of the feed, sending fails.
        let _ = self.changes.send(Change { kind, document });
    }

    async fn create(&self, form: NewDocument) -> Result<Document> {
        let id = 1 + self.last_id.fetch_add(1, Ordering::Relaxed);
        form.file.save(self.path(id)).await.map_err(Problem::internal)?;
        let document = Document {
            id,
            title: form.title,
            file_name: form.file.file_name().unwrap_or_else(|| format!("document-{id}")),
            media_type: form.file.content_type().unwrap_or("application/octet-stream").to_owned(),
            size: form.file.size(),
        };
        self.entries().insert(id, document.clone());
        self.announce(ChangeKind::Created, document.clone());
        Ok(document)
    }

    fn delete(&self, id: u32) -> Result<NoContent> {
        let document = self.entries().remove(&id).ok_or_else(|| missing(id))?;
        std::fs::remove_file(self.path(id)).map_err(Problem::internal)?;
        self.announce(ChangeKind::Deleted, document);
        Ok(NoContent)
    }

    /// Returns the file of a document. Browsers save it, because it may contain a script.
    async fn download(&self, id: u32) -> Result<FileResponse> {
        let document = self.entries().get(&id).cloned().ok_or_else(|| missing(id))?;
        let media_type = HeaderValue::try_from(document.media_type).map_err(Problem::internal)?;
        Ok(FileResponse::open(self.path(id)).await?.content_type(media_type).attachment(&document.file_name))
    }

    /// Returns the changes from now on. A reader that is too slow gets an error, and connects again.
    fn watch(&self) -> impl Stream<Item = Result<Event<Change>, Box<dyn Error>>> + 'static {
        stream::unfold(self.changes.subscribe(), async |mut changes| match changes.recv().await {
            Ok(change) => Some((Ok(Event::new(change)), changes)),
            Err(broadcast::error::RecvError::Closed) => None,
            Err(error) => Some((Err(error.into()), changes)),
        })
    }
}

/// Sends the remarks of a client to all clients, and the remarks of all clients to this client.
async fn discuss(
    documents: &Documents,
    mut remarks: broadcast::Receiver<Remark>,
    mut socket: WebSocket<NewRemark, Remark>,
) -> Result<()> {
    loop {
        tokio::select! {
            remark = socket.receive() => {
                let Some(NewRemark { text }) = remark else { return Ok(()) };
                let number = 1 + documents.last_remark.fetch_add(1, Ordering::Relaxed);
                // This client receives it too, so sending does not fail.
                let _ = documents.remarks.send(Remark { number, text });
            }
            remark = remarks.recv() => match remark {
                Ok(remark) => socket.send(&remark).await?,
                Err(_) => {
                    socket.close(4000, "the client is too slow");
                    return Ok(());
                }
            },
        }
    }
}

fn missing(id: u32) -> Problem {
    Problem::not_found(format!("There is no document {id}."))
}

/// Returns the application. The files of documents are in `folder`, which must exist.
///
/// # Errors
/// Returns all errors in the declaration.
pub fn api(folder: PathBuf) -> Result<Api, BuildErrors> {
    let ((changes, _), (remarks, _)) = (broadcast::channel(BACKLOG), broadcast::channel(BACKLOG));
    let (last_id, last_remark) = (AtomicU32::new(0), AtomicU32::new(0));
    let documents = Arc::new(Documents { folder, entries: Mutex::default(), last_id, changes, last_remark, remarks });

    let shared = documents.clone();
    let create = Route::post("/documents").id("createDocument").summary("Create a document with a file");
    let create = create.body_limit(21_000_000).handler(async move |request: CreateDocument| {
        let document = shared.create(request.form).await?;
        let location = Location::to("downloadDocument").with("id", document.id);
        Ok(Created::at(location, document))
    });
    let shared = documents.clone();
    let list = Route::get("/documents")
        .id("listDocuments")
        .summary("List the documents")
        .description("Returns all documents in the order of their numbers.");
    let list = list.handler(async move |()| Ok(Data(shared.entries().values().cloned().collect::<Vec<_>>())));
    let shared = documents.clone();
    let download = Route::get("/documents/{id}/file").id("downloadDocument").summary("Download the file of a document");
    let download = download.description("Browsers save the file under the name that it had on the client.");
    let download = download.handler(async move |request: OneDocument| shared.download(request.id).await);
    let shared = documents.clone();
    let delete = Route::delete("/documents/{id}").id("deleteDocument").summary("Delete a document with its file");
    let delete = delete.description("Deletes the document and its file.");
    let delete = delete.handler(async move |request: OneDocument| shared.delete(request.id));
    let shared = documents.clone();
    let talk = Route::get("/discussion").id("discussDocuments").summary("Discuss the documents");
    let talk = talk.description("A WebSocket. Each remark of a client is sent to all clients.");
    let talk = talk.handler(async move |request: Discuss| {
        let shared = shared.clone();
        // Before the response, so the client receives each remark that follows the handshake.
        let remarks = shared.remarks.subscribe();
        Ok(request.upgrade.accept(async move |socket| discuss(&shared, remarks, socket).await))
    });
    let watch = Route::get("/changes").id("watchDocuments").summary("Watch the documents");
    let watch = watch.description("Sends an event for each document that is created or deleted.");
    let watch = watch.handler(async move |()| Ok(EventStream::new(documents.watch())));

    let page = StaticFiles::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("page"));
    let endpoints = Group::new("").public().tag(TagObject::new("Documents").description("Documents with files."));
    let endpoints = endpoints
        .controller(create)
        .controller(list)
        .controller(download)
        .controller(delete)
        .controller(watch)
        .controller(talk);
    let configuration = Configuration::new("files", env!("CARGO_PKG_VERSION"))
        .description("Documents with files, a feed of their changes, and a discussion.")
        .contact(ContactObject::new("The office").email("files@example.com"))
        .license(LicenseObject::spdx("CC0-1.0"));
    Api::builder(configuration)
        .group(endpoints)
        .group(Group::new("").public().module(page))
        .module(&Documentation::public())
        .build()
}
