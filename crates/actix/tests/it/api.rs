//! The Api that the tests serve: one endpoint for each thing that can happen.

use std::error::Error;
use std::future::{Future, pending, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use restwright_runtime::core::auth::{Authentication, Authenticator, Identity, Rejection};
use restwright_runtime::core::body::{RawBody, ReadBody, StreamedBody, StreamingBody, WriteBody};
use restwright_runtime::core::http::header::{AUTHORIZATION, HeaderValue, LOCATION};
use restwright_runtime::core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_runtime::core::operation::{Operation, ParameterLocation, SecurityScheme};
use restwright_runtime::core::runtime::Unwatched;
use restwright_runtime::core::{
    BuildContext, BuildErrors, Configuration, Controller, Input, Output, Reader, Request, Response, Result, Route,
};
use restwright_runtime::{Api, ApiBuilder};
use restwright_schema::{PropertyCollection, SchemaObject, int32, string};
use serde_json::{Value, json};

pub(crate) const BODY_LIMIT: usize = 100_000;
pub(crate) const BODY_MEMORY: usize = 4 * BODY_LIMIT;
pub(crate) const MAX_CONCURRENT: usize = 4;

pub(crate) fn api() -> Api {
    builder().build().unwrap()
}

pub(crate) fn builder() -> ApiBuilder {
    let configuration = Configuration::new("test", "1.0.0")
        .body_limit(BODY_LIMIT)
        .body_memory(BODY_MEMORY)
        .max_concurrent(MAX_CONCURRENT)
        .authenticator("token", Token);
    Api::builder(configuration)
        .controller(on("health", status(get("/health")), async |_: Input| ok("ok")))
        .controller(on("live", status(get("/live")).with(Unwatched), async |_: Input| ok("live")))
        .controller(on("create", post("/pets").body(pet()).response(201, pet()), async |input: Input| {
            let pet: Value = input.into_body().into_value();
            let created = Output::new(StatusCode::CREATED, pet);
            Ok(created.header(LOCATION, HeaderValue::from_static("/pets/1")))
        }))
        .controller(on(
            "view",
            status(get("/pets/{id}"))
                .parameter(ParameterLocation::Path, int32("id").minimum(1))
                .parameter(ParameterLocation::Query, int32("limit").maximum(9).optional())
                .parameter(ParameterLocation::Header, int32("X-Depth").optional()),
            async |_: Input| ok("viewed"),
        ))
        .controller(on(
            "remove",
            Route::delete("/pets/{id}").public().parameter(ParameterLocation::Path, int32("id")).empty_response(204),
            async |_: Input| Ok(Output::new(StatusCode::NO_CONTENT, Value::Null)),
        ))
        .controller(on("files", status(get("/files/{name}")).parameter(ParameterLocation::Path, string("name")), {
            async |_: Input| ok("file")
        }))
        .controller(on("tree", status(get("/tree/{*path}")).parameter(ParameterLocation::Path, string("path")), tail))
        .controller(on(
            "hiddenTree",
            status(Route::get("/tree/private/{name}").authorize("token", ["read"]))
                .parameter(ParameterLocation::Path, string("name")),
            async |_: Input| ok("private"),
        ))
        .controller(on(
            "objects",
            status(get("/objects/{*path}")).any_tail().parameter(ParameterLocation::Path, string("path")),
            tail,
        ))
        .controller(on("echo", post("/echo"), async |Only(body): Only<RawBody>| Ok(Only(body))))
        .controller(on("count", status(post("/count")), count))
        .controller(on("relay", post("/relay"), async |Only(body): Only<StreamedBody>| Ok(Only(relay(body)))))
        .controller(on("inspect", post("/inspect"), async |Only(body): Only<StreamedBody>| Ok(Only(inspect(body)))))
        .controller(on("stream", get("/stream"), async |_: Input| Ok(Only(numbers(3, false)))))
        .controller(on("broken", get("/broken"), async |_: Input| Ok(Only(numbers(3, true)))))
        .controller(on("endless", get("/endless"), async |_: Input| Ok(Only(endless()))))
        .controller(on("events", get("/events"), async |_: Input| Ok(Only(events().until_stop()))))
        .controller(on("large", get("/large"), async |_: Input| Ok(Only(large()))))
        .controller(on("panics", get("/panics"), async |_: Input| Ok(Only(panics()))))
        .controller(on("abandoned", status(get("/abandoned")), async |_: Input| {
            let _abandoned = Abandoned;
            pending::<Result<Output>>().await
        }))
        .controller(on("pending", status(get("/pending")), async |_: Input| pending::<Result<Output>>().await))
        .controller(on("keep", status(post("/keep")), keep))
        .controller(on("private", status(Route::get("/private").authorize("token", ["read"])), async |_: Input| {
            ok("private")
        }))
        .controller(on("guarded", status(Route::post("/guarded").authorize("token", ["read"])), async |_: Input| {
            ok("private")
        }))
        .controller(on("panic", status(get("/panic")), async |_: Input| -> Result<Output> { panic!("the internals") }))
        .controller(on("slow", status(get("/slow")), async |_: Input| {
            tokio::time::sleep(Duration::from_millis(400)).await;
            ok("slow")
        }))
        .controller(on("slower", status(get("/slower")), async |_: Input| {
            tokio::time::sleep(Duration::from_millis(2_500)).await;
            ok("slower")
        }))
        .controller(on("hang", status(get("/hang").deadline(Duration::from_millis(100))), async |_: Input| {
            pending::<Result<Output>>().await
        }))
}

pub(crate) fn get(path: &str) -> Route {
    Route::get(path).public()
}

fn post(path: &str) -> Route {
    Route::post(path).public()
}

fn pet() -> PropertyCollection {
    PropertyCollection::new("Pet")
        .property(string("name").min_length(1).max_length(5))
        .property(int32("age").minimum(0).optional())
}

pub(crate) fn status(route: Route) -> Route {
    route.response(200, SchemaObject::object(PropertyCollection::new("Status").property(string("status"))))
}

pub(crate) fn ok(text: &str) -> Result<Output> {
    Ok(Output::new(StatusCode::OK, json!({"status": text})))
}

/// Responds with the tail of the path.
async fn tail(input: Input) -> Result<Output> {
    ok(&input.parameters().get::<String>("path")?)
}

/// Reads a body piece by piece and says how long it was.
async fn count(Only(StreamedBody(mut body)): Only<StreamedBody>) -> Result<Output> {
    let mut length = 0;
    while let Some(piece) = body.next().await {
        length += piece?.len();
    }
    ok(&length.to_string())
}

/// Sends a body back while it comes.
fn relay(body: StreamedBody) -> StreamingBody {
    StreamingBody::new(pieces(body))
}

fn pieces(
    StreamedBody(mut body): StreamedBody,
) -> impl futures_core::Stream<Item = std::result::Result<Bytes, Box<dyn Error>>> + Unpin {
    Pieces(move |context: &mut std::task::Context<'_>| {
        let next = std::pin::pin!(body.next()).poll(context);
        next.map(|piece| piece.map(|piece| piece.map_err(|error| format!("{error:?}").into())))
    })
}

