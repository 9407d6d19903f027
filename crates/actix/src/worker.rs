//! The services of each worker thread.

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;

use actix_http::{KeepAlive, ServiceConfigBuilder};
use actix_server::GracefulShutdownSignal;
use actix_service::{ServiceFactory, fn_service};
use restwright_runtime::Api;

use crate::connection::{Connection, Connections, Socket};
use crate::host::HostSettings;
use crate::http1::Http1;
use crate::watchdog::Watchdog;

/// Serves the connections of one worker thread.
pub(crate) fn connections<Io: Socket>(
    api: &Api,
    settings: HostSettings,
    open: &Arc<Connections>,
    signal: &GracefulShutdownSignal,
) -> impl ServiceFactory<Io, Config = (), Response = (), Error = Infallible, InitError = ()> + use<Io> {
    let watchdog = Watchdog::of_worker(&settings);
    close_when(signal.clone(), &watchdog);
    let open = open.clone();
    // The watchdog closes idle connections.
    let keep_alive = if settings.keep_alive.is_zero() { KeepAlive::Disabled } else { KeepAlive::Os };
    let codec = ServiceConfigBuilder::new().keep_alive(keep_alive).build();
    let http = Rc::new(Http1::new(api.worker(), codec));
    fn_service(move |stream: Io| {
        let (watchdog, open, http) = (watchdog.clone(), open.clone(), http.clone());
        // Boxed, since actix-server keeps the place of a future twice.
        Box::pin(async move {
            let (place, state) = watchdog.admit().await;
            http.serve(Connection::new(Box::new(stream), place, state, open)).await;
            Ok(())
        })
    })
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
