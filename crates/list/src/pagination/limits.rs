//! [`Limits`]: how many items an answer has.

use restwright_core::operation::ParameterLocation;
use restwright_core::part::ParameterPlan;
use restwright_core::schema::typed;
use restwright_core::{BuildContext, BuildErrors};

/// How many items a page has when the client does not say, and how many it may ask for; 20 and 100 by default.
///
/// A route sets them with [`Route::with`](restwright_core::Route::with), an application for all its routes with
/// [`Configuration::with`](restwright_core::Configuration::with).
///
/// ```
/// use restwright_core::Route;
/// use restwright_list::Limits;
///
/// let route = Route::get("/pets").with(Limits::new(10, 50));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    default: u32,
    maximum: u32,
}

impl Limits {
    /// The default and the maximum; from 1, the default not above the maximum.
    #[must_use]
    pub const fn new(default: u32, maximum: u32) -> Self {
        Self { default, maximum }
    }

    pub(super) fn of(planner: &BuildContext<'_>) -> Result<Self, BuildErrors> {
        let of_route = planner.route().setting::<Self>();
        let limits = of_route.or_else(|| planner.configuration().get::<Self>()).copied().unwrap_or_default();
        if limits.default < 1 || limits.default > limits.maximum {
            return Err(BuildErrors::one(format!(
                "the limits are {} by default and {} at most; the default is from 1 to the maximum",
                limits.default, limits.maximum
            )));
        }
        Ok(limits)
    }

    /// Plans `limit`.
    pub(super) fn parameter(self, planner: &mut BuildContext<'_>) -> Result<ParameterPlan<u32>, BuildErrors> {
        let limit = typed::<u32>(planner.registry(), "limit").minimum(1).maximum(self.maximum);
        let limit = limit.default_value(self.default).description("How many items the answer has at most.");
        planner.parameter(ParameterLocation::Query, limit)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(20, 100)
    }
}
