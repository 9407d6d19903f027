//! Starting, readiness and stopping of an Api.

use std::future::{pending, ready};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::{
    BuildContext, BuildErrors, Component, ComponentError, Configuration, Middleware, Next, NoContent, Problem, Route,
};
use restwright_runtime::{Api, ComponentFailure};
use restwright_tests::Log;
use tracing::Level;

type Notes = Arc<Mutex<Vec<String>>>;

/// A component that records its calls and can fail in one way.
struct Noted(&'static str, Wrong, Notes);

#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    FailsToStart,
    PanicsAtStart,
    StartsSlowly,
    WaitsForever,
    BlocksForever,
    Panics,
}

impl Component for Noted {
    fn name(&self) -> &str {
        self.0
    }

    async fn start(&self) -> Result<(), ComponentError> {
        match self.1 {
            Wrong::FailsToStart => return Err("it cannot".into()),
            Wrong::PanicsAtStart => panic!("{} has a bug", self.0),
            Wrong::StartsSlowly => tokio::time::sleep(Duration::from_secs(35)).await,
            _ => {}
        }
        Ok(())
    }

    fn progress(&self) -> Option<String> {
        (self.1 == Wrong::StartsSlowly).then(|| "filling, 1 of 3 rows".to_owned())
    }

    async fn stop(&self) {
        match self.1 {
            Wrong::WaitsForever => pending().await,
            Wrong::Panics => panic!("{} panics", self.0),
            Wrong::BlocksForever => loop {
                std::thread::park();
            },
            // The runtime of the caller is available.
            _ => tokio::task::yield_now().await,
        }
        self.2.lock().unwrap().push(self.0.to_owned());
    }
}

