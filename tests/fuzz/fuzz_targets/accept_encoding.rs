#![no_main]
//! Lines of `Accept-Encoding` for a response that can be compressed. The client accepts the coding of the response, by a second reader of
//! RFC 9110's grammar, and likes no other coding better. Decoded, the body is the same. `Vary` names the header.

use std::io::Read;

use http::HeaderValue;
use libfuzzer_sys::fuzz_target;
use restwright::prelude::*;
use restwright::production::Compression;
use restwright::testing::TestClient;

thread_local! {
    static CLIENT: TestClient = {
        let route = Route::get("/").id("text").public().handler(async |_: ()| Ok(Data("Rex ".repeat(500))));
        let builder = Api::builder(Configuration::new("codings", "1.0.0")).middleware(Compression::new());
        TestClient::new(builder.controller(route).build().expect("an Api"))
    };
}

fuzz_target!(|bytes: &[u8]| {
    let lines: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
    if !lines.iter().all(|line| HeaderValue::from_bytes(line).is_ok()) {
        return;
    }
    CLIENT.with(|client| {
        let request = lines.iter().fold(client.get("/"), |request, line| request.header("Accept-Encoding", line));
        let response = request.send();
        assert_eq!((response.status().as_u16(), response.header("vary")), (200, Some("Accept-Encoding")));
        let coding = response.header("content-encoding").unwrap_or("identity");
        let qualities = qualities(&lines);
        for other in ["zstd", "br", "gzip"] {
            assert!(quality(&qualities, other) <= quality(&qualities, coding), "{coding}, not {other}");
        }
        assert!(coding == "identity" || quality(&qualities, coding) > 0, "{coding}");
        let mut text = String::new();
        let read = match coding {
            "identity" => response.bytes().as_ref().read_to_string(&mut text),
            "gzip" => flate2::read::GzDecoder::new(response.bytes().as_ref()).read_to_string(&mut text),
            "br" => brotli::Decompressor::new(response.bytes().as_ref(), 4096).read_to_string(&mut text),
            "zstd" => zstd::Decoder::new(response.bytes().as_ref()).expect("a decoder").read_to_string(&mut text),
            coding => panic!("{coding} was not offered"),
        };
        read.expect("a body in its coding");
        assert_eq!(text, format!("{{\"data\":\"{}\"}}", "Rex ".repeat(500)));
    });
});

/// Returns the codings of the lines that are UTF-8, with their qualities in thousandths, in lower case. Malformed ones are left out.
fn qualities(lines: &[&[u8]]) -> Vec<(String, u32)> {
    let elements = lines.iter().filter_map(|line| std::str::from_utf8(line).ok()).flat_map(|line| line.split(','));
    let read = |element: &str| {
        let spaces = [' ', '\t'];
        let mut parts = element.splitn(2, ';').map(|part| part.trim_matches(spaces));
        let name = parts.next()?.to_ascii_lowercase();
        let quality = match parts.next() {
            None => 1000,
            Some(weight) => thousandths(weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="))?)?,
        };
        Some((if name == "x-gzip" { "gzip".to_owned() } else { name }, quality))
    };
    elements.filter_map(read).collect()
}

/// Reads a `qvalue` (RFC 9110, section 12.4.2).
fn thousandths(text: &str) -> Option<u32> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    let is_value = matches!(whole, "0" | "1") && digits.len() <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = format!("{whole}{digits:0<3}").parse().ok()?;
    (is_value && value <= 1000).then_some(value)
}

/// Returns the quality of a coding. A body as it is is accepted where it is not named, and liked least.
fn quality(qualities: &[(String, u32)], coding: &str) -> u32 {
    let of = |name: &str| qualities.iter().find(|(known, _)| known == name).map(|(_, quality)| *quality);
    match coding {
        "identity" => of(coding).unwrap_or(0).max(1),
        coding => of(coding).or_else(|| of("*")).unwrap_or(0),
    }
}
