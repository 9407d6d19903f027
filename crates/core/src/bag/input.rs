//! A request declared by properties alone.

use restwright_schema::{Bag, CompiledSchema};
use serde_json::{Map, Value};

use crate::body::JsonPlan;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::{Operation, SchemaUse};
use crate::part::ParameterPlan;
use crate::problem::Result;
use crate::request::{Reader, Request};

/// A request whose shape the route declares at run time, with [`Route::parameter`](crate::Route::parameter) and
/// [`Route::body`](crate::Route::body); its values are read through typed bags.
#[derive(Debug, Clone, Default)]
pub struct Input {
    parameters: Bag,
    body: Bag,
}

impl Input {
    /// Returns the values of path, query, headers and cookies, by name.
    #[must_use]
    pub fn parameters(&self) -> &Bag {
        &self.parameters
    }

    /// Returns the body: any value that its schema admits, and null if it is optional and was left out.
    #[must_use]
    pub fn body(&self) -> &Bag {
        &self.body
    }

    /// Returns the body, taken out.
    #[must_use]
    pub fn into_body(self) -> Bag {
        self.body
    }
}

/// The plan of an [`Input`].
#[derive(Debug)]
pub struct InputPlan {
    parameters: Vec<(String, ParameterPlan<Value>)>,
    body: Option<JsonPlan>,
}

impl Request for Input {
    type Plan = InputPlan;

    fn plan(planner: &mut BuildContext<'_>) -> Result<InputPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let declared = planner.route().declared_parameters();
        let parameters = declared.iter().filter_map(|(location, property)| {
            let plan = errors.take(planner.parameter(*location, property.clone()))?;
            Some((property.name().to_owned(), plan))
        });
        let parameters = parameters.collect();
        let route = planner.route();
        let body = route.declared_body().map(|schema| {
            let plan = JsonPlan::new(SchemaUse::input(schema), planner);
            if route.is_body_optional() { plan.optional() } else { plan }
        });
        errors.finish(Some(InputPlan { parameters, body }))
    }

    fn describe(plan: &InputPlan, operation: &mut Operation) {
        plan.parameters.iter().for_each(|(_, parameter)| parameter.describe(operation));
        if let Some(body) = &plan.body {
            body.describe(operation);
        }
    }

    async fn read(plan: &InputPlan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut values = Map::new();
        for (name, parameter) in &plan.parameters {
            if let Some(value) = reader.parameter(parameter).filter(|value| !value.is_null()) {
                values.insert(name.clone(), value);
            }
        }
        let body = match &plan.body {
            Some(body) => reader.json(body, CompiledSchema::read_value).await?,
            None => Some(Value::Object(Map::new())),
        };
        let Some(body) = body else { return Ok(None) };
        Ok(Some(Self { parameters: Bag::new(values), body: Bag::new(body) }))
    }
}
