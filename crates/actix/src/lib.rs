//! The actix host of restwright: it puts an [`Api`](restwright_runtime::Api) on a socket.
//!
//! For applications, through the facade's `restwright::serve`. It reads requests and writes responses and decides nothing about
//! them: routing, access, validation, problems, request ids, panics and deadlines are the pipeline's. It is the only crate that
//! depends on actix.
//!
//! - [`serve`], [`serve_on`]: an Api on an address or on a bound socket, TCP or Unix. actix-server has the sockets and the worker
//!   threads, actix-http's codec decodes the heads of requests. [`Host`] has the settings, [`BoundServer`] the addresses and the handle
//!   to stop, [`run`] is a runtime for `main`.
//! - `service`, with the feature `actix-web`: an Api inside an existing actix-web `App`.
//!
//! # Protocols
//! HTTP/1.0 and HTTP/1.1, with keep-alive, pipelining (a request is handled when the response before it is sent, RFC 9112, section
//! 9.3.2), chunked bodies in both directions and `Expect: 100-continue`: the client
//! gets `100 Continue` when the application reads the body, unless it has begun to send it, and a request that is refused by its
//! head never sends it. A connection on which the client asks for another protocol (`Upgrade`, `CONNECT`) closes after the response.
//!
//! # No TLS
//! The server speaks plain HTTP and is meant to run behind a proxy that terminates TLS, renews certificates and speaks HTTP/2 and
//! HTTP/3 to browsers. An application therefore builds no TLS stack, and one program per machine manages certificates. With [Caddy](https://caddyserver.com) that is
//! ```text
//! api.example.com {
//!     reverse_proxy 127.0.0.1:8080
//! }
//! ```
//! and with nginx
//! ```text
//! upstream api { server 127.0.0.1:8080; keepalive 32; }
//! server {
//!     listen 443 ssl;
//!     server_name api.example.com;
//!     ssl_certificate /etc/ssl/api.pem;
//!     ssl_certificate_key /etc/ssl/api.key;
//!     location / {
//!         proxy_pass http://api;
//!         proxy_http_version 1.1;
//!         proxy_set_header Connection "";
//!         proxy_set_header Host $host;
//!         proxy_set_header X-Request-Id $request_id;
//!     }
//! }
//! ```
//! A proxy on the same machine may also use a Unix socket (`unix//run/api.socket`, `http://unix:/run/api.socket`).
//!
//! # Heads that cannot be read
//! The response is a problem in the form of the Api, which no middleware sees, and the connection closes:
//! - 400: the head is not HTTP, has no `Host`, several or an invalid one (RFC 9112, section 3.2), or frames its body ambiguously
//!   (two lengths, a length and a transfer coding, a coding other than `chunked`);
//! - 408: the first head on a connection does not arrive within the [`head_timeout`](Host::head_timeout);
//! - 414: the request line is longer than 65,534 bytes;
//! - 431: the head is larger than 128 KiB or has more than 96 fields.
//!
//! Later heads that do not arrive in time close the connection without a response.
//!
//! # Bodies
//! They are pulled on demand: at most 16 KiB are read ahead. A body that is cut off or badly framed is a 400, one that pauses or
//! trickles a 408 ([`body_timeout`](Host::body_timeout), [`minimum_body_rate`](Host::minimum_body_rate)), one that is larger than
//! its route's limit a 413 without being read further, and before the data of a chunk that leads beyond the limit has come. Chunk
//! headers, extensions and trailers may take 16 bytes for each chunk and twice its data, and 16 KiB beyond that in a whole body;
//! more is a 400. After these the connection closes.
//!
//! A body that the application does not read (a 401, a 404) is read and dropped if it is small (64 KiB) and arrives at once
//! (250 ms), so that the connection can be kept; otherwise the connection closes. A client that still sends then is read for a second
//! more, so that it gets the response (RFC 9112, section 9.6).
//!
//! The body of a response that comes over time goes out piece by piece, in chunks, or to HTTP/1.0 up to the end of the connection.
//! While the client takes no more, at most 32 KiB and a piece wait. One that breaks off ends the connection without the last chunk.

#[cfg(feature = "actix-web")]
mod app;
mod body_framing;
mod bound_server;
mod connection;
mod connection_state;
mod connections;
mod date;
// `cargo fuzz` sets `fuzzing`.
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod host;
mod host_field;
mod http1;
mod http_compat;
mod listener;
mod places;
mod request_body;
mod request_head;
mod response_head;
mod response_stream;
mod run;
mod signals;
mod watchdog;
mod worker;

#[cfg(feature = "actix-web")]
pub use app::{ApiService, service};
pub use bound_server::{BoundServer, StopHandle};
pub use host::{Host, serve, serve_on};
pub use listener::Listener;
pub use run::run;
