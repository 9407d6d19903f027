//! Components: pools, key fetches and whatever else reaches outside of the process.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use crate::future::BoxFuture;
use crate::report::Report;

/// The reason why a component cannot start, or is not ready.
pub type ComponentError = Box<dyn Error + Send + Sync>;

/// Something that touches the outside of the process, run by the host and never by the documents.
///
/// Stores start first, and every other component that a part of the Api registers. The components of the application start after them, in
/// their order of registration and before the first connection is accepted; [`before_stores`](Self::before_stores) is the exception. All
/// stop in reverse after the last request is finished, or its grace is over. One that has to know when the stop begins waits for the
/// [`StopSignal`](crate::StopSignal) of the Api.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "implement `Component` for it: `name`, and `start`, `ready` or `stop` as needed"
)]
pub trait Component: Send + Sync + 'static {
    /// Returns the name for messages and traces.
    fn name(&self) -> &str;

    /// Returns `true` if the component starts before the stores, and stops after them: a tunnel to the database, for example. By default it
    /// is `false`, so that a component finds its tables when it starts.
    fn before_stores(&self) -> bool {
        false
    }

    /// Starts the component; the host accepts no connections before every component has started.
    ///
    /// # Errors
    /// The component cannot start; the host stops those that have started and returns the error.
    fn start(&self) -> impl Future<Output = Result<(), ComponentError>> + Send {
        async { Ok(()) }
    }

    /// Checks whether the component can do its work now.
    ///
    /// # Errors
    /// The reason why it cannot.
    fn ready(&self) -> impl Future<Output = Result<(), ComponentError>> + Send {
        async { Ok(()) }
    }

    /// Returns `true` if the service is not ready while this component is not. It is `true` by default.
    ///
    /// Other components are reported in the details of the readiness, and in the log.
    fn is_required(&self) -> bool {
        true
    }

    /// Releases what it holds. The host waits for at most what is left of its grace, and at least 5 seconds, for all components together; then
    /// it gives up those that have not stopped, and names them in its error and in the log.
    ///
    /// It may run on another thread than the start, in the same runtime.
    fn stop(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Adds the current values of its gauges and counters to a report, which metrics read.
    ///
    /// It is called at any time, also before the start and from any thread, and must not wait.
    fn report(&self, report: &mut Report) {
        let _ = report;
    }
}

impl<C: Component> Component for Arc<C> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn before_stores(&self) -> bool {
        (**self).before_stores()
    }

    async fn start(&self) -> Result<(), ComponentError> {
        (**self).start().await
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        (**self).ready().await
    }

    fn is_required(&self) -> bool {
        (**self).is_required()
    }

    async fn stop(&self) {
        (**self).stop().await;
    }

    fn report(&self, report: &mut Report) {
        (**self).report(report);
    }
}

#[doc(hidden)]
pub trait ErasedComponent: Send + Sync {
    fn name(&self) -> &str;
    fn before_stores(&self) -> bool;
    fn start(&self) -> BoxFuture<'_, Result<(), ComponentError>>;
    fn ready(&self) -> BoxFuture<'_, Result<(), ComponentError>>;
    fn is_required(&self) -> bool;
    fn stop(&self) -> BoxFuture<'_, ()>;
    fn report(&self, report: &mut Report);
}

impl<C: Component> ErasedComponent for C {
    fn name(&self) -> &str {
        Component::name(self)
    }

    fn before_stores(&self) -> bool {
        Component::before_stores(self)
    }

    fn start(&self) -> BoxFuture<'_, Result<(), ComponentError>> {
        Box::pin(Component::start(self))
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), ComponentError>> {
        Box::pin(Component::ready(self))
    }

    fn is_required(&self) -> bool {
        Component::is_required(self)
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(Component::stop(self))
    }

    fn report(&self, report: &mut Report) {
        Component::report(self, report);
    }
}

/// A component that is shared.
pub type SharedComponent = Arc<dyn ErasedComponent>;
