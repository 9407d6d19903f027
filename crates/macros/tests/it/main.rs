//! What the derives emit.

#![cfg(test)]

restwright_tests::facade!(list, openapi, resource, testing);

use restwright::testing::TestClient;

mod parts;
mod problems;
mod record;
mod request;
mod resources;
mod response;
mod schemas;

/// A controller with two functions for its methods.
struct Endpoint<Q, S> {
    route: fn() -> Route,
    handle: fn(Q) -> Result<S>,
}

impl<Q: Request, S: Response> Controller for Endpoint<Q, S> {
    type Request = Q;
    type Response = S;

    fn route(&self) -> Route {
        (self.route)()
    }

    async fn handle(&self, request: Q) -> Result<S> {
        (self.handle)(request)
    }
}

fn api<Q: Request, S: Response>(route: fn() -> Route, handle: fn(Q) -> Result<S>) -> Result<Api, BuildErrors> {
    Api::builder(Configuration::new("tests", "1.0.0")).controller(Endpoint { route, handle }).build()
}

/// A client of an Api with one endpoint.
fn client<Q: Request, S: Response>(route: fn() -> Route, handle: fn(Q) -> Result<S>) -> TestClient {
    TestClient::new(api(route, handle).unwrap())
}
