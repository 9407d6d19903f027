//! [`Limits`]: the number of items in a response.

use restwright_core::operation::ParameterLocation;
use restwright_core::part::ParameterPlan;
use restwright_core::schema::typed;
use restwright_core::{BuildContext, BuildErrors};

/// The number of items on a page when the client gives no `limit`, and the largest `limit`; 20 and 100 by default.
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
    /// Creates limits of a default and a maximum. Building the Api fails unless the default is from 1 to the maximum.
    #[must_use]
    pub const fn new(default: u32, maximum: u32) -> Self {
        Self { default, maximum }
    }

    /// Returns the limits of the route, or else those of the configuration.
    pub(super) fn of_route(context: &BuildContext<'_>) -> Result<Self, BuildErrors> {
        let of_route = context.route().setting::<Self>();
        let limits = of_route.or_else(|| context.configuration().get::<Self>()).copied().unwrap_or_default();
        if limits.default < 1 || limits.default > limits.maximum {
            return Err(BuildErrors::one(format!(
                "the limits are {} by default and {} at most; the default is from 1 to the maximum",
                limits.default, limits.maximum
            )));
        }
        Ok(limits)
    }

    pub(super) fn maximum(self) -> u32 {
        self.maximum
    }

    /// Plans `limit`.
    pub(super) fn parameter(self, context: &mut BuildContext<'_>) -> Result<ParameterPlan<u32>, BuildErrors> {
        let limit = typed::<u32>(context.registry(), "limit").minimum(1).maximum(self.maximum);
        let limit = limit.default_value(self.default).description("The largest number of items in the response.");
        context.parameter(ParameterLocation::Query, limit)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(20, 100)
    }
}
