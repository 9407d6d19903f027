//! Tests of middlewares around limits.

use restwright::core::http::{HttpRequest, HttpResponse};
use restwright::core::operation::Operation;
use restwright::core::{AfterAuthentication, BuildContext, BuildErrors, Middleware, Next, Result, Route, Stage};
use restwright_rate_limit::{Quota, RateLimit};

use crate::scene::{Act, ONE, numbers, scene};

/// Skips the inner middleware for requests with `X-Pass`.
struct Unless<M>(M);

impl<M: Middleware> Middleware for Unless<M> {
    fn stage(&self) -> Stage {
        self.0.stage()
    }

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        self.0.plan(context)
    }

    fn describe(&self, operation: &mut Operation) {
        self.0.describe(operation);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        match request.header(&"x-pass".parse().unwrap()) {
            Some(_) => Ok(next.run(request).await),
            None => self.0.handle(request, next).await,
        }
    }
}

#[test]
fn skipping_a_limit_does_not_skip_those_after_it() {
    let scene = scene(|api| {
        let route =
            Route::get("/a").optional("name").middleware(Unless(RateLimit::global("first", Quota::per_minute(9))));
        let route = route.middleware(RateLimit::per_ip("second", Quota::per_minute(3)));
        let route = route.middleware(RateLimit::per_ip("third", Quota::per_minute(2)));
        api.controller(Act(route.middleware(RateLimit::per_identity("last", Quota::per_minute(5)))))
    });
    let pass: &[_] = &[("X-Pass", "yes")];
    let next = |headers| numbers(&scene.send("/a", ONE, headers));
    assert_eq!(next(pass), [Some(2), Some(1), Some(30), None]);
    assert_eq!(next(&[]), [Some(2), Some(0), Some(60), None]);
    assert_eq!(next(pass), [Some(2), Some(0), Some(60), Some(30)]);
    assert_eq!(next(&[]), [Some(3), Some(0), Some(60), Some(20)]);
}

/// Runs at the outermost stage, regardless of the stage of the inner middleware.
pub(crate) struct Outermost(pub(crate) RateLimit);

impl Middleware for Outermost {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        self.0.plan(context)
    }

    fn describe(&self, operation: &mut Operation) {
        self.0.describe(operation);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        self.0.handle(request, next).await
    }
}

#[test]
fn a_limit_on_the_api_counts_what_is_routed() {
    let limit = || RateLimit::per_ip("clients", Quota::per_minute(1));
    for outermost in [false, true] {
        let scene = scene(|api| {
            let api = if outermost { api.middleware(Outermost(limit())) } else { api.middleware(limit()) };
            api.controller(Act(Route::get("/a").public()))
        });
        let lost = scene.client.get("/lost").send();
        assert_eq!(numbers(lost.assert_status(404)), [None; 4]);
        assert_eq!(numbers(scene.client.post("/a").send().assert_status(405)), [None; 4]);
        scene.check("/a", &[(ONE, &[]), (ONE, &[])], &[204, 429]);
    }
}

/// A request that authentication refuses is charged to no limit behind it.
#[test]
fn a_limit_is_charged_where_what_is_around_it_stands() {
    let scene = scene(|api| {
        let late = AfterAuthentication(RateLimit::per_ip("late", Quota::per_minute(1)));
        let early = RateLimit::global("early", Quota::per_minute(3));
        api.controller(Act(Route::get("/a").authorize("name", [""; 0]).middleware(late).middleware(early)))
    });
    let ann: &[_] = &[("Authorization", "Test ann")];
    scene.check("/a", &[(ONE, &[]), (ONE, ann), (ONE, ann), (ONE, ann)], &[401, 204, 429, 429]);
}

/// Forwards everything but `plan`.
struct Forgetful(RateLimit);

impl Middleware for Forgetful {
    fn stage(&self) -> Stage {
        self.0.stage()
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        self.0.handle(request, next).await
    }
}

#[test]
fn a_limit_that_was_not_planned_lets_nobody_pass() {
    let scene = scene(|api| {
        let limit = Forgetful(RateLimit::per_ip("a", Quota::per_second(1)));
        api.controller(Act(Route::get("/a").public().middleware(limit)))
    });
    scene.check("/a", &[(ONE, &[])], &[500]);
}
