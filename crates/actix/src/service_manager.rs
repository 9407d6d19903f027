//! Reports the state of the server to a service manager, by the protocol of `sd_notify(3)`.

#[cfg(unix)]
use restwright_runtime::core::runtime::log;
#[cfg(unix)]
use sd_notify::NotifyState;

/// Reports that the server accepts connections. systemd then starts the services that wait for this service.
pub(crate) fn report_ready() {
    #[cfg(unix)]
    report(NotifyState::Ready);
}

/// Reports that the server is stopping.
pub(crate) fn report_stopping() {
    #[cfg(unix)]
    report(NotifyState::Stopping);
}

/// Sends a state to the socket in `NOTIFY_SOCKET`. Does nothing if the variable is not set.
#[cfg(unix)]
fn report(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        log(|| tracing::warn!(%error, "the service manager cannot be notified at NOTIFY_SOCKET"));
    }
}
