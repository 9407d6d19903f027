//! Mounts an Api inside an actix-web `App`.

mod body;
mod response;
mod switched_body;

use std::cell::RefCell;
use std::fmt;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use actix_http::header::HeaderMap;
use actix_http::{Payload, Version};
use actix_service::{fn_factory, fn_service};
use actix_web::dev::{AppService, HttpServiceFactory, ResourceDef, ServiceRequest, ServiceResponse};
use actix_web::{Error, HttpMessage, HttpRequest};
use http::{HeaderName, Method};
use restwright_runtime::core::http::{BodyStream, HostRequest, HttpRequest as RestwrightRequest};
use restwright_runtime::{Api, Worker};

use crate::connection::{BodyDecoder, ConnectionState, Connections, Watchdog, each_header};
use crate::host_settings::HostSettings;
use crate::http_compat;
use body::{BodyReader, UnreadSlot};
use response::PipelineResponse;

/// Converts an Api into a service for an actix-web `App` or scope.
///
/// The service handles every path that no earlier service handles. Inside a scope, its routes start after the scope's
/// prefix. The server of the `App` controls keep-alive and shutdown. Body timeouts are the defaults of
/// [`serve`](crate::serve). The application starts and stops the components: call `api.start().await` before the server
/// runs and `api.stop().await` after it.
///
/// ```
/// use actix_web::{App, web};
/// use restwright_actix::service;
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
/// let app = App::new()
///     .route("/own", web::get().to(|| async { "a route of actix-web" }))
///     .service(web::scope("/api").service(service(api)));
/// # drop(app);
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[must_use]
pub fn service(api: Api) -> ApiService {
    ApiService { api }
}

/// An Api as a service for an actix-web `App` or scope. [`service`] creates it.
#[derive(Clone)]
pub struct ApiService {
    api: Api,
}

impl HttpServiceFactory for ApiService {
    fn register(self, config: &mut AppService) {
        let factory = fn_factory(move || {
            let mounted = Rc::new(Mounted::new(&self.api));
            std::future::ready(Ok(fn_service(move |request| handle(mounted.clone(), request))))
        });
        config.register_service(ResourceDef::prefix(""), None, factory, None);
    }
}

impl fmt::Debug for ApiService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ApiService").field("api", &self.api).finish()
    }
}

/// An Api that is mounted in actix-web, on one worker thread.
struct Mounted {
    worker: Worker,
    watchdog: Rc<Watchdog>,
    /// Connection states of completed requests, kept for reuse. Each request uses a separate state, because actix-web
    /// owns the connections.
    idle: RefCell<Vec<Rc<ConnectionState>>>,
}

impl Mounted {
    fn new(api: &Api) -> Self {
        // actix-web controls connections and keep-alive.
        let settings = HostSettings { keep_alive: Duration::MAX, ..HostSettings::default() };
        let watchdog = Watchdog::start(&settings, &Connections::new(api, settings));
        Self { worker: api.worker(), watchdog, idle: RefCell::default() }
    }

    fn take_state(&self) -> Rc<ConnectionState> {
        let state = self.idle.borrow_mut().pop().unwrap_or_else(|| {
            let state = Rc::new(ConnectionState::default());
            self.watchdog.watch(&state);
            state
        });
        state.begin();
        state
    }

    fn return_state(&self, state: Rc<ConnectionState>) {
        state.end(false);
        if !state.is_closing() && !state.is_timed_out() {
            self.idle.borrow_mut().push(state);
        }
    }
}

async fn handle(mounted: Rc<Mounted>, request: ServiceRequest) -> Result<ServiceResponse, Error> {
    let (request, payload) = request.into_parts();
    let method = http_compat::method(request.method());
    let head_only = method == Method::HEAD;
    let (body, reading, mut unread) = match announced(&payload, request.headers()) {
        Some(length) => {
            let reading = ReadableBody { state: mounted.take_state(), slot: UnreadSlot::default() };
            let body = BodyReader::new(payload, length, &reading.state, &reading.slot);
            (BodyStream::new(body), Some(reading), None)
        }
        // Without a body, the payload does not belong to the request. This happens after a CONNECT.
        None => (BodyStream::empty(), None, Some(payload).filter(|payload| !matches!(payload, Payload::None))),
    };
    let mut received = RestwrightRequest::new(method, MountedHead::new(request.clone()), body);
    let response = mounted.worker.handle(&mut received).await;
    let mut closes = false;
    if let Some(ReadableBody { state, slot }) = reading {
        drop(received.body_mut().take());
        if let Some(rest) = slot.take() {
            unread = rest.discard(&state, response.status()).await;
        }
        closes = state.is_closing();
        mounted.return_state(state);
    }
    let memory = mounted.worker.memory();
    let response = PipelineResponse { response, head_only, unread, closes }.translate(request.version(), memory);
    Ok(ServiceResponse::new(request, response))
}

/// A request body that the application may still read.
struct ReadableBody {
    state: Rc<ConnectionState>,
    slot: UnreadSlot,
}

/// Returns the declared length of a request body. `None` means no body, and `Some(None)` means a chunked body.
fn announced(payload: &Payload, headers: &HeaderMap) -> Option<Option<u64>> {
    if matches!(payload, Payload::None) {
        return None;
    }
    BodyDecoder::from_headers(headers).map(|body| body.left())
}

struct MountedHead {
    request: HttpRequest,
    /// The number of bytes at the start of the request path that belong to the prefix of the actix-web scope.
    skipped: usize,
}

impl MountedHead {
    fn new(request: HttpRequest) -> Self {
        let matched = request.match_info();
        let scope = matched.as_str().len().saturating_sub(matched.unprocessed().len());
        if scope == 0 {
            return Self { request, skipped: 0 };
        }
        // actix-web decodes its copy of the path, except for slashes.
        let segments = matched.as_str().bytes().take(scope).filter(|byte| *byte == b'/').count();
        let raw = request.uri().path();
        let skipped = if segments == 0 {
            0
        } else {
            raw.bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'/')
                .nth(segments)
                .map_or(raw.len(), |(place, _)| place)
        };
        Self { request, skipped }
    }
}

impl HostRequest for MountedHead {
    fn path(&self) -> &str {
        self.request.uri().path().get(self.skipped..).unwrap_or_default()
    }

    fn query(&self) -> Option<&str> {
        self.request.uri().query()
    }

    fn header(&self, name: &HeaderName) -> Option<&[u8]> {
        http_compat::find(HttpMessage::headers(&self.request), name)
    }

    fn each_value<'h>(&'h self, name: &HeaderName, visit: &mut dyn FnMut(&'h [u8])) {
        http_compat::each_value(HttpMessage::headers(&self.request), name, visit);
    }

    fn each_header<'h>(&'h self, visit: &mut dyn FnMut(&'h str, &'h [u8])) {
        each_header(HttpMessage::headers(&self.request), visit);
    }

    fn peer(&self) -> Option<SocketAddr> {
        self.request.peer_addr()
    }

    fn can_upgrade(&self) -> bool {
        self.request.version() == Version::HTTP_11
    }
}
