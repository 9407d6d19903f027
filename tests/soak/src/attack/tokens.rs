//! Unsigned tokens, and an issuer that fails in every way.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// Returns a token with the claims that a verifier requires, the name of an unknown key and no signature.
pub fn forged(issuer: &str, number: u64) -> String {
    let head = format!("{{\"alg\":\"ES256\",\"kid\":\"{number:016x}\"}}");
    let claims = format!("{{\"iss\":\"{issuer}\",\"aud\":\"soak\",\"sub\":\"a\",\"exp\":99999999999}}");
    format!("{}.{}.{}", base64(head.as_bytes()), base64(claims.as_bytes()), base64(&[7; 64]))
}

/// Encodes as base64url without padding (RFC 4648, section 5).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * place)) as usize & 63]));
        }
    }
    text
}

/// Serves a key set at first. Each later fetch fails in another way.
pub async fn serve_keys(listener: TcpListener) {
    let mut fetches = 0_u64;
    loop {
        let Ok((stream, _)) = listener.accept().await else { return };
        tokio::spawn(async move {
            let _ = timeout(Duration::from_secs(20), respond(stream, fetches)).await;
        });
        fetches += 1;
    }
}

async fn respond(mut stream: TcpStream, fetch: u64) -> io::Result<()> {
    // The key of RFC 7517, appendix A.1.
    const KEYS: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"1","use":"sig","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}"#;
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).await?;
    match fetch % 4 {
        0 => {
            let length = KEYS.len();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
            stream.write_all(format!("{head}{KEYS}").as_bytes()).await
        }
        1 => stream.write_all(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n").await,
        2 => loop {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
            sleep(Duration::from_millis(1)).await;
        },
        _ => Ok(()),
    }
}
