//! A server for a test, on a separate port.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use restwright_actix::{BoundServer, Host, ServeError, StopHandle, run};
use restwright_runtime::Api;
use restwright_runtime::core::report::{Sample, SampleValue};

use crate::api;
use crate::client::{Client, NEVER, RawResponse};

pub(crate) struct Server {
    api: Api,
    address: SocketAddr,
    stop: StopHandle,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Server {
    /// The test Api with one worker.
    pub(crate) fn start() -> Self {
        Self::with(|host| host)
    }

    pub(crate) fn with(settings: impl FnOnce(Host) -> Host) -> Self {
        Self::serving(api::api(), settings)
    }

    pub(crate) fn serving(api: Api, settings: impl FnOnce(Host) -> Host) -> Self {
        let bound = settings(Host::new(api.clone()).workers(1)).bind("127.0.0.1:0").unwrap();
        let address = bound.addresses()[0];
        let (stop, thread) = serve(bound);
        Self { api, address, stop, thread: Some(thread) }
    }

    /// Waits for clients longer than they wait for it. A client therefore fails if the server waits for what the client does
    /// not send.
    pub(crate) fn patient() -> Self {
        Self::with(|host| host.head_timeout(NEVER).body_timeout(NEVER).minimum_body_rate(0))
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Returns the number of connections that wait for a place, and of connections that had to wait.
    pub(crate) fn newcomers(&self) -> Vec<SampleValue> {
        let report = self.api.report();
        let samples = report.samples().iter().filter(|sample| sample.name().starts_with("server_connections_wait"));
        samples.map(Sample::value).collect()
    }

    /// Sends one request on a separate connection.
    pub(crate) fn send(&self, request: impl AsRef<[u8]>) -> RawResponse {
        self.connect().send(request).response()
    }

    /// Stops it and waits until it has.
    pub(crate) fn stop(mut self) {
        self.shut_down();
    }

    fn shut_down(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// Serves on a separate thread.
pub(crate) fn serve(bound: BoundServer) -> (StopHandle, JoinHandle<Result<(), ServeError>>) {
    let stop = bound.stop_handle();
    (stop, std::thread::spawn(move || run(bound.serve())))
}
