//! Prepares a controller while the Api is built, and calls the controller for each request.

use std::any::type_name;
use std::pin::pin;
use std::time::Duration;

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::runtime::LocalBoxFuture;
use restwright_core::{
    BuildContext, BuildErrorKind, BuildErrors, Controller, Problem, Reader, Request, Response, Result, Route,
};

use super::deadline::{warn_if_held, within};

/// A declared controller, which is prepared when the Api is built.
pub(crate) trait DeclaredController: Send + Sync {
    fn route(&self) -> Route;

    /// Returns the default `operationId` of the route. It is the type name of the controller in camel case.
    fn default_id(&self) -> String;

    fn plan(
        self: Box<Self>,
        context: &mut BuildContext<'_>,
        settings: CallSettings,
    ) -> Result<Box<dyn Endpoint>, BuildErrors>;
}

/// A prepared controller, which can handle requests.
pub(crate) trait Endpoint: Send + Sync {
    fn call<'a>(&'a self, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Result<HttpResponse>>;
}

/// The settings for calling a controller, which the route or the configuration defines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallSettings {
    pub(crate) deadline: Duration,
    pub(crate) max_violations: usize,
    pub(crate) strict: bool,
}

pub(crate) struct UnplannedController<C>(pub(crate) C);

impl<C: Controller> DeclaredController for UnplannedController<C> {
    fn route(&self) -> Route {
        self.0.route()
    }

    fn default_id(&self) -> String {
        camel_case(type_name::<C>())
    }

    fn plan(
        self: Box<Self>,
        context: &mut BuildContext<'_>,
        settings: CallSettings,
    ) -> Result<Box<dyn Endpoint>, BuildErrors> {
        match (C::Request::plan(context), C::Response::plan(context)) {
            (Ok(request), Ok(response)) => {
                C::Request::describe(&request, context.operation());
                C::Response::describe(&response, context.operation());
                let configuration = context.configuration();
                let strict = configuration.values().rejects_undeclared_query(context.operation().is_list);
                let settings = CallSettings { strict, ..settings };
                Ok(Box::new(PlannedController { controller: self.0, request, response, settings }))
            }
            (request, response) => Err(errors_of(request.err(), response.err())),
        }
    }
}

struct PlannedController<C: Controller> {
    controller: C,
    request: <C::Request as Request>::Plan,
    response: <C::Response as Response>::Plan,
    settings: CallSettings,
}

impl<C: Controller> Endpoint for PlannedController<C> {
    fn call<'a>(&'a self, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Result<HttpResponse>> {
        Box::pin(async move {
            let input = {
                let mut reader = Reader::new(request, self.settings.max_violations)?;
                let input = C::Request::read(&self.request, &mut reader).await?;
                reader.finish(self.settings.strict)?;
                input.ok_or_else(no_input)?
            };
            let deadline = self.settings.deadline;
            let mut output = None;
            {
                let handler = pin!(async { output = Some(self.controller.handle(input).await) });
                within(deadline, pin!(warn_if_held(deadline, request, handler))).await?;
            }
            let response = output.ok_or_else(no_output)??.respond(&self.response, request)?;
            if response.is_long_lived() { limited(response, request) } else { Ok(response) }
        })
    }
}

/// Combines the build errors of a controller's request and response types.
fn errors_of(request: Option<BuildErrors>, response: Option<BuildErrors>) -> BuildErrors {
    let mut all = BuildErrors::new();
    let of_request = request.map(|errors| errors.or_kind(BuildErrorKind::Request));
    let of_response = response.map(|errors| errors.or_kind(BuildErrorKind::Response));
    for errors in [of_request, of_response].into_iter().flatten() {
        let _: Option<()> = all.take(Err(errors));
    }
    all
}

/// Applies the limits of long-lived responses.
fn limited(response: HttpResponse, request: &HttpRequest) -> Result<HttpResponse> {
    match request.in_flight() {
        Some(in_flight) => in_flight.long_lived().admit(response, request),
        None => Ok(response),
    }
}

fn no_input() -> Problem {
    Problem::internal("a request part returned no value and reported no violation")
}

fn no_output() -> Problem {
    Problem::internal("the controller ended without a result")
}

/// Converts a type name to camel case. For example, `app::CreatePet` becomes `createPet`, and `app::List<app::Pet>`
/// becomes `listPet`.
fn camel_case(type_name: &str) -> String {
    let words =
        type_name.split(['<', '>', ',', ' ', '&', '(', ')']).map(|path| path.rsplit("::").next().unwrap_or(path));
    let name = words.fold(String::new(), |name, word| name + word);
    let mut characters = name.chars();
    characters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_operation_names_from_controllers() {
        assert_eq!(camel_case("app::pets::CreatePet"), "createPet");
        assert_eq!(camel_case("app::List<app::Pet>"), "listPet");
    }
}
