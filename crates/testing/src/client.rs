//! Defines [`TestClient`], an in-process client for tests.

use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::rc::Rc;

use restwright_runtime::core::http::{HeaderMap, HttpRequest, HttpResponse, Method};
#[cfg(feature = "websocket")]
use restwright_runtime::core::runtime::LocalBoxFuture;
use restwright_runtime::core::runtime::declared_base_path;
use restwright_runtime::core::schema::Registry;
use restwright_runtime::{Api, ComponentFailure, Worker};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::request::{SentRequest, TestRequest};
use crate::response::TestResponse;

/// Sends requests to an Api in the same process.
///
/// In a plain test, [`send`](TestRequest::send) waits for the response on the client's own runtime. In an async test,
/// await the request instead, because `send` panics there. A client is one worker, so its concurrent requests share one
/// worker's limit.
///
/// If the configuration declares a path as a [server](restwright_runtime::core::Configuration::server), the client also
/// accepts paths with this prefix, such as the value of `Location`. It removes the prefix, as the proxy does.
///
/// ```
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
/// use restwright_testing::TestClient;
///
/// let client = TestClient::new(Api::builder(Configuration::new("empty", "1.0.0")).build()?);
/// client.get("/nowhere").send().assert_status(404).assert_problem("not_found").assert_documented();
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
pub struct TestClient {
    // It is dropped first, with the tasks that requests left behind. A task may contain a connection whose transaction is still open. The
    // database ends this transaction when the connection is closed.
    runtime: RefCell<Option<Runtime>>,
    api: Api,
    worker: Worker,
    registry: Rc<RefCell<Registry>>,
    headers: HeaderMap,
    #[cfg(feature = "websocket")]
    servers: RefCell<Vec<LocalBoxFuture<'static, ()>>>,
}

impl TestClient {
    /// Creates a client for an Api. The components do not run until [`start`](Self::start) is called.
    #[must_use]
    pub fn new(api: Api) -> Self {
        let registry = Rc::new(RefCell::new(api.registry().clone()));
        Self {
            worker: api.worker(),
            api,
            registry,
            runtime: RefCell::new(None),
            headers: HeaderMap::new(),
            #[cfg(feature = "websocket")]
            servers: RefCell::default(),
        }
    }

    /// Adds a header to every request, for example an API key.
    ///
    /// # Panics
    /// Panics if the name or value is not valid in a header.
    #[must_use]
    #[track_caller]
    pub fn with_header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let prepared = self.get("/").header(name, value).into_headers();
        self.headers = prepared;
        self
    }

    /// Returns the target of a request as the Api receives it from a proxy, which removes the declared base path.
    pub(crate) fn without_base_path(&self, target: String) -> String {
        let base = declared_base_path(self.api.configuration());
        let rest = base.and_then(|base| target.strip_prefix(base)).filter(|rest| rest.starts_with('/'));
        rest.map(str::to_owned).unwrap_or(target)
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the Api that the client sends requests to.
    #[must_use]
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Starts the components of the Api on the runtime of the client. In an async test, await [`Api::start`] instead.
    ///
    /// # Errors
    /// Returns the first failure of a component.
    ///
    /// # Panics
    /// Panics in async code.
    #[track_caller]
    pub fn start(&self) -> Result<(), ComponentFailure> {
        self.wait(self.api.start(), "Api::start")
    }

    /// Stops the components of the Api. In an async test, await [`Api::stop`] instead.
    ///
    /// # Panics
    /// Panics in async code.
    #[track_caller]
    pub fn stop(&self) {
        self.wait(self.api.stop(), "Api::stop");
    }

    /// Creates a `GET` request for a path, which may have a query string.
    #[track_caller]
    pub fn get(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request(Method::GET, path)
    }

    /// Creates a `HEAD` request for a path.
    #[track_caller]
    pub fn head(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request(Method::HEAD, path)
    }

    /// Creates a `POST` request to a path.
    #[track_caller]
    pub fn post(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request(Method::POST, path)
    }

    /// Creates a `PUT` request to a path.
    #[track_caller]
    pub fn put(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request(Method::PUT, path)
    }

    /// Creates a `PATCH` request to a path.
    #[track_caller]
    pub fn patch(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request(Method::PATCH, path)
    }

    /// Creates a `DELETE` request for a path.
    #[track_caller]
    pub fn delete(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request(Method::DELETE, path)
    }

    /// Creates a `QUERY` request (RFC 10008) for a path.
    #[track_caller]
    pub fn query(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request(Method::QUERY, path)
    }

    /// Creates an `OPTIONS` request for a path.
    #[track_caller]
    pub fn options(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request(Method::OPTIONS, path)
    }

    /// Creates a request with any method. The path must be percent-encoded, and may have a query string.
    ///
    /// # Panics
    /// Panics if the path does not start with `/`.
    #[track_caller]
    pub fn request(&self, method: Method, path: impl Into<String>) -> TestRequest<'_> {
        TestRequest::new(self, method, path.into())
    }

    /// Runs a future on the runtime of the client, for a test that is not async.
    ///
    /// # Panics
    /// Panics in async code. Await the future there instead.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.wait(future, "the future itself")
    }

    /// Runs a future on the runtime of the client. Panics in async code with advice to use `instead`.
    #[track_caller]
    pub(crate) fn wait<F: Future>(&self, future: F, instead: &str) -> F::Output {
        assert!(
            Handle::try_current().is_err(),
            "this call starts a runtime and waits, but a runtime is already running; use `{instead}` with `.await`"
        );
        let mut runtime = self.runtime.borrow_mut();
        let runtime = runtime.get_or_insert_with(|| match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => unavailable(&error),
        });
        runtime.block_on(future)
    }

    pub(crate) async fn respond(&self, sent: SentRequest) -> TestResponse {
        let SentRequest { method, head, body } = sent;
        let (requested, path) = (method.clone(), head.path.clone());
        let response = self.worker.handle(&mut HttpRequest::new(method, head, body)).await;
        self.receive(requested, path, response).await
    }

    pub(crate) async fn receive(&self, method: Method, path: String, response: HttpResponse) -> TestResponse {
        TestResponse::receive(self.api.clone(), Rc::clone(&self.registry), method, path, response).await
    }

    #[cfg(feature = "websocket")]
    pub(crate) fn worker(&self) -> &Worker {
        &self.worker
    }

    /// Returns the handlers of open WebSocket connections.
    #[cfg(feature = "websocket")]
    pub(crate) fn servers(&self) -> &RefCell<Vec<LocalBoxFuture<'static, ()>>> {
        &self.servers
    }
}

#[expect(clippy::panic, reason = "a test cannot go on without a runtime")]
fn unavailable(error: &std::io::Error) -> ! {
    panic!("the operating system provides no runtime: {error}")
}

impl fmt::Debug for TestClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TestClient").field("api", &self.api).finish_non_exhaustive()
    }
}
