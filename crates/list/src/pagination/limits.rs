//! Defines [`Limits`], the default and the maximum of `limit`, and the maximum offset.

use restwright_core::operation::ParameterLocation;
use restwright_core::part::ParameterPlan;
use restwright_core::schema::typed;
use restwright_core::{BuildContext, BuildErrors};

/// The default `limit`, the maximum `limit`, and the maximum offset of a list. They are 20, 100 and 10,000 by default.
///
/// The maximum offset limits how many items a [`Page`](super::Page) or an [`Offset`](super::Offset) can skip. A
/// database reads all skipped items, so a page near the end of a large list costs as much as the whole list. Larger
/// offsets are rejected with 422 and the code `maximum`. A cursor skips no items, so it costs the same at every
/// position.
///
/// Set the limits of a route with [`Route::with`](restwright_core::Route::with), or of all routes with
/// [`Configuration::with`](restwright_core::Configuration::with).
///
/// ```
/// use restwright_core::Route;
/// use restwright_list::Limits;
///
/// let route = Route::get("/pets").with(Limits::new(10, 50).max_offset(1_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    default: u32,
    maximum: u32,
    max_offset: u64,
}

/// The default maximum offset.
const MAX_OFFSET: u64 = 10_000;

impl Limits {
    /// Creates limits from a default and a maximum `limit`. Building the Api fails unless the default is between 1 and
    /// the maximum.
    #[must_use]
    pub const fn new(default: u32, maximum: u32) -> Self {
        Self { default, maximum, max_offset: MAX_OFFSET }
    }

    /// Sets the maximum number of items that a request may skip. This number is capped at `i64::MAX` minus the maximum
    /// `limit`, because stores use signed 64-bit integers.
    #[must_use]
    pub const fn max_offset(mut self, max_offset: u64) -> Self {
        self.max_offset = max_offset;
        self
    }

    /// Returns the limits of the route, or else the limits of the configuration.
    pub(super) fn of_route(context: &BuildContext<'_>) -> Result<Self, BuildErrors> {
        let of_route = context.route().setting::<Self>();
        let limits = of_route.or_else(|| context.configuration().get::<Self>()).copied().unwrap_or_default();
        if limits.default < 1 || limits.default > limits.maximum {
            return Err(BuildErrors::one(format!(
                "the default limit is {} and the maximum is {}; the default must be from 1 to the maximum",
                limits.default, limits.maximum
            )));
        }
        Ok(limits)
    }

    /// Returns the maximum offset, reduced if item positions would exceed a signed 64-bit integer.
    pub(super) fn largest_offset(self) -> u64 {
        self.max_offset.min(i64::MAX.unsigned_abs() - u64::from(self.maximum))
    }

    /// Compiles the parameter `limit`.
    pub(super) fn parameter(self, context: &mut BuildContext<'_>) -> Result<ParameterPlan<u32>, BuildErrors> {
        let limit = typed::<u32>(context.registry(), "limit").minimum(1).maximum(self.maximum);
        let limit = limit.default_value(self.default).description("The maximum number of items in the response.");
        context.parameter(ParameterLocation::Query, limit)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(20, 100)
    }
}
