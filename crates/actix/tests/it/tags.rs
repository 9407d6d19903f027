//! Weak tags, through both hosts.

use restwright_runtime::Api;
use restwright_runtime::core::conditional::{EntityTag, Preconditions, Tagged};
use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::{
    BuildContext, BuildErrors, Configuration, Data, Part, Problem, Reader, Request, Result, Route,
};

use crate::client::RawResponse;
use crate::server::Server;

/// A request that is only its preconditions.
struct Change(Preconditions);

impl Request for Change {
    type Plan = <Preconditions as Part>::Plan;

    fn plan(context: &mut BuildContext<'_>) -> std::result::Result<Self::Plan, BuildErrors> {
        Preconditions::plan(context)
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        Preconditions::describe(plan, operation);
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.part::<Preconditions>(plan).map(Self))
    }
}

/// A state in version 5, which nothing changes.
fn api(configuration: Configuration) -> Api {
    let view =
        Route::get("/state").id("view").public().handler(async |_: ()| Ok(Tagged::new(EntityTag::strong(5), Data(1))));
    let change = Route::patch("/state").id("change").public();
    let change = change.handler(async |sent: Change| {
        sent.0.check(Some(&EntityTag::strong(5)))?;
        Ok::<_, Problem>(Tagged::new(EntityTag::strong(5), Data(1)))
    });
    Api::builder(configuration).controller(view).controller(change).build().unwrap()
}

fn configuration() -> Configuration {
    Configuration::new("test", "1.0.0")
}

/// Sends each request, and compares the status and the tag of its response.
fn check(send: impl Fn(String) -> RawResponse) {
    for (method, headers, status, tag) in [
        ("GET", "", 200, Some("W/\"5\"")),
        ("GET", "If-None-Match: W/\"5\"\r\n", 304, Some("W/\"5\"")),
        ("GET", "If-None-Match: \"5;gzip\"\r\n", 304, Some("W/\"5;gzip\"")),
        ("GET", "If-Match: W/\"5\"\r\n", 200, Some("W/\"5\"")),
        ("PATCH", "If-Match: W/\"5\"\r\n", 200, Some("W/\"5\"")),
        ("PATCH", "If-Match: \"4\", W/\"5;gzip\"\r\n", 200, Some("W/\"5\"")),
        ("PATCH", "If-Match: \"aW/\",W/\"a\" , W/\"5\"\r\n", 200, Some("W/\"5\"")),
        ("PATCH", "If-Match: \"aW/\"\r\nIf-Match: W/\"5\"\r\n", 200, Some("W/\"5\"")),
        ("PATCH", "If-Match: *\r\n", 200, Some("W/\"5\"")),
        ("PATCH", "If-Match: \"5\"\r\n", 200, Some("W/\"5\"")),
        ("PATCH", "If-Match: W/\"4\"\r\n", 412, None),
        ("PATCH", "If-None-Match: W/\"5\"\r\n", 412, None),
        ("PATCH", "If-Match: W/5\r\n", 422, None),
    ] {
        let response = send(format!("{method} /state HTTP/1.1\r\nHost: t\r\n{headers}\r\n"));
        assert_eq!((response.status, response.header("etag")), (status, tag), "{method} {headers}");
    }
}

#[test]
fn weak_tags_satisfy_if_match() {
    let server = Server::serving(api(configuration().weak_tags()), |host| host);
    check(|request| server.send(request));
}

#[cfg(feature = "actix-web")]
#[test]
fn weak_tags_satisfy_if_match_in_an_app() {
    let mounted = crate::app::Mounted::with(api(configuration().weak_tags()));
    check(|request| mounted.connect().send(request).response());
}

#[test]
fn without_the_setting_a_weak_tag_does_not_satisfy_if_match() {
    let server = Server::serving(api(configuration()), |host| host);
    let sent = |tag: &str| server.send(format!("PATCH /state HTTP/1.1\r\nHost: t\r\nIf-Match: {tag}\r\n\r\n"));
    assert_eq!(sent("W/\"5\"").status, 412);
    let changed = sent("\"5\"");
    assert_eq!((changed.status, changed.header("etag")), (200, Some("\"5\"")));
}
