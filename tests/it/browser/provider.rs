//! A token provider: the authorization code flow of OAuth 2.0 with PKCE (RFC 7636), and OpenID Connect Discovery.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use restwright_runtime::core::http::Query;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::each_connection;

/// The token that it gives, signed with [`SECRET`]: {"iss": "https://login.example.com", "aud": "pets", "sub": "ann",
/// "exp": 4102444800, "scope": "pets:read", ..}
pub(super) const TOKEN: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwiYXVkIjoicGV0cyIsInN1YiI6ImFubiIsImV4cCI6NDEwMjQ0NDgwMCwic2NvcGUiOiJwZXRzOnJlYWQiLCJwcmVmZXJyZWRfdXNlcm5hbWUiOiJBbm4iLCJyZWFsbV9hY2Nlc3MiOnsicm9sZXMiOlsia2VlcGVyIl19fQ.5uC9Wz-P0Pjwuuw_U9H0lIhEtGj2iIl0tcTvCVlKDR8";
pub(super) const SECRET: &str = "a secret of the tests with 32 bytes or more";

/// A provider on threads that end with the process. It authorises everyone immediately.
pub(super) struct Provider {
    /// The origin of the provider, which differs from the origin of the service.
    pub(super) url: String,
    asked: Arc<Mutex<String>>,
}

impl Provider {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::default();
        let provider = Self { url: url.clone(), asked: Arc::clone(&asked) };
        each_connection(listener, move |stream| {
            // Failures are ignored, because the browser may have closed the connection.
            let _ = respond(&stream, &url, &asked);
        });
        provider
    }

    /// Returns a parameter of the last authorization request.
    pub(super) fn asked(&self, name: &str) -> String {
        value(&self.asked.lock().unwrap(), name)
    }
}

fn respond(mut stream: &TcpStream, url: &str, asked: &Mutex<String>) -> std::io::Result<()> {
    let (mut reader, mut first, mut length) = (BufReader::new(stream), String::new(), 0);
    if reader.read_line(&mut first)? == 0 {
        return Ok(());
    }
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().to_ascii_lowercase().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = String::from_utf8(body).unwrap();

    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (status, header, content) = match (method, path) {
        ("OPTIONS", _) => (204, "Access-Control-Allow-Headers: *".to_owned(), String::new()),
        ("GET", "/.well-known/openid-configuration") => (200, "X: x".to_owned(), discovery(url)),
        ("GET", "/authorize") => {
            query.clone_into(&mut asked.lock().unwrap());
            let state = query.split('&').find(|pair| pair.starts_with("state=")).unwrap_or_default();
            (302, format!("Location: {}?code=one&{state}", value(query, "redirect_uri")), String::new())
        }
        ("POST", "/token") => match refusal(&body, &asked.lock().unwrap()) {
            None => (200, "X: x".to_owned(), json!({ "access_token": TOKEN, "token_type": "Bearer" }).to_string()),
            Some(reason) => (400, "X: x".to_owned(), json!({ "error": reason }).to_string()),
        },
        _ => (404, "X: x".to_owned(), String::new()),
    };
    let length = content.len();
    let head = format!(
        "HTTP/1.1 {status} -\r\nConnection: close\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{header}\r\n\r\n"
    );
    stream.write_all((head + &content).as_bytes())
}

fn discovery(url: &str) -> String {
    json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "grant_types_supported": ["implicit", "authorization_code", "refresh_token", "password"],
        "scopes_supported": ["openid", "email"],
    })
    .to_string()
}

/// Returns the reason to refuse a token. The code, the client and the page must be the authorised ones, and the
/// verifier must match the challenge. A page has no secret.
fn refusal(form: &str, asked: &str) -> Option<&'static str> {
    let same = |name| value(form, name) == value(asked, name);
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(value(form, "code_verifier")));
    if value(form, "grant_type") != "authorization_code" {
        Some("unsupported_grant_type")
    } else if form.contains("client_secret") {
        Some("invalid_client")
    } else if value(asked, "code_challenge_method") != "S256" || value(asked, "code_challenge") != challenge {
        Some("invalid_grant")
    } else {
        (value(form, "code") != "one" || !same("redirect_uri") || !same("client_id")).then_some("invalid_grant")
    }
}

fn value(query: &str, name: &str) -> String {
    let query = Query::parse(Some(query)).unwrap();
    query.values(name).next().map(|value| value.to_string()).unwrap_or_default()
}