fn api(components: &[(&'static str, Wrong)]) -> (Api, Notes) {
    let notes = Notes::default();
    let api = components.iter().fold(Api::builder(Configuration::new("test", "1.0.0")), |api, (name, wrong)| {
        api.component(Noted(name, *wrong, notes.clone()))
    });
    (api.build().unwrap(), notes)
}

fn names(outcome: Result<(), Vec<ComponentFailure>>) -> Vec<String> {
    outcome.err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn reports_components_that_do_not_stop_and_stops_the_others() {
    let components = [
        ("first", Wrong::Nothing),
        ("blocking", Wrong::BlocksForever),
        ("second", Wrong::Nothing),
        ("waiting", Wrong::WaitsForever),
        ("panicking", Wrong::Panics),
        ("third", Wrong::Nothing),
    ];
    let (api, notes) = api(&components);
    // Long enough for a panic that writes a backtrace.
    let outcome = api.stop_until(tokio::time::sleep(Duration::from_secs(1))).await;
    let given_up = |name: &str, why: &str| format!("the component `{name}` was abandoned while stopping: {why}");
    assert_eq!(
        names(outcome),
        [
            given_up("panicking", "it panicked"),
            given_up("waiting", "it did not stop in time"),
            given_up("blocking", "it did not stop in time"),
        ]
    );
    assert_eq!(*notes.lock().unwrap(), ["third", "second", "first"]);
    let (api, _) = self::api(&[("only", Wrong::Nothing)]);
    assert_eq!(names(api.stop_until(pending()).await), [""; 0]);
}

#[tokio::test]
async fn is_not_ready_once_it_begins_to_stop() {
    let (api, _) = api(&[("only", Wrong::Nothing)]);
    let stopping = ["the component `server` is not ready: the server is stopping"];
    let stop = api.stop_signal().clone();
    for end in ["begin", "stop", "stop_until"] {
        api.start().await.unwrap();
        assert!(!stop.is_stopping(), "{end}");
        assert_eq!(names(api.ready().await), [""; 0], "{end}");
        let told = tokio::spawn({
            let stop = stop.clone();
            async move { stop.stopping().await }
        });
        match end {
            "begin" => api.begin_stop(),
            "stop" => api.stop().await,
            _ => api.stop_until(ready(())).await.unwrap(),
        }
        assert!(stop.is_stopping(), "{end}");
        told.await.unwrap();
        assert_eq!(names(api.ready().await), stopping, "{end}");
    }
}

#[tokio::test]
async fn a_failed_start_does_not_wait_for_stuck_components() {
    let (api, notes) =
        api(&[("first", Wrong::Nothing), ("waiting", Wrong::WaitsForever), ("bad", Wrong::FailsToStart)]);
    let outcome = tokio::time::timeout(Duration::from_secs(30), api.start()).await.expect("it ends");
    assert_eq!(outcome.unwrap_err().to_string(), "the component `bad` cannot start: it cannot");
    assert_eq!(*notes.lock().unwrap(), ["first"]);
}

/// A component that is never ready.
struct Away(&'static str, bool);

impl Component for Away {
    fn name(&self) -> &str {
        self.0
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        Err("it is away".into())
    }

    fn is_required(&self) -> bool {
        self.1
    }
}

#[tokio::test]
async fn reports_optional_components_without_affecting_readiness() {
    for is_required in [false, true] {
        let api =
            Api::builder(Configuration::new("test", "1.0.0")).component(Away("cache", is_required)).build().unwrap();
        let expected: &[&str] = if is_required { &["the component `cache` is not ready: it is away"] } else { &[] };
        assert_eq!(names(api.ready().await), expected);
        let states = api.readiness().states().await;
        let components: Vec<_> = states.components().iter().map(|state| (state.name(), state.is_ready())).collect();
        assert_eq!((states.is_ready(), components), (!is_required, vec![("server", true), ("cache", false)]));
    }
}

/// A component that records its start. If it is planned, it registers itself as a store.
#[derive(Clone)]
struct Started(&'static str, Notes);

impl Component for Started {
    fn name(&self) -> &str {
        self.0
    }

    fn before_stores(&self) -> bool {
        self.0 == "tunnel"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.1.lock().unwrap().push(format!("start {}", self.0));
        Ok(())
    }

    async fn stop(&self) {
        self.1.lock().unwrap().push(format!("stop {}", self.0));
    }
}

impl Middleware for Started {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        context.component(self.clone());
        Ok(())
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> restwright_core::Result<HttpResponse> {
        Ok(next.run(request).await)
    }
}

/// Builds an application with a store and a seed, which may fail.
fn seeded(notes: &Notes, failure: Option<&'static str>) -> Api {
    let of = |name| Started(name, notes.clone());
    let noted = notes.clone();
    let route = Route::get("/").id("view").public().handler(async |(): ()| Ok(NoContent));
    Api::builder(Configuration::new("test", "1.0.0"))
        .component(of("worker"))
        .component(of("tunnel"))
        .component(of("mailer"))
        .middleware(of("store"))
        .seed(move || {
            noted.lock().unwrap().push("seed".to_owned());
            async move { failure.map_or(Ok(()), |failure| Err(Problem::internal(failure))) }
        })
        .controller(route)
        .build()
        .unwrap()
}

#[tokio::test]
async fn stores_start_before_seeds_and_components() {
    let notes = Notes::default();
    let api = seeded(&notes, None);
    for _ in 0..2 {
        notes.lock().unwrap().clear();
        api.start().await.unwrap();
        api.stop().await;
        let expected = ["start tunnel", "start store", "seed", "start worker", "start mailer"];
        let stopped = ["stop mailer", "stop worker", "stop store", "stop tunnel"];
        assert_eq!(*notes.lock().unwrap(), [&expected[..], &stopped[..]].concat());
    }
}

#[tokio::test]
async fn a_failed_seed_fails_the_start_with_its_cause() {
    let notes = Notes::default();
    let failure = seeded(&notes, Some("no table `pets`")).start().await.unwrap_err();
    assert_eq!(failure.component(), "seed");
    assert_eq!(
        failure.to_string(),
        "the component `seed` failed: 500 internal_error: Internal server error: no table `pets`"
    );
    assert_eq!(*notes.lock().unwrap(), ["start tunnel", "start store", "seed", "stop store", "stop tunnel"]);
}

#[tokio::test]
async fn a_component_that_panics_at_the_start_is_its_failure() {
    let (api, notes) = api(&[("first", Wrong::Nothing), ("pool", Wrong::PanicsAtStart)]);
    let error = api.start().await.unwrap_err().to_string();
    assert_eq!(error, "the component `pool` cannot start: it panicked: pool has a bug");
    assert_eq!(*notes.lock().unwrap(), ["first"]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_start_is_in_the_log() {
    let log = Log::up_to(Level::WARN);
    let _guard = restwright_tests::subscribe(log.clone());
    let (api, _) = api(&[("pool", Wrong::StartsSlowly)]);
    api.start().await.unwrap();
    let lines = log.take("");
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, seconds) in lines.iter().zip(["10", "20", "30"]) {
        let expected = format!("component=\"pool\" seconds={seconds} step=\"filling, 1 of 3 rows\"");
        assert!(line.contains("the server waits for a component to start") && line.contains(&expected), "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_start_is_not_ready() {
    let components = [("first", Wrong::Nothing), ("pool", Wrong::StartsSlowly), ("last", Wrong::Nothing)];
    let (api, _) = api(&components);
    let during = async {
        api.slow_start().await;
        let failures = names(api.ready().await);
        let expected = [
            "the component `pool` is not ready: filling, 1 of 3 rows",
            "the component `last` is not ready: it has not started",
        ];
        assert_eq!(failures, expected);
    };
    let (started, ()) = tokio::join!(api.start(), during);
    started.unwrap();
    assert!(names(api.ready().await).is_empty());
}
