//! An application with every kind of response.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use restwright::auth::{Authentication, Authenticator, Identity, Rejection};
use restwright::body::{RawBody, StreamingBody};
use restwright::http::HttpRequest;
use restwright::operation::SecurityScheme;
use restwright::prelude::*;
use restwright_testing::TestClient;
use serde::{Deserialize, Serialize};

pub(crate) fn client() -> TestClient {
    TestClient::new(api())
}

pub(crate) fn api() -> Api {
    let configuration = Configuration::new("notes", "1.0.0").authenticator("bearer", Tokens).max_concurrent(2);
    Api::builder(configuration)
        .group(
            Group::new("")
                .public()
                .controller(ListNotes)
                .controller(CreateNote)
                .controller(ViewNote)
                .controller(DeleteNote)
                .controller(Slow)
                .controller(Panics)
                .controller(Upload)
                .controller(Download),
        )
        .controller(Private)
        .build()
        .unwrap()
}

#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
pub(crate) struct Note {
    #[property(min_length = 1, max_length = 20)]
    pub(crate) text: String,
    #[property(minimum = 0, maximum = 9)]
    pub(crate) rank: i32,
}

#[derive(Request)]
struct Nothing;

#[derive(Request)]
struct ListRequest {
    #[query]
    #[property(minimum = 1)]
    page: Option<u32>,
    #[header("X-Mood")]
    #[property(max_length = 5)]
    mood: Option<String>,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Notes {
    notes: Vec<Note>,
}

struct ListNotes;

impl Controller for ListNotes {
    type Request = ListRequest;
    type Response = Notes;

    fn route(&self) -> Route {
        Route::get("/notes")
    }

    async fn handle(&self, request: ListRequest) -> Result<Notes> {
        let text = request.mood.unwrap_or_else(|| "first".to_owned());
        let rank = i32::from(request.page.is_some());
        Ok(Notes { notes: vec![Note { text, rank }] })
    }
}

#[derive(Request)]
struct CreateRequest {
    #[body]
    note: Note,
}

#[derive(Response)]
#[response(status = 201)]
struct Created {
    #[header("Location")]
    location: String,
    #[body]
    note: Note,
}

struct CreateNote;

impl Controller for CreateNote {
    type Request = CreateRequest;
    type Response = Created;

    fn route(&self) -> Route {
        Route::post("/notes").body_limit(60)
    }

    async fn handle(&self, request: CreateRequest) -> Result<Created> {
        Ok(Created { location: "/notes/7".to_owned(), note: request.note })
    }
}

#[derive(Debug, Problem)]
enum NoteError {
    /// No note has this number.
    #[problem(status = 404, title = "Note not found", detail = "There is no note {id}.")]
    NoteNotFound { id: u32 },
}

#[derive(Request)]
struct OneNote {
    #[segment]
    #[property(minimum = 1)]
    id: u32,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct OneNoteResponse {
    note: Note,
}

struct ViewNote;

impl Controller for ViewNote {
    type Request = OneNote;
    type Response = OneNoteResponse;

    fn route(&self) -> Route {
        Route::get("/notes/{id}").problems::<NoteError>()
    }

    async fn handle(&self, request: OneNote) -> Result<OneNoteResponse> {
        if request.id != 7 {
            return Err(NoteError::NoteNotFound { id: request.id }.into());
        }
        Ok(OneNoteResponse { note: Note { text: "seventh".to_owned(), rank: 7 } })
    }
}

#[derive(Response)]
#[response(status = 204)]
struct Deleted;

struct DeleteNote;

impl Controller for DeleteNote {
    type Request = OneNote;
    type Response = Deleted;

    fn route(&self) -> Route {
        Route::delete("/notes/{id}")
    }

    async fn handle(&self, _: OneNote) -> Result<Deleted> {
        Ok(Deleted)
    }
}

struct Slow;

impl Controller for Slow {
    type Request = Nothing;
    type Response = Deleted;

    fn route(&self) -> Route {
        Route::get("/slow").deadline(Duration::from_millis(20))
    }

    async fn handle(&self, _: Nothing) -> Result<Deleted> {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(Deleted)
    }
}

struct Panics;

impl Controller for Panics {
    type Request = Nothing;
    type Response = Deleted;

    fn route(&self) -> Route {
        Route::get("/panics")
    }

    async fn handle(&self, _: Nothing) -> Result<Deleted> {
        panic!("as it is meant to")
    }
}

#[derive(Request)]
struct UploadRequest {
    #[body]
    bytes: RawBody,
}

#[derive(Response)]
#[response(status = 200)]
struct Echo {
    #[body]
    bytes: RawBody,
}

struct Upload;

impl Controller for Upload {
    type Request = UploadRequest;
    type Response = Echo;

    fn route(&self) -> Route {
        Route::put("/upload")
    }

    async fn handle(&self, request: UploadRequest) -> Result<Echo> {
        Ok(Echo { bytes: request.bytes })
    }
}

#[derive(Request)]
struct DownloadRequest {
    #[query]
    broken: bool,
}

#[derive(Response)]
#[response(status = 200)]
struct Pieces {
    #[body]
    pieces: StreamingBody,
}

struct Download;

impl Controller for Download {
    type Request = DownloadRequest;
    type Response = Pieces;

    fn route(&self) -> Route {
        Route::get("/download")
    }

    async fn handle(&self, request: DownloadRequest) -> Result<Pieces> {
        let mut pieces: Vec<Result<bytes::Bytes, Box<dyn Error>>> = vec![Ok("one ".into()), Ok("two".into())];
        if request.broken {
            pieces.insert(1, Err("the disk is gone".into()));
        }
        Ok(Pieces { pieces: StreamingBody::new(Each::new(pieces)) })
    }
}

/// A stream of pieces that are there already.
pub(crate) struct Each<T>(std::vec::IntoIter<T>);

impl<T> Each<T> {
    pub(crate) fn new(pieces: impl IntoIterator<Item = T>) -> Self {
        Self(pieces.into_iter().collect::<Vec<_>>().into_iter())
    }
}

impl<T: Unpin> futures_core::Stream for Each<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<T>> {
        Poll::Ready(self.0.next())
    }
}

struct Private;

impl Controller for Private {
    type Request = Nothing;
    type Response = Deleted;

    fn route(&self) -> Route {
        Route::get("/private").authorize("bearer", ["secrets"])
    }

    async fn handle(&self, _: Nothing) -> Result<Deleted> {
        Ok(Deleted)
    }
}

/// A token is the caller's scope; `wrong` is refused, and with `down` the provider is.
struct Tokens;

impl Authenticator for Tokens {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("bearer")
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&restwright::http::header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")) {
            None => Authentication::NoCredentials,
            Some("wrong") => Authentication::Rejected(Rejection::new("wrong")),
            Some("down") => Authentication::Unavailable { reason: "down".to_owned(), retry_after: 3 },
            Some(scope) => Authentication::Identity(Identity::builder("caller").scopes([scope]).build()),
        }
    }
}
