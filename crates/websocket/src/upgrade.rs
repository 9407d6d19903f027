//! Defines [`WebSocketUpgrade`], the part of a request that accepts a WebSocket connection.

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use http::{HeaderValue, Method};
use restwright_core::http::Upgrade;
use restwright_core::operation::{MessagesObject, Operation, SchemaUse};
use restwright_core::problem::{RequestViolations, catalogue};
use restwright_core::schema::{CompiledSchema, Schema, SchemaSide, typed_schema};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Result, StopSignal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tracing::{Instrument, Span};

use crate::connection::WebSocketConnection;
use crate::driver;
use crate::handshake::accept_key;
use crate::message_rate::MessageRate;
use crate::response::WebSocketResponse;
use crate::websocket::WebSocket;

/// A part of a request that accepts a WebSocket connection (RFC 6455). The client sends messages of type `I`, and the
/// server sends messages of type `O`, both as JSON. A union of several messages is an enum.
///
/// A request that is no handshake gets a 426, before the handler runs. The handler can still respond with a problem,
/// such as a 404, before it [accepts](Self::accept) the connection. Access, rate limits, middlewares and the request log
/// apply to the handshake as to any request. The log line is written when the connection ends.
///
/// Browsers send `Origin` with a handshake. Pages with the origin of the Api may connect, and pages of the origins that
/// the CORS middleware allows. Other pages get a 403. A proxy must forward `Host`, because it is compared with `Origin`.
///
/// A message is at most as long as a body ([`Route::body_limit`](restwright_core::Route::body_limit), 1 MiB by default), and must be complete within 60
/// seconds. [`MessageRate`] limits the number of messages. The connection closes with one of these codes:
///
/// | code | reason |
/// |---|---|
/// | 1000 | the handler has returned `Ok` |
/// | 1001 | the server begins to stop, or the connection has reached [`max_stream_age`](restwright_core::Configuration::max_stream_age); the handler has 10 seconds to end |
/// | 1002 | the client has sent a frame that the protocol does not allow |
/// | 1003 | the client has sent a binary message instead of JSON |
/// | 1007 | a text is not UTF-8, or a message does not match the schema; the reason is the first violation |
/// | 1008 | the handler has returned a problem with a 4xx status, whose code is the reason; or a message was too slow; or the [credentials of the client](restwright_core::auth::Identity::expires_at) have expired |
/// | 1009 | a message is too long |
/// | 1011 | the handler has returned another problem or has panicked; the cause is in the log |
///
/// ```
/// use restwright_core::schema::{Schema, SchemaObject};
/// use restwright_core::Route;
/// use restwright_websocket::WebSocketUpgrade;
///
/// async fn echo(upgrade: WebSocketUpgrade<String, String>) -> restwright_websocket::WebSocketResponse {
///     upgrade.accept(async |mut socket| {
///         while let Some(text) = socket.receive().await {
///             socket.send(&text).await?;
///         }
///         Ok(())
///     })
/// }
/// ```
pub struct WebSocketUpgrade<I, O> {
    accept: HeaderValue,
    plan: WebSocketPlan,
    message_limit: usize,
    messages: PhantomData<fn(I) -> O>,
}

/// The schemas of the messages of a route, and its limits.
#[derive(Debug, Clone)]
pub struct WebSocketPlan {
    schema: CompiledSchema,
    rate: MessageRate,
    stop: StopSignal,
}

impl<I: Schema + DeserializeOwned + 'static, O: Serialize + 'static> WebSocketUpgrade<I, O> {
    /// Accepts the connection, and runs `handler` with it after the response is sent. The connection is closed when the
    /// handler ends.
    ///
    /// The handler receives `None` and its sends fail after the connection is closed, so it can clean up. It is dropped
    /// 10 seconds later.
    #[must_use]
    pub fn accept(self, handler: impl AsyncFnOnce(WebSocket<I, O>) -> Result<()> + 'static) -> WebSocketResponse {
        let Self { accept, plan, message_limit, .. } = self;
        let span = Span::current();
        let upgrade = Upgrade::new(move |stream| {
            let WebSocketPlan { schema, rate, stop } = plan;
            let connection = async move {
                let connection = Rc::new(WebSocketConnection::new(stream, message_limit, rate).await);
                let socket = WebSocket::new(connection.clone(), schema);
                driver::run(connection, Box::pin(async move { handler(socket).await }), stop).await;
            };
            connection.instrument(span)
        });
        WebSocketResponse::new(accept, upgrade)
    }
}

impl<I: Schema + DeserializeOwned, O: Schema + Serialize> Part for WebSocketUpgrade<I, O> {
    type Plan = WebSocketPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<WebSocketPlan, BuildErrors> {
        let receives = SchemaUse::input(typed_schema::<I>(context.registry()));
        let sends = SchemaUse::output(typed_schema::<O>(context.registry()));
        plan(receives, sends, context)
    }

    fn describe(_: &WebSocketPlan, operation: &mut Operation) {
        for kind in [catalogue::UPGRADE_REQUIRED, catalogue::MALFORMED_REQUEST, catalogue::ORIGIN_NOT_ALLOWED] {
            operation.add_problem(kind);
        }
    }

    fn read(plan: &WebSocketPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let request = head.request();
        match accept_key(request) {
            Ok(accept) => {
                let (plan, message_limit) = (plan.clone(), request.body_limit());
                Some(Self { accept, plan, message_limit, messages: PhantomData })
            }
            Err(problem) => violations.reject(problem),
        }
    }
}

fn plan(receives: SchemaUse, sends: SchemaUse, context: &mut BuildContext<'_>) -> Result<WebSocketPlan, BuildErrors> {
    let schema = context.registry().compile(&receives.schema, SchemaSide::Input, receives.mode);
    let rate: MessageRate = context.route().setting().copied().unwrap_or_default();
    let mut errors = BuildErrors::new();
    let operation = context.operation();
    if operation.method != Method::GET {
        errors.push(format!(
            "a WebSocket handshake is a `GET` request, but the route is `{}`; write `Route::get(..)`",
            operation.method
        ));
    }
    if rate.allows_nothing() {
        errors.push("`MessageRate` allows no message; allow at least 1 message");
    }
    operation.messages = Some(MessagesObject { receives, sends });
    errors.finish(Some(WebSocketPlan { schema, rate, stop: context.stop_signal() }))
}

impl<I, O> fmt::Debug for WebSocketUpgrade<I, O> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebSocketUpgrade").field("plan", &self.plan).finish_non_exhaustive()
    }
}
