//! Defines [`Component`], the trait for connection pools and other resources that start and stop with the server.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use crate::future::BoxFuture;
use crate::report::Report;

/// The reason why a component cannot start or is not ready.
pub type ComponentError = Box<dyn Error + Send + Sync>;

/// A part of the application that starts and stops with the server, such as a connection pool. The host starts and
/// stops components. Generating documents does not start them.
///
/// The components that parts of the Api register, such as stores, start first. The components of the application start
/// next, in order of registration and before the first connection is accepted. [`before_stores`](Self::before_stores)
/// moves a component to the front.
///
/// All components stop in reverse order, after the last request is finished or the grace period is over. A component
/// that must detect when the stop begins waits for the [`StopSignal`](crate::StopSignal) of the Api.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "implement `Component` with `name`, and `start`, `ready` or `stop` as needed"
)]
pub trait Component: Send + Sync + 'static {
    /// Returns the name of the component, which appears in messages and traces.
    fn name(&self) -> &str;

    /// Returns `true` if the component starts before the stores and stops after them. For example, a tunnel to the
    /// database must start before the stores. By default, the stores create their tables before the component starts.
    fn before_stores(&self) -> bool {
        false
    }

    /// Starts the component. The server accepts connections after all components have started.
    ///
    /// If the start of a component takes longer than 10 seconds, the server accepts connections during the rest of the
    /// start. Health checks then respond, and other requests get a 503 with `Retry-After`.
    ///
    /// # Errors
    /// The component cannot start. The host then stops the started components and returns the error.
    fn start(&self) -> impl Future<Output = Result<(), ComponentError>> + Send {
        async { Ok(()) }
    }

    /// Returns the current step of a slow [`start`](Self::start) and its progress, such as `filling a column, 319000 of 1000000 rows`.
    ///
    /// The log and the details of the readiness response contain the step.
    fn progress(&self) -> Option<String> {
        None
    }

    /// Checks whether the component is ready. Readiness checks call this method.
    ///
    /// # Errors
    /// The reason why the component is not ready.
    fn ready(&self) -> impl Future<Output = Result<(), ComponentError>> + Send {
        async { Ok(()) }
    }

    /// Returns `true` if the service is ready only when this component is ready. The default is `true`.
    ///
    /// If it is `false`, a component that is not ready is only reported in the details of the readiness response and in
    /// the log.
    fn is_required(&self) -> bool {
        true
    }

    /// Releases the resources of the component.
    ///
    /// All components together have the rest of the grace period to stop, and at least 5 seconds. After that the host
    /// abandons the components that have not stopped, and names them in its error and in the log.
    ///
    /// It may run on a different thread than `start`, in the same runtime.
    fn stop(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Adds the component's gauges and counters to a metrics report.
    ///
    /// It can be called at any time and from any thread, even before the start. It must not block.
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

    fn progress(&self) -> Option<String> {
        (**self).progress()
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
    fn progress(&self) -> Option<String>;
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

    fn progress(&self) -> Option<String> {
        Component::progress(self)
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

/// A shared, type-erased [`Component`].
pub type SharedComponent = Arc<dyn ErasedComponent>;
