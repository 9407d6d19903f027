//! Defines [`ComponentClock`], the clock of a component.

use std::ops::Deref;
use std::sync::OnceLock;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::clock::Clock;

/// The clock of a component, such as an authenticator or a rate limit store. It is a custom clock, or else the clock of
/// the Api.
///
/// The component calls [`plan`](Self::plan) when an Api is built. If the clock is read earlier or without an Api, it
/// becomes the system clock. A clock in use never changes: building an Api with another clock fails.
///
/// ```
/// use restwright_core::{ApiState, BuildContext, BuildErrors, Clock, ComponentClock};
///
/// #[derive(Default)]
/// struct Sessions {
///     clock: ComponentClock,
/// }
///
/// impl Sessions {
///     fn clock(mut self, clock: Clock) -> Self {
///         self.clock = clock.into();
///         self
///     }
///
///     fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
///         self.clock.plan(context)
///     }
///
///     fn has_expired(&self, expires_at: i64) -> bool {
///         self.clock.unix_seconds() >= expires_at
///     }
/// }
///
/// assert!(Sessions::default().clock(Clock::manual(60)).has_expired(60));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ComponentClock(ComponentClockSource);

#[derive(Debug, Clone)]
enum ComponentClockSource {
    Own(Clock),
    Api(OnceLock<Clock>),
}

impl ComponentClock {
    /// Sets the clock of the Api as the clock of the component, unless the component has a custom clock.
    ///
    /// # Errors
    /// The component already uses another clock, because it belongs to another Api or because the clock was read
    /// before.
    pub fn plan<S>(&self, context: &BuildContext<'_, S>) -> Result<(), BuildErrors> {
        let ComponentClockSource::Api(clock) = &self.0 else { return Ok(()) };
        if clock.get_or_init(|| context.clock().clone()).is_shared_with(context.clock()) {
            return Ok(());
        }
        Err(BuildErrors::one(
            "this Api has a different clock than the clock in use here, which comes from another Api or is the system clock from before the Api; create one value for each Api, or set its clock with `.clock(..)`",
        ))
    }
}

impl Deref for ComponentClock {
    type Target = Clock;

    #[inline]
    fn deref(&self) -> &Clock {
        match &self.0 {
            ComponentClockSource::Own(clock) => clock,
            ComponentClockSource::Api(clock) => clock.get_or_init(Clock::system),
        }
    }
}

/// Converts a custom clock into the clock of a component.
impl From<Clock> for ComponentClock {
    fn from(clock: Clock) -> Self {
        Self(ComponentClockSource::Own(clock))
    }
}

impl Default for ComponentClockSource {
    fn default() -> Self {
        Self::Api(OnceLock::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build_context::Build;
    use crate::configuration::Configuration;

    /// Registers `clock` with a test Api, and returns the Unix time that `clock` then reports. The argument `of_api` is
    /// the clock of the Api. Returns `None` if building fails.
    fn plan(clock: &ComponentClock, of_api: Option<&Clock>) -> Option<i64> {
        let configuration = Configuration::new("test", "1.0.0");
        let configuration = of_api.into_iter().fold(configuration, |all, clock| all.clock(clock.clone()));
        let mut build = Build::default();
        clock.plan(&BuildContext::for_api(&configuration, &mut build)).ok().map(|()| clock.unix_seconds())
    }

    #[test]
    fn uses_its_own_clock_or_the_clock_of_its_api() {
        let (one, other) = (Clock::manual(1), Clock::manual(2));
        let shared = ComponentClock::default();
        assert_eq!(
            [Some(&one), Some(&one), Some(&other), None].map(|api| plan(&shared, api)),
            [Some(1), Some(1), None, None]
        );

        let own = ComponentClock::from(Clock::manual(3));
        assert_eq!([Some(&one), Some(&other), None].map(|api| plan(&own, api)), [Some(3); 3]);

        let used = ComponentClock::default();
        let now = used.unix_seconds();
        assert_eq!(plan(&used, Some(&one)), None);
        assert!(plan(&used, None) >= Some(now) && plan(&used, None).is_some());
    }
}
