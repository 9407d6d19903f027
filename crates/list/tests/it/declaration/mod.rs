//! Mistakes in declarations, reported when the Api is built.

mod fields;
mod items;
mod pagination;
mod twice;

use restwright::list::{FilterBag, SortBag};
use restwright::prelude::*;
use serde::Serialize;

struct Endpoint<Q, S> {
    route: fn() -> Route,
    types: std::marker::PhantomData<fn() -> (Q, S)>,
}

impl<Q: Request, S: Response> Controller for Endpoint<Q, S> {
    type Request = Q;
    type Response = S;

    fn route(&self) -> Route {
        (self.route)()
    }

    async fn handle(&self, _: Q) -> Result<S> {
        unreachable!()
    }
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Nothing {}

#[derive(Request)]
struct Bags {
    _filters: FilterBag,
    _sort: SortBag,
}

#[track_caller]
fn check<Q: Request, S: Response>(route: fn() -> Route, expected: &[&str]) {
    let endpoint = Endpoint::<Q, S> { route, types: std::marker::PhantomData };
    let built = Api::builder(Configuration::new("tests", "1.0.0")).controller(endpoint).build();
    let Err(errors) = built else { return assert!(expected.is_empty(), "the Api was built") };
    assert_eq!(errors.messages().len(), expected.len(), "{errors}");
    for (message, expected) in errors.messages().iter().zip(expected) {
        assert!(message.contains(expected), "{message}\ndoes not contain\n{expected}");
    }
}

fn route() -> Route {
    Route::get("/list").public()
}
