//! The endpoints through a socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use restwright::auth::Access;
use restwright::{Host, run};
use restwright_resource::Endpoints;

use super::{FailingStore, api};

fn send(address: SocketAddr, request: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = "Host: shelter\r\nConnection: close\r\nContent-Type: application/json";
    let length = body.len();
    write!(stream, "{request} HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn an_entity_lives() {
    let api = api(&Endpoints::new(FailingStore::default(), Access::public()));
    let bound = Host::new(api).workers(1).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = thread::spawn(|| run(bound.serve()).unwrap());

    let created = send(address, "POST /animals", r#"{"name": "Ada", "species": "dog"}"#);
    let path = created.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or(&created);
    let mut found = vec![created.as_str()];
    let rest = [("PATCH", r#"{"name": "Bo"}"#), ("GET", ""), ("HEAD", ""), ("DELETE", ""), ("GET", "")]
        .map(|(method, body)| send(address, &format!("{method} {path}"), body));
    found.extend(rest.iter().map(String::as_str));
    let statuses: Vec<_> = found.iter().map(|response| response.split(' ').nth(1).unwrap()).collect();
    assert_eq!(statuses, ["201", "200", "200", "200", "204", "404"]);
    assert!(rest[1].contains("\"name\":\"Bo\""), "{}", rest[1]);
    assert!(rest[2].contains("\r\netag: \"") && rest[2].ends_with("\r\n\r\n"), "{}", rest[2]);

    stop.stop();
    server.join().unwrap();
}
