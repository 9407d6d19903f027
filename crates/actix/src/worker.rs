//! The services of each worker thread.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_http::error::DispatchError;
use actix_http::{ConnectionType, HttpService, KeepAlive, Request, Response, StatusCode, header};
use actix_server::GracefulShutdownSignal;
use actix_service::boxed::{self, BoxServiceFactory};
use actix_service::{ServiceFactory, ServiceFactoryExt, fn_service};
use http::Method;
use restwright_runtime::{Api, Worker};

use crate::connection::{Connection, Connections, Socket};
use crate::connection_state::ConnectionState;
use crate::exchange::{Exchange, PipelineResponse};
use crate::expect::{Paused, expect};
use crate::host::HostSettings;
use crate::host_field;
use crate::http_compat;
use crate::message_framing::{Framing, Message};
use crate::request::RequestHead;
use crate::response::{Body, translate};
use crate::watchdog::{LINGER, Watchdog};

/// Serves the connections of one worker thread.
pub(crate) fn connections<Io: Socket>(
    api: &Api,
    settings: HostSettings,
    open: &Arc<Connections>,
    signal: &GracefulShutdownSignal,
) -> impl ServiceFactory<Io, Config = (), Response = (), Error = DispatchError, InitError = ()> + use<Io> {
    let watchdog = Watchdog::of_worker(&settings);
    close_when(signal.clone(), &watchdog);
    let open = open.clone();
    let connect = fn_service(move |stream: Io| {
        let (watchdog, open) = (watchdog.clone(), open.clone());
        async move {
            let (place, state) = watchdog.admit().await;
            let address = stream.address();
            Ok((Connection::new(Box::new(stream), place, state, open), address))
        }
    });
    // actix-server keeps the place of a future twice.
    boxed::factory(connect.and_then(http(api, settings)))
}

/// Serves connections, whatever their sockets are.
fn http(
    api: &Api,
    settings: HostSettings,
) -> BoxServiceFactory<(), (Connection, Option<SocketAddr>), (), DispatchError, ()> {
    let worker = Rc::new(api.worker());
    let expecting = worker.clone();
    // actix-http calls `on_connect_ext` for a connection, and then takes its shutdown signal.
    let newest: Rc<Cell<Option<Rc<ConnectionState>>>> = Rc::default();
    let connected = newest.clone();
    let http = HttpService::build()
        // The watchdog closes idle connections, without a timer for each request.
        .keep_alive(if settings.keep_alive.is_zero() { KeepAlive::Disabled } else { KeepAlive::Os })
        .client_request_timeout(settings.head_timeout)
        .client_disconnect_timeout(LINGER)
        .on_connect_ext(move |connection: &Connection, data| {
            connected.set(Some(connection.state().clone()));
            data.insert(connection.state().clone());
        })
        .graceful_shutdown_signal(move || Closing(newest.take()))
        .expect(fn_service(move |request| expect(expecting.clone(), request)))
        .h1(fn_service(move |request| handle(worker.clone(), request)));
    boxed::factory(http)
}

/// Handles a request.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn keeps its arguments twice, and actix-http moves this future for each request"
)]
pub(crate) fn handle(
    worker: Rc<Worker>,
    mut request: Request,
) -> impl Future<Output = Result<Response<Body>, Infallible>> {
    async move {
        let Some(state) = request.conn_data::<Rc<ConnectionState>>().cloned() else {
            return Ok(Paused::resume(&request).await);
        };
        // The scanner has checked the host of a plain head.
        if state.message() == Message::Arrived(None) && has_invalid_host(&request) {
            return Ok(refusal(StatusCode::BAD_REQUEST));
        }
        let version = request.version();
        let method = http_compat::method(request.method());
        let head_only = method == Method::HEAD;
        let payload = request.take_payload();
        let framing = Framing::from_headers(&payload, &request.head().headers);
        // As long as actix-http reads heads and bodies as the scanner does, each has arrived. Nobody gets a request past another.
        let Some(exchange) = Exchange::begin(state, framing) else {
            tracing::error!("a request was read otherwise than it arrived; the connection closes");
            return Ok(refusal(StatusCode::INTERNAL_SERVER_ERROR));
        };
        let (mut request, mut unread) = exchange.receive(method, RequestHead(request), payload, framing);
        exchange.body_read().await;
        let response = worker.handle(&mut request).await;
        if let Some(rest) = exchange.take_unread(&mut request) {
            unread = exchange.discard(rest, response.status()).await;
        }
        let closes = exchange.closes();
        let response = PipelineResponse { response, head_only, unread, closes };
        Ok(translate(response, version, Some(exchange)))
    }
}

fn has_invalid_host(request: &Request) -> bool {
    request.head().headers.get(header::HOST).is_some_and(|host| !host_field::is_valid(host.as_bytes()))
}

/// Returns the response to a request that is not handled. The connection closes.
fn refusal(status: StatusCode) -> Response<Body> {
    let mut response = Response::with_body(status, Body::none());
    response.head_mut().set_connection_type(ConnectionType::Close);
    response
}

/// Closes the connections of this worker when the server stops.
fn close_when(signal: GracefulShutdownSignal, watchdog: &Rc<Watchdog>) {
    let watchdog = Rc::downgrade(watchdog);
    tokio::task::spawn_local(async move {
        signal.notified().await;
        if let Some(watchdog) = watchdog.upgrade() {
            watchdog.close_all();
        }
    });
}

/// Completes when a connection is to be closed. actix-http then closes it at once if it is idle, or after the response.
struct Closing(Option<Rc<ConnectionState>>);

impl Future for Closing {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(state) = &self.0 else { return Poll::Pending };
        state.register_connection(context);
        if state.is_closing() { Poll::Ready(()) } else { Poll::Pending }
    }
}
