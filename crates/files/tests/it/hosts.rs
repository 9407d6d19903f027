//! An Api on the sockets of both hosts.

use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread;

use restwright::{Api, Host};

/// Calls `check` with the address of an Api, once served by `Host` and once inside of an actix-web `App`. A stopped Api closes
/// its connections, so `api` creates one for each host.
pub(crate) fn on_both_hosts(api: impl Fn() -> Api, check: impl Fn(SocketAddr)) {
    let bound = Host::new(api()).workers(1).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = thread::spawn(move || restwright::run(bound.serve()));
    check(address);
    stop.stop();
    server.join().unwrap().unwrap();

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = mpsc::channel();
    let api = api();
    let app = thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let app = move || actix_web::App::new().service(restwright::service(api.clone()));
            let server = actix_web::HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
            sender.send(server.handle()).unwrap();
            server.await.unwrap();
        });
    });
    let handle = receiver.recv().unwrap();
    check(address);
    drop(handle.stop(false));
    app.join().unwrap();
}
