//! The client: one keep-alive connection, one request at a time.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use crate::cases::Case;

pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// The identifier of the animal that requests are about, once one is.
    animal: Option<String>,
}

impl Client {
    pub(crate) fn connect(port: u16) -> Self {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("the server accepts");
        stream.set_nodelay(true).expect("a fresh socket takes options");
        Self { stream, buffer: vec![0; 64 * 1024], animal: None }
    }

    /// Sends `requests` requests in turn; only the first response is read closely.
    pub(crate) fn ask(&mut self, case: &Case, requests: u32) {
        let request = self.request(case);
        for number in 0..requests {
            self.stream.write_all(&request).expect("the server reads");
            let end = self.response();
            if number == 0 {
                check(case, &String::from_utf8_lossy(&self.buffer[..end]));
            }
        }
    }

    /// Returns the request of a case; the store makes the identifiers, so that one is read from a list before.
    fn request(&mut self, case: &Case) -> Vec<u8> {
        let request = String::from_utf8((case.request)()).expect("requests are text");
        if !request.contains("{id}") {
            return request.into_bytes();
        }
        let animal = self.animal.take().unwrap_or_else(|| self.first_animal());
        let request = request.replace("{id}", &animal);
        self.animal = Some(animal);
        request.into_bytes()
    }

    fn first_animal(&mut self) -> String {
        self.send(b"GET /animals?limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let end = self.response();
        let response = String::from_utf8_lossy(&self.buffer[..end]);
        let (_, id) = response.split_once(r#"{"data":[{"id":""#).expect("there are animals");
        id.chars().take_while(|character| *character != '"').collect()
    }

    /// Sends so many requests at once, and reads their responses, which have one length.
    pub(crate) fn ask_at_once(&mut self, case: &Case, requests: u32) {
        self.send(&(case.request)().repeat(requests as usize));
        self.receive(requests as usize, case.status);
    }

    pub(crate) fn send(&mut self, requests: &[u8]) {
        self.stream.write_all(requests).expect("the server reads");
    }

    /// Reads so many responses, which have one length and this status.
    pub(crate) fn receive(&mut self, responses: usize, status: u16) {
        let (mut filled, mut expected) = (0, None);
        while expected.is_none_or(|expected| filled < expected) {
            filled += match self.stream.read(&mut self.buffer[filled..]).expect("the server writes") {
                0 => panic!("the server closed the connection"),
                count => count,
            };
            expected = expected.or_else(|| Some(end_of_response(&self.buffer[..filled])? * responses));
        }
        assert_eq!(Some(filled), expected, "responses differ");
        let start = format!("HTTP/1.1 {status} ");
        assert!(self.buffer.starts_with(start.as_bytes()), "expected {start}");
    }

    /// Reads one response to its end, and returns its length.
    fn response(&mut self) -> usize {
        let mut filled = 0;
        let mut end = None;
        loop {
            filled += match self.stream.read(&mut self.buffer[filled..]).expect("the server writes") {
                0 => panic!("the server closed the connection"),
                count => count,
            };
            end = end.or_else(|| end_of_response(&self.buffer[..filled]));
            if end.is_some_and(|end| filled >= end) {
                return filled;
            }
        }
    }
}

fn end_of_response(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..head]).expect("a head is text").to_ascii_lowercase();
    let length =
        text.lines().find_map(|line| line.strip_prefix("content-length:")).expect("every response has a length");
    Some(head + length.trim().parse::<usize>().expect("a length is a number"))
}

fn check(case: &Case, response: &str) {
    let status = format!("HTTP/1.1 {} ", case.status);
    assert!(response.starts_with(&status), "{}: expected {status}in\n{response}", case.name);
    for part in case.holds {
        assert!(response.contains(part), "{}: expected {part} in\n{response}", case.name);
    }
    for header in ["content-type: ", "content-length: ", "date: "] {
        assert!(response.to_ascii_lowercase().contains(header), "{}: expected {header}in\n{response}", case.name);
    }
}
