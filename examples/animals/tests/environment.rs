//! The server as its environment has it.

#![cfg(test)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

/// The example as a process, which ends when it is dropped.
struct Server {
    process: Child,
    /// Open, since it logs there.
    _output: BufReader<ChildStdout>,
    address: String,
    /// The place of the animals, as it is printed.
    place: String,
}

fn command(origins: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_animals"));
    let variables = [("PORT", "0"), ("DEV_API_KEY", "dev.0123456789abcdef"), ("CORS_ORIGINS", origins)];
    command.env_clear().envs(variables).current_dir(env!("CARGO_TARGET_TMPDIR"));
    if cfg!(feature = "sqlite") {
        command.env("DATABASE_URL", "sqlite::memory:");
    }
    command
}

/// Returns why the example does not start.
fn failure(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

impl Server {
    fn start(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut lines = output.by_ref().lines().map(Result::unwrap);
        let mut after = |words: &str| lines.find_map(|line| Some(line.split_once(words)?.1.to_owned())).unwrap();
        let address = after("respond at http://").split(',').next().unwrap().to_owned();
        let place = after("animals are stored in ");
        Self { process, _output: output, address, place }
    }

    /// The response to a request, whose body follows a length.
    fn send(&self, request: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let key = "X-Api-Key: dev.0123456789abcdef\r\n";
        let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        write!(stream, "{request}Host: animals\r\nConnection: close\r\n{key}{length}\r\n{body}").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }

    /// The values of a header in the response to a request.
    fn header(&self, request: &str, name: &str) -> Vec<String> {
        let reply = self.send(request, "");
        let headers = reply.lines().filter_map(|line| line.split_once(": "));
        headers.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn pages_of_other_origins_are_named() {
    let shop = "https://shop.example.com";
    let get = |origin: &str| format!("GET /health HTTP/1.1\r\nOrigin: {origin}\r\n");
    let allowed = "access-control-allow-origin";
    let server = Server::start(&mut command("https://shop.example.com, http://localhost:3000,"));
    for origin in [shop, "http://localhost:3000"] {
        assert_eq!(server.header(&get(origin), allowed), [origin]);
    }
    assert_eq!(server.header(&get("http://localhost:3001"), allowed), [""; 0]);
    let preflight =
        format!("OPTIONS /animals/7 HTTP/1.1\r\nOrigin: {shop}\r\nAccess-Control-Request-Method: PATCH\r\n");
    let methods = ["DELETE, GET, HEAD, OPTIONS, PATCH"];
    assert_eq!(server.header(&preflight, "access-control-allow-methods"), methods);
    let mut headers =
        "If-Match, If-None-Match, x-request-id, traceparent, tracestate, X-Api-Key, Content-Type".to_owned();
    if cfg!(feature = "compression") {
        headers.push_str(", content-encoding");
    }
    assert_eq!(server.header(&preflight, "access-control-allow-headers"), [headers]);
    assert_eq!(server.header(&preflight, "access-control-max-age"), ["600"]);
    assert_eq!(Server::start(&mut command("")).header(&get(shop), allowed), [""; 0]);
}

#[test]
fn what_is_no_origin_does_not_start() {
    let message = failure(&mut command("https://shop.example.com/"));
    assert!(message.contains("write `https://shop.example.com`"), "{message}");
}

/// Returns the first lines that the server prints, up to the first line of its log.
fn first_lines(command: &mut Command) -> Vec<String> {
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let output = BufReader::new(process.stdout.take().unwrap());
    let lines = output.lines().map(Result::unwrap).take_while(|line| !line.contains("restwright_")).collect();
    process.kill().unwrap();
    process.wait().unwrap();
    lines
}

#[test]
fn the_first_line_is_the_address_and_the_next_line_is_a_request_to_try() {
    let lines = first_lines(command("").env_remove("DEV_API_KEY"));
    let [address, request, place, cursors] = &*lines else { panic!("{lines:?}") };
    let (url, documented) =
        address.strip_prefix("animals respond at ").and_then(|rest| rest.split_once(", documented at ")).unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    assert_eq!(documented, format!("{url}/docs"));
    assert!(request.starts_with("try: curl -i -H 'X-Api-Key: dev.") && request.contains(url), "{request}");
    assert!(place.starts_with("animals are stored in "), "{place}");
    assert!(cursors.starts_with("cursors are valid until the server stops; set CURSOR_KEY"), "{cursors}");
}

#[test]
fn a_cursor_key_ends_the_warning_unless_it_is_too_short() {
    let lines = first_lines(command("").env("CURSOR_KEY", "0123456789abcdef0123456789abcdef"));
    assert_eq!(lines.len(), 2, "{lines:?}");
    let message = failure(command("").env("CURSOR_KEY", "secret"));
    assert!(message.contains("must have at least 32") && !message.contains("secret,"), "{message}");
}

/// The gate runs these tests with all features, with the default ones, and without any.
#[test]
fn a_setting_of_a_missing_feature_is_an_error_that_names_the_feature() {
    let postgres = if cfg!(feature = "postgres") {
        "127.0.0.1:1"
    } else if cfg!(feature = "sqlite") {
        "`--features postgres`"
    } else {
        "without `--no-default-features`"
    };
    let provider = if cfg!(feature = "jwks") { "belong together" } else { "`--features jwks`" };
    for (name, value, expected) in [
        ("DATABASE_URL", "postgres://postgres:secret@127.0.0.1:1/animals", postgres),
        ("JWKS_URL", "https://login.example.com/keys", provider),
    ] {
        let message = failure(command("").env(name, value));
        assert!(message.contains(expected) && !message.contains("secret"), "{name}: {message}");
    }
}

#[test]
fn animals_outlive_the_server_only_in_a_file() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("animals-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let start = || Server::start(command("").env_remove("DATABASE_URL").current_dir(&folder));
    let server = start();
    let file = folder.join("animals.db").display().to_string();
    let kept = cfg!(feature = "sqlite");
    assert_eq!(server.place, if kept { &file } else { "memory until the server stops" });
    let create = "POST /animals HTTP/1.1\r\nContent-Type: application/json\r\n";
    let created = server.send(create, r#"{"name": "Ada", "species": "cat"}"#);
    assert!(created.starts_with("HTTP/1.1 201 "), "{created}");
    let path = created.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    drop(server);
    let viewed = start().send(&format!("GET {path} HTTP/1.1\r\n"), "");
    assert!(viewed.starts_with(if kept { "HTTP/1.1 200 " } else { "HTTP/1.1 404 " }), "{viewed}");
    std::fs::remove_dir_all(folder).unwrap();
}
