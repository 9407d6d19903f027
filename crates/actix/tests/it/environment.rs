//! Sockets and limits that the environment declares.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use restwright_actix::{Host, Listener, run};
use restwright_runtime::core::Settings;

use crate::api;
use crate::server::serve;

const CHILD: &str = "RESTWRIGHT_TEST_ENVIRONMENT";
const REQUEST: &[u8] = b"GET /pets/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/// A folder for sockets that is removed with this value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("restwright-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is a temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn settings(listen: &str) -> Settings {
    Settings::new("SHOP", [("SHOP_LISTEN", listen), ("SHOP_WORKERS", "1")])
}

fn error_of(variables: &[(&str, &str)]) -> String {
    let settings = Settings::new("SHOP", variables.iter().copied());
    Host::new(api::api()).bind_environment(&settings).unwrap_err().to_string()
}

fn status(mut stream: impl Read + Write) -> String {
    stream.write_all(REQUEST).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response.lines().next().unwrap_or_default().to_owned()
}

/// Returns a port that is free for IPv4 and IPv6.
fn free_port() -> u16 {
    TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0)).unwrap().local_addr().unwrap().port()
}

#[test]
fn listens_at_several_addresses_and_a_unix_socket() {
    let (folder, port) = (Folder::new("several"), free_port());
    let path = folder.file("http.sock");
    let settings = settings(&format!("0.0.0.0:{port}, [::]:{port}, unix:{path}"));
    let bound = Host::new(api::api()).bind_environment(&settings).unwrap();
    assert_eq!(bound.addresses().len(), 2);
    let (stop, server) = serve(bound);
    for address in [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))] {
        assert_eq!(status(TcpStream::connect(address).unwrap()), "HTTP/1.1 200 OK", "{address}");
    }
    assert_eq!(status(UnixStream::connect(&path).unwrap()), "HTTP/1.1 200 OK");
    stop.stop();
    server.join().unwrap().unwrap();
}

#[test]
fn the_ipv6_wildcard_includes_ipv4() {
    let port = free_port();
    let (stop, server) = serve(Host::new(api::api()).bind_environment(&settings(&format!("[::]:{port}"))).unwrap());
    assert_eq!(status(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap()), "HTTP/1.1 200 OK");
    stop.stop();
    server.join().unwrap().unwrap();
}

#[test]
fn replaces_the_socket_file_of_a_server_that_has_ended() {
    let folder = Folder::new("stale");
    let path = folder.file("http.sock");
    drop(UnixListener::bind(&path).unwrap());
    let bound = Host::new(api::api()).workers(1).listen(Listener::unix(&path).unwrap()).unwrap();
    let (stop, server) = serve(bound);
    assert_eq!(status(UnixStream::connect(&path).unwrap()), "HTTP/1.1 200 OK");
    let error = Listener::unix(&path).unwrap_err().to_string();
    let expected = format!(
        "cannot listen at `unix:{path}`: Address already in use (os error 98), because a server listens there; stop it, or choose another path"
    );
    assert_eq!(error, expected);
    stop.stop();
    server.join().unwrap().unwrap();
}

#[test]
fn names_what_to_write_if_a_socket_cannot_be_bound() {
    let folder = Folder::new("errors");
    let file = folder.file("notes.txt");
    std::fs::write(&file, "important").unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let in_use = "Address already in use (os error 98)";
    for (listen, expected) in [
        (
            format!("unix:{file}"),
            format!(
                "cannot listen at `unix:{file}`: {in_use}, because the file is not a socket; remove it, or choose another path"
            ),
        ),
        (
            "unix:/nowhere/http.sock".to_owned(),
            "cannot listen at `unix:/nowhere/http.sock`: No such file or directory (os error 2); create the folder, or correct the path"
                .to_owned(),
        ),
        (
            taken.to_string(),
            format!(
                "cannot listen at {taken}: {in_use}; another process already listens there, perhaps another instance of this program; choose another address"
            ),
        ),
        ("127.0.0.1:0,unix:".to_owned(), "`SHOP_LISTEN` must contain a path after `unix:`".to_owned()),
        (
            "8080".to_owned(),
            "`SHOP_LISTEN` cannot be used: cannot listen at \"8080\": it cannot be resolved: invalid socket address; write a host and a port, such as `127.0.0.1:8080`"
                .to_owned(),
        ),
    ] {
        assert_eq!(error_of(&[("SHOP_LISTEN", &listen)]), expected, "{listen}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "important");
    for (name, range) in [("WORKERS", "1 to 512"), ("MAX_CONNECTIONS", "1 to 10000000"), ("DRAIN", "0 to 86400")] {
        let expected = format!("`SHOP_{name}` must be a whole number from {range}");
        assert_eq!(error_of(&[(&format!("SHOP_{name}"), "-1")]), expected);
    }
}

/// Not a test: the code of the child process, which serves until it receives SIGTERM.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_some() {
        let bound = Host::new(api::api()).bind_environment(&Settings::from_environment("SHOP"));
        match bound {
            Ok(bound) => run(bound.serve()).unwrap(),
            Err(error) => println!("\nerror: {error}"),
        }
    }
}

/// Starts the child with a socket as its descriptor 0, like a service manager that passes one.
fn start(socket: OwnedFd, variables: &[(&str, &str)]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "environment::child", "--nocapture"])
        .env(CHILD, "1")
        .envs([("LISTEN_FDS", "1"), ("LISTEN_FDS_FIRST_FD", "0"), ("SHOP_WORKERS", "1")])
        .envs(variables.iter().copied())
        .stdin(socket)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn terminate(mut child: Child) {
    let sent = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success() && child.wait().unwrap().success());
}

/// The socket stays open while no server runs, so requests wait for the next server.
#[test]
fn serves_on_a_socket_of_the_service_manager_and_reports_its_state() {
    let folder = Folder::new("activation");
    let notified = UnixDatagram::bind(folder.file("notify.sock")).unwrap();
    notified.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let state = || {
        let mut bytes = [0; 64];
        let length = notified.recv(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes[..length]).trim_end().to_owned()
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    for _ in 0..2 {
        // It connects before the server starts.
        let stream = TcpStream::connect(address).unwrap();
        // `SHOP_LISTEN` would fail.
        let variables = [("NOTIFY_SOCKET", folder.file("notify.sock")), ("SHOP_LISTEN", "unix:/nowhere/a".to_owned())];
        let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
        let child = start(listener.try_clone().unwrap().into(), &variables);
        assert_eq!(status(stream), "HTTP/1.1 200 OK");
        assert_eq!(state(), "READY=1");
        terminate(child);
        assert_eq!(state(), "STOPPING=1");
    }
    let path = folder.file("http.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let stream = UnixStream::connect(&path).unwrap();
    let child = start(listener.into(), &[]);
    assert_eq!(status(stream), "HTTP/1.1 200 OK");
    terminate(child);
}

#[test]
fn rejects_a_descriptor_that_is_not_a_listening_socket() {
    let file = std::fs::File::open("/dev/null").unwrap();
    let output = start(file.into(), &[]).wait_with_output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let error = output.lines().find_map(|line| line.strip_prefix("error: "));
    let expected = "socket 1 of `LISTEN_FDS` cannot be used: fd 0 is not a socket; pass a TCP or Unix socket, such as by `ListenStream=` of systemd";
    assert_eq!(error, Some(expected), "{output}");
}
