#![no_main]
//! Lines of `If-None-Match` and `If-Match` for an endpoint with an entity tag. The reference is a second reader of RFC 9110's grammar. A
//! `GET` is a 304 if and only if `If-None-Match` names the state, and a 412 if and only if `If-Match` does not. A malformed `If-None-Match` is
//! ignored, and a malformed `If-Match` is a 422. The first byte chooses the tag and the header, and each line of the rest is a header.

use http::HeaderValue;
use libfuzzer_sys::fuzz_target;
use restwright::conditional::{EntityTag, Tagged};
use restwright::prelude::*;
use restwright::testing::TestClient;

const STATES: [&str; 4] = ["5", "", "a-b", "W/"];

thread_local! {
    static CLIENT: TestClient = {
        let mut builder = Api::builder(Configuration::new("tags", "1.0.0"));
        for (number, state) in STATES.into_iter().enumerate() {
            for (kind, tag) in [("strong", EntityTag::strong(state)), ("weak", EntityTag::weak(state))] {
                let route = Route::get(format!("/{kind}/{number}")).id(format!("{kind}{number}")).public();
                builder = builder.controller(route.handler(move |_: ()| {
                    let tag = tag.clone();
                    async move { Ok(Tagged::new(tag, Data(1))) }
                }));
            }
        }
        TestClient::new(builder.build().expect("an Api"))
    };
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
    if !lines.iter().all(|line| HeaderValue::from_bytes(line).is_ok()) {
        return;
    }
    let number = usize::from(choice & 3);
    let (is_weak, if_match) = (choice & 4 != 0, choice & 8 != 0);
    let kind = if is_weak { "weak" } else { "strong" };
    let name = if if_match { "If-Match" } else { "If-None-Match" };
    let names_state = tags(&lines.join(&b","[..])).map(|tags| match tags {
        Tags::Any => true,
        Tags::List(tags) => tags.iter().any(|(weak, tag)| {
            let Some(rest) = tag.strip_prefix(STATES[number].as_bytes()) else { return false };
            // `If-Match` compares states. For a 304, the tag may have only a coding after its state, and no variant, which begins with `~`.
            match rest.strip_prefix(b";") {
                None => rest.is_empty() && !(if_match && (*weak || is_weak)),
                Some(_) if if_match => !weak && !is_weak,
                Some(coding) => !coding.contains(&b';') && !coding.starts_with(b"~"),
            }
        }),
    });
    let expected = match (if_match, names_state) {
        (false, None) => 200,
        (true, None) => 422,
        (false, Some(true)) => 304,
        (true, Some(false)) => 412,
        (false, Some(false)) | (true, Some(true)) => 200,
    };
    CLIENT.with(|client| {
        let request = client.get(format!("/{kind}/{number}"));
        let request = lines.iter().fold(request, |request, line| request.header(name, line));
        assert_eq!(request.send().status(), expected);
    });
});

enum Tags {
    Any,
    /// Each with whether it is weak.
    List(Vec<(bool, Vec<u8>)>),
}

/// Reads `"*" / #entity-tag` (RFC 9110, sections 5.6.1 and 13.1.2); `None` for anything else and for what is not UTF-8.
fn tags(text: &[u8]) -> Option<Tags> {
    std::str::from_utf8(text).ok()?;
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let skip = |place: usize| place + text[place..].iter().take_while(|byte| is_space(byte)).count();
    let (mut place, mut tags) = (skip(0), Vec::new());
    if text.get(place) == Some(&b'*') && skip(place + 1) == text.len() {
        return Some(Tags::Any);
    }
    let mut may_begin = true;
    while place < text.len() {
        if text[place] == b',' {
            may_begin = true;
            place = skip(place + 1);
            continue;
        }
        let is_weak = text[place..].starts_with(b"W/");
        let begin = place + if is_weak { 2 } else { 0 };
        if !may_begin || text.get(begin) != Some(&b'"') {
            return None;
        }
        let length = text[begin + 1..].iter().take_while(|byte| matches!(byte, 0x21 | 0x23..=0x7e | 0x80..)).count();
        let end = begin + 1 + length;
        if text.get(end) != Some(&b'"') {
            return None;
        }
        tags.push((is_weak, text[begin + 1..end].to_vec()));
        may_begin = false;
        place = skip(end + 1);
    }
    (!tags.is_empty()).then_some(Tags::List(tags))
}
