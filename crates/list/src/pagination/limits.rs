//! [`Limits`]: the number of items in a response.

use restwright_core::operation::ParameterLocation;
use restwright_core::part::ParameterPlan;
use restwright_core::schema::typed;
use restwright_core::{BuildContext, BuildErrors};

/// The number of items on a page when the client gives no `limit`, the largest `limit`, and the largest offset; 20, 100 and 10,000 by default.
///
/// The largest offset is the number of items that a [`Page`](super::Page) or an [`Offset`](super::Offset) may leave out. A database reads all of them to leave them
/// out, so a page far into a large list costs as much as the whole list. A larger offset is a 422 with the code `maximum`. A cursor costs the same at every place of a
/// list, and has no offset.
///
/// A route sets them with [`Route::with`](restwright_core::Route::with), an application for all its routes with
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

/// The largest offset by default.
const MAX_OFFSET: u64 = 10_000;

impl Limits {
    /// Creates limits of a default and a maximum. Building the Api fails unless the default is from 1 to the maximum.
    #[must_use]
    pub const fn new(default: u32, maximum: u32) -> Self {
        Self { default, maximum, max_offset: MAX_OFFSET }
    }

    /// Sets the largest number of items that a request may leave out. Stores count with 64 signed bits, so `u64::MAX` is no limit but theirs.
    #[must_use]
    pub const fn max_offset(mut self, max_offset: u64) -> Self {
        self.max_offset = max_offset;
        self
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

    /// Returns the largest offset, after which the items of every limit can be counted.
    pub(super) fn largest_offset(self) -> u64 {
        self.max_offset.min(i64::MAX.unsigned_abs() - u64::from(self.maximum))
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
