//! Defines [`WithoutTotal`], a pagination whose responses contain no total.

use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead};

use super::{Pagination, Window};

/// Pagination of a resource by [`Page`](super::Page) or [`Offset`](super::Offset), without the total in responses. The
/// store then counts nothing.
///
/// The derive of resources writes it as `pagination = page(total = false)`. `has_more` stays in the response: the store
/// reads one item more than the page shows. Other controllers return an [`Uncounted`](super::Uncounted) list instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithoutTotal<P>(
    /// The requested page or offset.
    pub P,
);

impl<P: Pagination> Pagination for WithoutTotal<P> {
    fn window(&self) -> Window<'_> {
        self.0.window()
    }
}

impl<P: Part> Part for WithoutTotal<P> {
    type Plan = P::Plan;

    fn plan(context: &mut BuildContext<'_>) -> Result<P::Plan, BuildErrors> {
        P::plan(context)
    }

    fn describe(plan: &P::Plan, operation: &mut Operation) {
        P::describe(plan, operation);
    }

    fn read(plan: &P::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        P::read(plan, head, violations).map(Self)
    }
}
