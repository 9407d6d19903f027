//! The documentation page in a real browser, and pages of other origins.

mod access;
mod address;
mod authorising;
mod chromium;
mod cors;
mod events;
mod examples;
mod keyboard;
mod media;
mod page;
mod production;
mod provider;
mod websocket;

use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;

use restwright_actix::{Host, run};
use restwright_runtime::Api;

use chromium::Chromium;

/// Runs one browser at a time, because several would slow each other down.
static TURN: Mutex<()> = Mutex::new(());

/// Handles each connection on a separate thread, because a browser also opens connections without sending a request.
/// The threads end with the process.
fn each_connection(listener: TcpListener, handle: impl Fn(TcpStream) + Clone + Send + 'static) {
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, handle) = (stream.unwrap(), handle.clone());
            std::thread::spawn(move || handle(stream));
        }
    });
}

/// Serves the Api on a thread that ends with the process, and returns its address.
fn serve(api: Api) -> String {
    let bound = Host::new(api).workers(1).bind("127.0.0.1:0").unwrap();
    let address = bound.addresses()[0].to_string();
    std::thread::spawn(|| run(bound.serve()).unwrap());
    format!("http://{address}")
}
