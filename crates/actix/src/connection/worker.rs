//! Serves the connections of each worker thread.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use actix_http::{KeepAlive, ServiceConfigBuilder};
use actix_server::GracefulShutdownSignal;
use actix_service::{ServiceFactory, fn_service};
use restwright_runtime::Api;

use super::connections::{Connections, Seat};
use super::http1::Http1;
use super::watchdog::Watchdog;
use super::{HttpConnection, Socket};
use crate::host_settings::HostSettings;

/// Returns the actix-server service that serves the connections of one worker thread.
pub(crate) fn connection_service<Io: Socket>(
    api: &Api,
    settings: HostSettings,
    open: &Arc<Connections>,
    signal: &GracefulShutdownSignal,
) -> impl ServiceFactory<Io, Config = (), Response = (), Error = Infallible, InitError = ()> + use<Io> {
    let worker = HostWorker::of_thread(api, &settings, open);
    close_when(signal.clone(), &worker.watchdog);
    let open = open.clone();
    fn_service(move |stream: Io| {
        let (worker, open) = (worker.clone(), open.clone());
        // Boxed, because actix-server stores the future's state twice.
        Box::pin(async move {
            if let Some(seat) = open.enter(stream.address().map(|address| address.ip())) {
                let connection = worker.connection(Box::new(stream), seat);
                worker.http.serve(connection, &worker.watchdog).await;
            }
            Ok(())
        })
    })
}

/// The server state of one worker thread, which all listeners of the thread share. It is dropped with the worker.
struct HostWorker {
    watchdog: Rc<Watchdog>,
    http: Http1,
}

impl HostWorker {
    fn of_thread(api: &Api, settings: &HostSettings, open: &Arc<Connections>) -> Rc<Self> {
        thread_local! {
            static WORKER: RefCell<Weak<HostWorker>> = RefCell::default();
        }
        WORKER.with_borrow_mut(|known| {
            known.upgrade().unwrap_or_else(|| {
                // The watchdog closes idle connections.
                let keep_alive = if settings.keep_alive.is_zero() { KeepAlive::Disabled } else { KeepAlive::Os };
                let codec = ServiceConfigBuilder::new().keep_alive(keep_alive).build();
                let served = api.worker();
                served.set_max_long_lived(settings.long_lived_per_worker());
                let http = Http1::new(served, codec);
                let worker = Rc::new(Self { watchdog: Watchdog::start(settings, open), http });
                *known = Rc::downgrade(&worker);
                worker
            })
        })
    }

    /// Creates a connection, and starts to check its timeouts.
    fn connection(&self, stream: Box<dyn Socket>, seat: Seat) -> HttpConnection {
        let state = Rc::default();
        self.watchdog.watch(&state);
        HttpConnection::new(stream, state, seat, self.http.memory().clone())
    }
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
