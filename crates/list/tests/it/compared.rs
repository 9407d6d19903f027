//! Defines [`Compared`], filters that are read in both ways.

use restwright::core::operation::Operation;
use restwright::core::problem::RequestViolations;
use restwright::core::{BuildContext, RequestHead};
use restwright::prelude::*;

/// Filters that are read as typed filters and as an expression. Both must contain the same conditions, or report the same violations.
pub(crate) struct Compared<F>(pub(crate) F);

impl<F: Filters + Part> Part for Compared<F> {
    type Plan = F::Plan;

    fn plan(context: &mut BuildContext<'_>) -> std::result::Result<F::Plan, BuildErrors> {
        F::plan(context)
    }

    fn describe(plan: &F::Plan, operation: &mut Operation) {
        F::describe(plan, operation);
    }

    fn read(plan: &F::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let mut of_expression = RequestViolations::new(violations.remaining());
        let expression = F::read_expression(plan, head, &mut of_expression);
        let mut of_filters = RequestViolations::new(violations.remaining());
        let filters = F::read(plan, head, &mut of_filters);
        assert_eq!(expression, filters.as_ref().map(Filters::expression));
        assert_eq!(format!("{of_expression:?}"), format!("{of_filters:?}"));
        F::read(plan, head, violations).map(Self)
    }
}
