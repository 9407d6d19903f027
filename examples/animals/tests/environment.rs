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
}

fn command(origins: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_animals"));
    let variables = [("PORT", "0"), ("DEV_API_KEY", "dev.0123456789abcdef"), ("CORS_ORIGINS", origins)];
    command.env_clear().envs(variables);
    if cfg!(feature = "sql") {
        command.env("DATABASE_URL", "sqlite::memory:");
    }
    command
}

impl Server {
    fn start(origins: &str) -> Self {
        let mut process = command(origins).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut lines = output.by_ref().lines().map(Result::unwrap);
        let announced = lines.find_map(|line| Some(line.split_once("respond at http://")?.1.to_owned()));
        let address = announced.unwrap().split(',').next().unwrap().to_owned();
        Self { process, _output: output, address }
    }

    /// The values of a header in the response to a request.
    fn header(&self, request: &str, name: &str) -> Vec<String> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{request}Host: animals\r\nConnection: close\r\n\r\n").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
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
    let server = Server::start("https://shop.example.com, http://localhost:3000,");
    for origin in [shop, "http://localhost:3000"] {
        assert_eq!(server.header(&get(origin), allowed), [origin]);
    }
    assert_eq!(server.header(&get("http://localhost:3001"), allowed), [""; 0]);
    let preflight =
        format!("OPTIONS /animals/7 HTTP/1.1\r\nOrigin: {shop}\r\nAccess-Control-Request-Method: PATCH\r\n");
    let methods = ["DELETE, GET, HEAD, OPTIONS, PATCH"];
    assert_eq!(server.header(&preflight, "access-control-allow-methods"), methods);
    let headers =
        ["If-Match, If-None-Match, x-request-id, traceparent, tracestate, X-Api-Key, Content-Type, content-encoding"];
    assert_eq!(server.header(&preflight, "access-control-allow-headers"), headers);
    assert_eq!(server.header(&preflight, "access-control-max-age"), ["600"]);
    assert_eq!(Server::start("").header(&get(shop), allowed), [""; 0]);
}

#[test]
fn what_is_no_origin_does_not_start() {
    let output = command("https://shop.example.com/").output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(message.contains("write `https://shop.example.com`"), "{message}");
}
