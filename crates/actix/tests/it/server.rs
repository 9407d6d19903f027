//! A server for a test, on a separate port.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use restwright_actix::{BoundServer, Host, ServeError, StopHandle, run};

use crate::api;
use crate::client::{Client, RawResponse};

pub(crate) struct Server {
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
        let bound = settings(Host::new(api::api()).workers(1)).bind("127.0.0.1:0").unwrap();
        let address = bound.addresses()[0];
        let (stop, thread) = serve(bound);
        Self { address, stop, thread: Some(thread) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
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