/// Sends the first piece of a body back, and leaves the rest unread.
fn inspect(body: StreamedBody) -> StreamingBody {
    let mut rest = Some(pieces(body));
    StreamingBody::new(Pieces(move |context: &mut std::task::Context<'_>| {
        let Some(body) = &mut rest else { return Poll::Ready(None) };
        let first = futures_core::Stream::poll_next(Pin::new(body), context);
        if first.is_ready() {
            rest = None;
        }
        first
    }))
}

/// One piece, and then nothing.
fn events() -> StreamingBody {
    let mut first = Some(Ok(Bytes::from("data: 1\n\n")));
    StreamingBody::new(Pieces(move |_: &mut std::task::Context<'_>| match first.take() {
        Some(event) => Poll::Ready(Some(event)),
        None => Poll::Pending,
    }))
}

/// `0`, `1`, .. in separate pieces, and some time after them an error or not.
fn numbers(count: usize, breaks: bool) -> StreamingBody {
    let mut next = 0;
    let mut pause = Box::pin(tokio::time::sleep(Duration::from_millis(50)));
    StreamingBody::new(Pieces(move |context: &mut std::task::Context<'_>| {
        if next == count {
            let error: Box<dyn Error> = "broken".into();
            return pause.as_mut().poll(context).map(|()| breaks.then_some(Err(error)));
        }
        next += 1;
        Poll::Ready(Some(Ok(Bytes::from((next - 1).to_string()))))
    }))
}

fn endless() -> StreamingBody {
    StreamingBody::new(Pieces(|_: &mut std::task::Context<'_>| Poll::Ready(Some(Ok(Bytes::from(vec![b'x'; 1_000]))))))
}

pub(crate) const LARGE_PIECES: usize = 512;
pub(crate) const LARGE_PIECE: usize = 64 * 1024;
/// The pieces of large bodies that were asked for.
pub(crate) static LARGE_PRODUCED: AtomicUsize = AtomicUsize::new(0);

fn large() -> StreamingBody {
    let mut left = LARGE_PIECES;
    StreamingBody::new(Pieces(move |_: &mut std::task::Context<'_>| {
        let Some(rest) = left.checked_sub(1) else { return Poll::Ready(None) };
        left = rest;
        LARGE_PRODUCED.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Bytes::from(vec![b'x'; LARGE_PIECE]))))
    }))
}

