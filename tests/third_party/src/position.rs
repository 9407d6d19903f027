//! A part of a request.

use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::number;
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead};

/// A position on the earth, read from the query parameters `latitude` and `longitude`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// The degrees north of the equator.
    pub latitude: f64,
    /// The degrees east of Greenwich.
    pub longitude: f64,
}

/// The plan of a [`Position`].
#[derive(Debug)]
pub struct PositionPlan {
    latitude: ParameterPlan<f64>,
    longitude: ParameterPlan<f64>,
}

impl Part for Position {
    type Plan = PositionPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<PositionPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let mut degrees = |name: &'static str, most: f64| {
            let property = number(name).minimum(-most).maximum(most);
            errors.take(context.parameter(ParameterLocation::Query, property))
        };
        let (latitude, longitude) = (degrees("latitude", 90.0), degrees("longitude", 180.0));
        let plan = latitude.zip(longitude).map(|(latitude, longitude)| PositionPlan { latitude, longitude });
        errors.finish(plan)
    }

    fn describe(plan: &PositionPlan, operation: &mut Operation) {
        plan.latitude.describe(operation);
        plan.longitude.describe(operation);
    }

    fn read(plan: &PositionPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let (latitude, longitude) = (plan.latitude.read(head, violations), plan.longitude.read(head, violations));
        latitude.zip(longitude).map(|(latitude, longitude)| Self { latitude, longitude })
    }
}
