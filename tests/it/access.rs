//! Checks the access to every operation of the animals over a socket. The operations are read from the Api, so that a new route is covered.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use animals::api_for;
use animals::authentication::{Authentication, SCOPES};
use restwright::auth::{ApiKey, NewApiKey};
use restwright::operation::{Operation, ParameterLocation};
use restwright::{Api, Host, StopHandle, run};

/// The animals on a thread that ends with this value. There is a key with all scopes, one without scopes, and one for each missing scope.
struct Server {
    stop: StopHandle,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
    api: Api,
    all: NewApiKey,
    without: Vec<(NewApiKey, Vec<&'static str>)>,
}

impl Server {
    fn start() -> Self {
        let without = SCOPES.map(|scope| vec![scope]).into_iter().chain([SCOPES.to_vec()]);
        let without: Vec<_> = without
            .zip(0..)
            .map(|(scopes, id)| (ApiKey::generate(&format!("without-{id}")).unwrap(), scopes))
            .collect();
        let all = ApiKey::generate("all").unwrap();
        let mut authentication = Authentication::default().key(all.key().clone().scopes(SCOPES));
        for (key, missing) in &without {
            let scopes = SCOPES.into_iter().filter(|scope| !missing.contains(scope));
            authentication = authentication.key(key.key().clone().scopes(scopes));
        }
        let api = api_for(&authentication, 10_000, animals::store_at("sqlite::memory:")).unwrap();
        let bound = Host::new(api.clone()).workers(1).bind("127.0.0.1:0").unwrap();
        let (address, stop) = (bound.addresses()[0], bound.stop_handle());
        let thread = Some(std::thread::spawn(|| run(bound.serve()).unwrap()));
        Self { stop, thread, address, api, all, without }
    }

    /// Sends a request and returns the status and the whole response.
    fn send(&self, broken: &Broken, key: Option<&NewApiKey>) -> (u16, String) {
        let Broken { method, target, body, .. } = broken;
        let key = key.map(|key| format!("X-Api-Key: {}\r\n", key.text())).unwrap_or_default();
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: animals\r\nConnection: close\r\nContent-Type: application/json\r\n{key}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        let response = String::from_utf8_lossy(&response).into_owned();
        (response.split(' ').nth(1).unwrap().parse().unwrap(), response)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.stop();
        let served = self.thread.take().unwrap().join();
        assert!(served.is_ok() || std::thread::panicking(), "the server failed");
    }
}

/// An invalid request, and the status of its response if the caller may send it.
#[derive(Debug)]
struct Broken {
    method: String,
    target: String,
    body: &'static str,
    status: u16,
}

/// Returns a request for an operation with invalid values in path, query and body, and one whose body is not JSON.
fn broken(operation: &Operation) -> Vec<Broken> {
    let method = operation.method.to_string();
    let names = |location| {
        operation.parameters.iter().filter(move |found| found.location == location).map(|found| found.name.as_str())
    };
    let mut target = names(ParameterLocation::Path)
        .fold(operation.path.clone(), |path, name| path.replace(&format!("{{{name}}}"), "!"));
    for (position, name) in names(ParameterLocation::Query).enumerate() {
        target += &format!("{}{name}=!", if position == 0 { "?" } else { "&" });
    }
    let wrong = |body, status| Broken { method: method.clone(), target: target.clone(), body, status };
    match &operation.request_body {
        Some(_) => vec![wrong(r#"{"name": 7}"#, 422), wrong("{", 400)],
        None => vec![wrong("", if target.contains('!') { 422 } else { 200 })],
    }
}

#[test]
fn access_is_checked_before_the_request_is_validated() {
    let server = Server::start();
    let mut forbidden = 0;
    for route in server.api.routes().filter(|route| !route.admits_guests()) {
        let operation = route.operation();
        let required: BTreeSet<&String> =
            operation.security.iter().flat_map(|requirement| requirement.schemes.values()).flatten().collect();
        for broken in broken(operation) {
            let (status, response) = server.send(&broken, None);
            assert_eq!(status, 401, "{broken:?} {response}");
            assert!(response.contains("www-authenticate: ApiKey realm=\"animals\"\r\n"), "{broken:?} {response}");
            let (status, response) = server.send(&broken, Some(&ApiKey::generate("all").unwrap()));
            assert_eq!(status, 401, "{broken:?} {response}");
            for (key, missing) in &server.without {
                let (status, response) = server.send(&broken, Some(key));
                let missing: Vec<_> = missing.iter().filter(|scope| required.contains(&(**scope).to_owned())).collect();
                assert_eq!(status, if missing.is_empty() { broken.status } else { 403 }, "{broken:?} {response}");
                forbidden += usize::from(status == 403);
                assert!(missing.iter().all(|scope| response.contains(**scope)), "{broken:?} {response}");
            }
            let (status, response) = server.send(&broken, Some(&server.all));
            assert_eq!(status, broken.status, "{broken:?} {response}");
        }
    }
    assert!(forbidden > 0);
}

#[test]
fn guests_reach_only_public_operations() {
    let server = Server::start();
    let open = server
        .api
        .routes()
        .map(|route| route.operation())
        .filter(|operation| broken(operation).iter().any(|broken| server.send(broken, None).0 != 401));
    let open: BTreeSet<_> = open.map(|operation| format!("{} {}", operation.method, operation.path)).collect();
    let open: Vec<_> = open.iter().filter(|name| !name.starts_with("GET /docs/")).collect();
    assert_eq!(
        open,
        [
            "GET /docs",
            "GET /health",
            "GET /livez",
            "GET /openapi-3.0.json",
            "GET /openapi-3.2.json",
            "GET /openapi.json",
            "GET /readyz",
            "POST /shelters"
        ]
    );
}

#[test]
fn an_animal_is_created_changed_and_deleted_over_a_socket() {
    let server = Server::start();
    let send = |method: &str, target: &str, body| {
        let call = Broken { method: method.to_owned(), target: target.to_owned(), body, status: 0 };
        server.send(&call, Some(&server.all))
    };
    let (status, response) = send("POST", "/animals", r#"{"name": "Ada", "species": "cat"}"#);
    assert_eq!(status, 201, "{response}");
    let path = response.lines().find_map(|line| line.strip_prefix("location: ")).unwrap().to_owned();
    for (method, target, body, status) in [
        ("GET", path.as_str(), "", 200),
        ("GET", "/animals?species[in]=cat,dog&name[contains]=a&order_by=-name", "", 200),
        ("PATCH", &path, r#"{"weight_kg": 4.2}"#, 200),
        ("DELETE", &path, "", 204),
        ("GET", &path, "", 404),
    ] {
        let (found, response) = send(method, target, body);
        assert_eq!(found, status, "{method} {target} {response}");
        assert_eq!(status == 200, response.contains(r#""name":"Ada""#), "{method} {target} {response}");
    }
}