/// A piece, and then a panic.
fn panics() -> StreamingBody {
    let mut first = Some(Ok(Bytes::from("a")));
    StreamingBody::new(Pieces(move |_: &mut std::task::Context<'_>| match first.take() {
        Some(piece) => Poll::Ready(Some(piece)),
        None => panic!("the internals"),
    }))
}

/// The requests to `/abandoned` that were given up.
pub(crate) static ABANDONED: AtomicUsize = AtomicUsize::new(0);

struct Abandoned;

impl Drop for Abandoned {
    fn drop(&mut self) {
        ABANDONED.fetch_add(1, Ordering::Relaxed);
    }
}

/// The bytes that were read of bodies behind their responses.
pub(crate) static READ_LATE: AtomicUsize = AtomicUsize::new(0);

/// Responds at once, and reads the body in a separate task.
async fn keep(Only(StreamedBody(mut body)): Only<StreamedBody>) -> Result<Output> {
    tokio::task::spawn_local(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        while let Some(Ok(piece)) = body.next().await {
            READ_LATE.fetch_add(piece.len(), Ordering::Relaxed);
        }
        pending::<()>().await;
    });
    ok("kept")
}

struct Pieces<F>(F);

impl<F: FnMut(&mut std::task::Context<'_>) -> Poll<Option<std::result::Result<Bytes, Box<dyn Error>>>> + Unpin>
    futures_core::Stream for Pieces<F>
{
    type Item = std::result::Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<Option<Self::Item>> {
        (self.0)(context)
    }
}

/// `Authorization: read`, `none` (no scopes), `down`; anything else is rejected.
struct Token;

impl Authenticator for Token {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("bearer")
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        poll_fn(|_| Poll::Ready(())).await;
        match request.header(&AUTHORIZATION) {
            None => Authentication::NoCredentials,
            Some("read") => Authentication::Identity(Identity::builder("ann").scopes(["read"]).build()),
            Some("none") => Authentication::Identity(Identity::builder("ann").build()),
            Some("down") => Authentication::Unavailable { reason: "down".into(), retry_after: 7 },
            Some(_) => Authentication::Rejected(Rejection::new("unknown")),
        }
    }
}

/// A controller made of a route and a function.
struct On<Q, F, A> {
    route: Route,
    run: F,
    types: PhantomData<fn(Q) -> A>,
}

pub(crate) fn on<Q, F, A>(id: &str, route: Route, run: F) -> impl Controller
where
    Q: Request,
    A: HandlerResult,
    F: AsyncFn(Q) -> A + Send + Sync + 'static,
{
    On { route: route.id(id), run, types: PhantomData }
}

/// The result of a handler.
pub(crate) trait HandlerResult: 'static {
    type Response: Response;
    fn into_result(self) -> Result<Self::Response>;
}

impl<A: Response> HandlerResult for Result<A> {
    type Response = A;
    fn into_result(self) -> Result<A> {
        self
    }
}

impl<Q: Request, F: AsyncFn(Q) -> A + Send + Sync + 'static, A: HandlerResult> Controller for On<Q, F, A> {
    type Request = Q;
    type Response = A::Response;

    fn route(&self) -> Route {
        self.route.clone()
    }

    async fn handle(&self, request: Q) -> Result<A::Response> {
        (self.run)(request).await.into_result()
    }
}

/// A request or a response that is nothing but its body.
pub(crate) struct Only<B>(pub(crate) B);

impl<B: ReadBody + 'static> Request for Only<B> {
    type Plan = B::Plan;

    fn plan(context: &mut BuildContext<'_>) -> std::result::Result<B::Plan, BuildErrors> {
        B::plan(context)
    }

    fn describe(plan: &B::Plan, operation: &mut Operation) {
        B::describe(plan, operation);
    }

    async fn read(plan: &B::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.body::<B>(plan).await?.map(Self))
    }
}

impl<B: WriteBody + 'static> Response for Only<B> {
    type Plan = B::Plan;

    fn plan(context: &mut BuildContext<'_>) -> std::result::Result<B::Plan, BuildErrors> {
        B::plan(context)
    }

    fn describe(plan: &B::Plan, operation: &mut Operation) {
        B::describe(plan, operation.response(StatusCode::OK));
    }

    fn respond(self, plan: &B::Plan, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::OK);
        self.0.write(plan, &mut response)?;
        Ok(response)
    }
}
