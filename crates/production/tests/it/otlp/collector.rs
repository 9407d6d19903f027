//! A collector of OpenTelemetry for tests, which decodes what it gets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

#[derive(Clone)]
pub(super) struct Collector {
    address: SocketAddr,
    /// What it does with a batch: the status of its response, or none, then it hangs.
    status: Arc<Mutex<Option<u16>>>,
    received: Arc<Mutex<Vec<Batch>>>,
    /// How many spans of each batch it rejects.
    rejected: Arc<Mutex<i64>>,
}

#[derive(Clone)]
pub(super) struct Batch {
    /// The request line and the headers, in lower case.
    pub(super) head: String,
    pub(super) message: ExportTraceServiceRequest,
}

impl Batch {
    pub(super) fn spans(&self) -> u64 {
        self.clone().into_spans().count() as u64
    }

    fn into_spans(self) -> impl Iterator<Item = Span> {
        let scopes = self.message.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans)
    }
}

impl Collector {
    pub(super) fn start(status: Option<u16>) -> Self {
        Self::over(status, |stream| stream)
    }

    /// Starts a collector over TLS, at `https://`.
    pub(super) fn over_tls(tls: ServerConfig) -> Self {
        let tls = Arc::new(tls);
        Self::over(Some(200), move |stream| StreamOwned::new(ServerConnection::new(tls.clone()).unwrap(), stream))
    }

    fn over<S: Read + Write>(status: Option<u16>, wrap: impl Fn(TcpStream) -> S + Clone + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let collector =
            Self { address, status: Arc::new(Mutex::new(status)), received: Arc::default(), rejected: Arc::default() };
        let accepting = collector.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (collector, wrap) = (accepting.clone(), wrap.clone());
                std::thread::spawn(move || collector.serve(wrap(stream.unwrap())));
            }
        });
        collector
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn set_status(&self, status: u16) {
        *self.status.lock().unwrap() = Some(status);
    }

    pub(super) fn set_rejected(&self, spans: i64) {
        *self.rejected.lock().unwrap() = spans;
    }

    fn serve(&self, stream: impl Read + Write) {
        let mut reader = BufReader::new(stream);
        loop {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if reader.read_line(&mut head).unwrap_or(0) == 0 {
                    return;
                }
            }
            let head = head.to_ascii_lowercase();
            let length = head.split_once("content-length: ").unwrap().1.lines().next().unwrap().parse().unwrap();
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let Some(status) = *self.status.lock().unwrap() else {
                sleep(Duration::from_secs(60));
                return;
            };
            if status == 200 {
                let message = ExportTraceServiceRequest::decode(&body[..]).unwrap();
                self.received.lock().unwrap().push(Batch { head, message });
            }
            let error_message = "too old\n".repeat(100);
            let partial = ExportTracePartialSuccess { rejected_spans: *self.rejected.lock().unwrap(), error_message };
            let body = ExportTraceServiceResponse { partial_success: Some(partial) }.encode_to_vec();
            let head = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n\r\n", body.len());
            if reader.get_mut().write_all(&[head.as_bytes(), &body].concat()).is_err() {
                return;
            }
        }
    }

    pub(super) fn batches(&self) -> Vec<Batch> {
        self.received.lock().unwrap().clone()
    }

    /// The spans so far.
    pub(super) fn spans(&self) -> Vec<Span> {
        self.batches().into_iter().flat_map(Batch::into_spans).collect()
    }

    /// Waits for so many spans.
    pub(super) fn wait(&self, count: usize) -> Vec<Span> {
        let begin = Instant::now();
        while self.spans().len() < count && begin.elapsed() < Duration::from_mins(1) {
            sleep(Duration::from_millis(20));
        }
        self.spans()
    }
}

/// Attributes as text, in their order.
pub(super) fn texts(attributes: &[KeyValue]) -> Vec<String> {
    let text = |value: &KeyValue| match value.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => format!("{}={text}", value.key),
        Some(Value::IntValue(number)) => format!("{}={number}", value.key),
        other => format!("{}={other:?}", value.key),
    };
    attributes.iter().map(text).collect()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
