//! The actix host of restwright, which serves an [`Api`](restwright_runtime::Api) on TCP and Unix sockets.
//!
//! Applications use it through `restwright::serve`. This crate reads requests and writes responses. The pipeline of the
//! runtime handles routing, access, validation, problems, request ids, panics and deadlines. No other crate depends on
//! actix.
//!
//! - [`serve`] and [`serve_on`] serve an Api on an address, or on a bound TCP or Unix socket. actix-server provides the
//!   sockets and worker threads, and actix-http's codec decodes request heads. [`Host`] has the settings.
//!   [`BoundServer`] has the addresses and the stop handle. [`run`] is a runtime for `main`.
//! - [`Host::bind_environment`] reads the addresses and limits from variables of the environment, and accepts sockets
//!   of a service manager (`LISTEN_FDS`). The server reports its state to systemd (`Type=notify`).
//! - `service` (feature `actix-web`) mounts an Api inside an existing actix-web `App`.
//!
//! # Protocols
//! HTTP/1.0 and HTTP/1.1, with keep-alive and chunked bodies in both directions. With pipelining, a request is handled
//! after the previous response is sent (RFC 9112, section 9.3.2).
//!
//! With `Expect: 100-continue`, the client gets `100 Continue` when the application reads the body, unless the client
//! has already started to send it. If the request is rejected by its head, the client never needs to send the body. A
//! connection on which the client requests another protocol (`Upgrade`, `CONNECT`) closes after the response.
//!
//! # No TLS
//! The server speaks plain HTTP. Run it behind a proxy that terminates TLS, renews certificates, and speaks HTTP/2 and
//! HTTP/3 to browsers. An application therefore builds no TLS stack, and one program per machine manages certificates.
//! With [Caddy](https://caddyserver.com):
//! ```text
//! api.example.com {
//!     reverse_proxy 127.0.0.1:8080
//! }
//! ```
//! With nginx:
//! ```text
//! upstream api { server 127.0.0.1:8080; keepalive 32; }
//! server {
//!     listen 443 ssl http2;
//!     server_name api.example.com;
//!     ssl_certificate /etc/ssl/api.pem;
//!     ssl_certificate_key /etc/ssl/api.key;
//!     location / {
//!         proxy_pass http://api;
//!         proxy_http_version 1.1;
//!         proxy_set_header Connection "";
//!         proxy_set_header Host $http_host;
//!         proxy_set_header X-Request-Id $request_id;
//!     }
//! }
//! ```
//! A proxy on the same machine may also use a Unix socket (`unix//run/api.socket`, `http://unix:/run/api.socket`).
//!
//! # Malformed heads
//! The response is a problem in the Api's error form. No middleware sees it, and the connection closes:
//! - 400: the head is not HTTP, or does not have exactly one valid `Host` (RFC 9112, section 3.2);
//! - 400: the head frames its body ambiguously: two lengths, a length and a transfer coding, or a coding other than
//!   `chunked`;
//! - 408: the first head on a connection does not arrive within the [`head_timeout`](Host::head_timeout);
//! - 414: the request line is longer than 65,534 bytes;
//! - 431: the head is larger than 128 KiB or has more than 96 fields.
//!
//! Later heads that do not arrive in time close the connection without a response.
//!
//! # Bodies
//! Bodies are read on demand, with at most 16 KiB read ahead. These request bodies are rejected, and the connection
//! then closes:
//! - 400: the body ends early or its framing is invalid;
//! - 400: the framing is too large. Chunk headers, extensions and trailers may have 16 bytes per chunk plus twice its
//!   data, and 16 KiB more per body;
//! - 408: the body pauses or is too slow ([`body_timeout`](Host::body_timeout),
//!   [`minimum_body_rate`](Host::minimum_body_rate));
//! - 413: the body exceeds the limit of its route. The rest is not read. A chunk that leads beyond the limit is
//!   rejected before its data arrives.
//!
//! If the application does not read a body (a 401 or 404), a body of at most 64 KiB that arrives within 250 ms is read
//! and dropped, so the connection can be kept. Otherwise the connection closes. If the client is still sending, the
//! server reads for one more second, so the client receives the response (RFC 9112, section 9.6).
//!
//! A streamed response body is sent piece by piece: in chunks, or to HTTP/1.0 clients until the connection closes.
//! While the client reads nothing, at most 32 KiB and one piece wait. If the stream fails, the connection closes
//! without the last chunk.

#[cfg(feature = "actix-web")]
mod app;
mod binding;
mod bound_server;
mod connection;
#[cfg(unix)]
mod descriptors;
mod environment;
// `cargo fuzz` sets `fuzzing`.
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod host;
mod host_settings;
mod http_compat;
mod listener;
mod run;
mod serve_error;
mod service_manager;
mod signals;

#[cfg(feature = "actix-web")]
pub use app::{ApiService, service};
pub use bound_server::{BoundServer, StopHandle};
pub use host::{Host, serve, serve_on};
pub use listener::Listener;
pub use run::run;
pub use serve_error::ServeError;
