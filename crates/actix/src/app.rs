//! An Api inside an actix-web `App`.

use std::cell::RefCell;
use std::fmt;
use std::net::SocketAddr;
use std::rc::Rc;

use actix_http::body::BoxBody;
use actix_service::{fn_factory, fn_service};
use actix_web::dev::{AppService, HttpServiceFactory, ResourceDef, ServiceRequest, ServiceResponse};
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse};
use http::{HeaderName, Method};
use restwright_core::http::HostRequest;
use restwright_core::{Api, Worker};

use crate::connection_state::ConnectionState;
use crate::exchange::{Answer, Exchange};
use crate::host::Settings;
use crate::http_compat;
use crate::request::{Framing, each_header};
use crate::response::response;
use crate::watchdog::Watchdog;

/// An Api as a service of an actix-web `App` or scope, which answers every path that nothing registered before it
/// answers; inside a scope, its routes begin after the scope's prefix.
///
/// The `App`'s server decides on keep-alive and shutdown; bodies are watched as [`serve`](crate::serve) watches them by
/// default. Components are started and stopped by the application: `api.start().await` before the server runs,
/// `api.stop().await` after.
///
/// ```
/// use actix_web::{App, web};
/// use restwright_actix::service;
/// use restwright_core::{Api, Configuration};
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
/// let app = App::new()
///     .route("/own", web::get().to(|| async { "answered by actix-web" }))
///     .service(web::scope("/api").service(service(api)));
/// # drop(app);
/// # Ok::<(), restwright_core::BuildErrors>(())
/// ```
#[must_use]
pub fn service(api: Api) -> ApiService {
    ApiService { api }
}

/// An Api to be registered with an actix-web `App` or scope; made by [`service`].
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

/// The Api on one worker thread.
struct Mounted {
    worker: Worker,
    watchdog: Rc<Watchdog>,
    /// Peers between two requests. The connections are actix-web's, so that a peer is one request's here.
    idle: RefCell<Vec<Rc<ConnectionState>>>,
}

impl Mounted {
    fn new(api: &Api) -> Self {
        let watchdog = Watchdog::start(&Settings::default());
        Self { worker: api.worker(), watchdog, idle: RefCell::default() }
    }

    fn peer(&self) -> Rc<ConnectionState> {
        self.idle.borrow_mut().pop().unwrap_or_else(|| {
            let peer = Rc::new(ConnectionState::default());
            self.watchdog.watch(&peer);
            peer
        })
    }

    fn give_back(&self, peer: Rc<ConnectionState>) {
        if !peer.is_closing() && !peer.is_late() {
            self.idle.borrow_mut().push(peer);
        }
    }
}

async fn handle(mounted: Rc<Mounted>, request: ServiceRequest) -> Result<ServiceResponse, Error> {
    let (request, payload) = request.into_parts();
    let exchange = Exchange::begin(mounted.peer());
    let version = request.version();
    let method = http_compat::method(request.method());
    let head_only = method == Method::HEAD;
    let framing = Framing::of(&payload, request.headers());
    let head = MountedHead::new(request.clone());
    let (mut received, mut unread) = exchange.receive(method, head, payload, framing);
    let answer = mounted.worker.answer(&mut received).await;
    if let Some(rest) = exchange.take_unread(&mut received) {
        unread = exchange.discard(rest, answer.status()).await;
    }
    let closes = exchange.closes();
    mounted.give_back(exchange.finish());
    let response = response(Answer { response: answer, request: &received, head_only, unread, closes }, version, None);
    Ok(ServiceResponse::new(request, HttpResponse::from(response.map_body(|_, body| BoxBody::new(body)))))
}

struct MountedHead {
    request: HttpRequest,
    /// Where the path below the scope begins.
    skipped: usize,
}

impl MountedHead {
    fn new(request: HttpRequest) -> Self {
        let matched = request.match_info();
        let scope = matched.as_str().len().saturating_sub(matched.unprocessed().len());
        // actix-web has decoded its copy of the path, but no slash of it.
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

    fn each_header<'h>(&'h self, visit: &mut dyn FnMut(&'h str, &'h [u8])) {
        each_header(HttpMessage::headers(&self.request), visit);
    }

    fn peer(&self) -> Option<SocketAddr> {
        self.request.peer_addr()
    }
}
