use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

use restwright::body::{Bytes, StreamingBody};
use restwright::prelude::*;
use restwright::production::Compression;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{Events, Wire, head};
use crate::server::Server;

fn api(events: UnboundedReceiver<&'static str>) -> Api {
    let events = Mutex::new(Some(events));
    let route = Route::get("/events").id("events").public();
    let respond = move |()| {
        let events = events.lock().unwrap().take().unwrap();
        async {
            let pieces = futures_util::stream::unfold(events, async |mut events| {
                let event = events.recv().await?;
                Some((Ok(Bytes::from(event)), events))
            });
            Ok(Events(StreamingBody::new(pieces)))
        }
    };
    Api::builder(Configuration::new("events", "1.0.0"))
        .middleware(Compression::new())
        .controller(route.handler(respond))
        .build()
        .unwrap()
}

#[test]
fn each_event_arrives_before_the_next_is_made() {
    for coding in ["gzip", "br", "zstd"] {
        let (events, receiver) = unbounded_channel();
        let server = Server::start(api(receiver));
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream.write_all(&head(&server, "GET /events", &[&format!("Accept-Encoding: {coding}")])).unwrap();
        let (mut came, mut expected) = (Vec::new(), String::new());
        for event in ["data: 1\n\n", "data: 2\n\n", "data: Rex is a dog\n\n", "data: Rex is a dog\n\n"] {
            expected += event;
            events.send(event).unwrap();
            loop {
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).unwrap();
                assert!(read > 0, "{coding} {event}");
                came.extend_from_slice(&buffer[..read]);
                let reply = Wire::parse(&came);
                let (decoded, _) = reply.decode();
                assert!(expected.as_bytes().starts_with(&decoded), "{coding}");
                if decoded.len() == expected.len() {
                    assert_eq!(reply.header("content-encoding"), coding);
                    break;
                }
            }
        }
        drop(events);
        stream.read_to_end(&mut came).unwrap();
        let reply = Wire::parse(&came);
        assert!(reply.is_complete && reply.decoded() == expected.as_bytes(), "{coding}");
    }
}
