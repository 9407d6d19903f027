//! An Api with a route for each kind of request.

use restwright::auth::Access;
use restwright::body::{Bytes, RawBody, StreamedBody, StreamingBody};
use restwright::core::{Middleware, Next};
use restwright::http::{HttpRequest, HttpResponse, Payload};
use restwright::list::{ListSlice, Page};
use restwright::prelude::*;
use restwright::production::Compression;
use restwright::resource::{Endpoints, HookContext, Hooks, MemoryStore};
use serde::{Deserialize, Serialize};

use super::work::{self, Counted, Counts, Word};

/// The body limit of JSON, in bytes.
pub(super) const BODY_LIMIT: usize = 1024 * 1024;
/// The size of an item of the list, in bytes.
pub(super) const LINE: usize = 10_000;

#[derive(Request)]
struct Words {
    #[body]
    words: Vec<Word>,
}

#[derive(Request)]
struct Strings {
    #[body]
    words: Vec<String>,
}

#[derive(Request)]
struct Upload {
    #[body]
    body: StreamedBody,
}

#[derive(Request)]
struct Lines {
    page: Page,
}

#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Text(#[body] RawBody);

#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct TextStream(#[body] StreamingBody);

/// A note, of which several are created together.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(max_length = 9)]
    text: String,
}

/// Counts the bytes of a body as the readers of the operation read them.
struct CountBody;

impl Middleware for CountBody {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        work::count_received(request.body_mut().received());
        let response = next.run(request).await;
        work::add_received();
        Ok(response)
    }
}

/// Counts the pieces of a response as they are sent.
struct CountResponse;

impl Middleware for CountResponse {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut response = next.run(request).await;
        let is_counted = request.path().starts_with("/letters");
        match response.take_payload() {
            Payload::Stream(pieces) if is_counted => response.set_payload(Payload::stream(Counted(pieces))),
            payload => response.set_payload(payload),
        }
        Ok(response)
    }
}

/// Counts the entities of a batch.
struct CountNotes;

impl Hooks<Note> for CountNotes {
    async fn after_create(&self, _: &mut HookContext<'_>, _: &Note) -> Result<()> {
        work::add(1);
        Ok(())
    }
}

/// Text that compression makes little smaller.
pub(super) fn letters(size: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b'!' + u8::try_from(state >> 58).unwrap_or_default()
    };
    (0..size).map(|_| next()).collect()
}

async fn upload(Upload { body: StreamedBody(mut body) }: Upload) -> Result<NoContent> {
    while let Some(piece) = body.next().await {
        work::add(piece?.len());
    }
    Ok(NoContent)
}

pub(super) fn api() -> Api {
    let get = |path: &str| Route::get(path).id(path).public();
    let post = |path: &str| Route::post(path).id(path).public();
    let letters = || letters(4 * 1024 * 1024);
    let lines: Vec<_> = (0..1000).map(|_| Word("x".repeat(LINE))).collect();
    Api::builder(Configuration::new("turns", "1.0.0").body_limit(BODY_LIMIT))
        .middleware(CountResponse)
        .middleware(Compression::new())
        .controller(get("/turns").handler(async |()| -> Result<Data<Counts>> { Ok(Data(work::count_turns().await)) }))
        .controller(post("/begin").handler(async |()| {
            work::begin().await;
            Ok(NoContent)
        }))
        .controller(post("/end").handler(async |()| {
            work::end();
            Ok(NoContent)
        }))
        .controller(post("/words").handler(async |words: Words| Ok(Data(words.words.len()))))
        .controller(
            post("/words/pieces").middleware(CountBody).handler(async |sent: Strings| Ok(Data(sent.words.len()))),
        )
        .controller(post("/uploads").body_limit(64 * 1024 * 1024).handler(upload))
        .controller(get("/lines").handler(async move |Lines { page }: Lines| {
            let items = lines.clone().into_iter().skip(usize::try_from(page.offset()).unwrap_or(usize::MAX));
            Ok(page.respond(ListSlice::new(&page, items).counted(1000)))
        }))
        .controller(get("/letters").handler(async move |()| Ok(Text(RawBody(letters().into())))))
        .controller(get("/letters/stream").handler(async move |()| {
            let piece: std::result::Result<Bytes, Box<dyn std::error::Error>> = Ok(letters().into());
            Ok(TextStream(StreamingBody::new(futures_util::stream::iter([piece]))))
        }))
        .module(&Endpoints::<Note>::new(MemoryStore::new(), Access::public()).batch().hooks(CountNotes))
        .build()
        .unwrap()
}
