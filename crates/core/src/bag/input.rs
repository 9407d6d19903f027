//! Defines [`Input`], a request with a schema that is declared at run time.

use std::collections::BTreeMap;
use std::sync::Arc;

use restwright_schema::{Bag, BagError, CompiledSchema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::body::JsonPlan;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::{Operation, ParameterLocation, SchemaUse};
use crate::part::ParameterPlan;
use crate::problem::Result;
use crate::request::{Reader, Request};

/// A request with a schema that the route declares at run time, with [`Route::parameter`](crate::Route::parameter) and
/// [`Route::body`](crate::Route::body).
///
/// Read single values from [`parameters`](Self::parameters) and [`body`](Self::body), or deserialize the whole request
/// with [`read`](Self::read).
#[derive(Debug, Clone, Default)]
pub struct Input {
    parameters: Bag,
    body: Bag,
    names: Arc<ParameterNames>,
}

/// The names of the parameters, with their locations.
type ParameterNames = Vec<(ParameterLocation, String)>;

impl Input {
    /// Returns the values of the path, query, header and cookie parameters, by name.
    #[must_use]
    pub fn parameters(&self) -> &Bag {
        &self.parameters
    }

    /// Returns the body, which matches the declared schema. If an optional body is missing, it is `null`.
    #[must_use]
    pub fn body(&self) -> &Bag {
        &self.body
    }

    /// Returns the body and drops the parameters.
    #[must_use]
    pub fn into_body(self) -> Bag {
        self.body
    }

    /// Deserializes the whole request as type `T`. `T` can have the fields `path`, `query`, `headers`, `cookies` and
    /// `body`. All of them are optional. The command-line subcommand `shapes` generates these types.
    ///
    /// ```
    /// use restwright_core::{Input, Result};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct ViewShelter {
    ///     path: ViewShelterPath,
    /// }
    ///
    /// #[derive(Deserialize)]
    /// struct ViewShelterPath {
    ///     id: i64,
    /// }
    ///
    /// fn view(input: Input) -> Result<String> {
    ///     let ViewShelter { path } = input.read()?;
    ///     Ok(format!("the shelter {}", path.id))
    /// }
    /// ```
    ///
    /// # Errors
    /// [`BagError`] if the type does not match the declared schemas. This is an error in the application, so it
    /// converts to a problem with status 500.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, BagError> {
        let mut request = Map::from_iter(
            ["path", "query", "headers", "cookies"].map(|part| (part.to_owned(), Value::Object(Map::new()))),
        );
        let Value::Object(mut values) = self.parameters.into_value() else { return Bag::new(request).read() };
        for (location, name) in &*self.names {
            let part = match location {
                ParameterLocation::Path => "path",
                ParameterLocation::Query => "query",
                ParameterLocation::Header => "headers",
                ParameterLocation::Cookie => "cookies",
            };
            if let Some(part) = request.get_mut(part).and_then(Value::as_object_mut)
                && let Some(value) = values.remove(name)
            {
                part.insert(name.clone(), value);
            }
        }
        request.insert("body".to_owned(), self.body.into_value());
        Bag::new(request).read()
    }
}

/// The data that [`Input`] prepares at build time, with the compiled schemas of its parameters and its body.
#[derive(Debug)]
pub struct InputPlan {
    parameters: Vec<(String, ParameterPlan<Value>)>,
    names: Arc<ParameterNames>,
    body: Option<JsonPlan>,
}

impl Request for Input {
    type Plan = InputPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<InputPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let declared = context.route().declared_parameters();
        let names = declared.iter().map(|(location, property)| (*location, property.name().to_owned())).collect();
        check_names(&names, &mut errors);
        let parameters = declared.iter().filter_map(|(location, property)| {
            let plan = errors.take(context.parameter(*location, property.clone()))?;
            Some((property.name().to_owned(), plan))
        });
        let parameters = parameters.collect();
        let route = context.route();
        let body = route.declared_body().map(|schema| {
            let plan = JsonPlan::new(SchemaUse::input(schema), context);
            if route.is_body_optional() { plan.optional() } else { plan }
        });
        errors.finish(Some(InputPlan { parameters, names: Arc::new(names), body }))
    }

    fn describe(plan: &InputPlan, operation: &mut Operation) {
        plan.parameters.iter().for_each(|(_, parameter)| parameter.describe(operation));
        if let Some(body) = &plan.body {
            body.describe(operation);
        }
        operation.run_time.input = Some(plan.names.to_vec());
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
        Ok(Some(Self { parameters: Bag::new(values), body: Bag::new(body), names: plan.names.clone() }))
    }
}

/// Checks that parameters in different locations have different names. The bag of parameters stores one value per name.
fn check_names(names: &ParameterNames, errors: &mut BuildErrors) {
    let mut known = BTreeMap::new();
    for (location, name) in names {
        if let Some(other) = known.insert(name, *location).filter(|other| other != location) {
            errors.push(format!(
                "the parameter `{name}` is declared in {other} and in {location}, but an `Input` has one value per name; rename one of them"
            ));
        }
    }
}
