//! Section 6 of the Autobahn suite: valid and invalid UTF-8. The invalid payloads come from Markus Kuhn's test of
//! decoders.

use crate::conformance::{Case, case, check};
use crate::frames::{CONTINUATION, TEXT, frame, part};

/// Returns the frames of a message with one byte in each frame.
fn bytewise(payload: &[u8]) -> Vec<Vec<u8>> {
    let mut frames: Vec<_> = payload
        .iter()
        .enumerate()
        .map(|(place, byte)| part(if place == 0 { TEXT } else { CONTINUATION }, &[*byte]))
        .collect();
    frames.push(frame(CONTINUATION, b""));
    frames
}

/// The cases of one payload: in one frame, in one write per byte, and in one frame per byte.
fn each_way(name: &str, payload: &[u8], is_valid: bool) -> Vec<Case> {
    let expected: &[(u8, &[u8])] = &[(TEXT, payload)];
    let (expected, code) = if is_valid { (expected, 1000) } else { (&[][..], 1007) };
    let whole = || case(&format!("{name} in one frame"), &[frame(TEXT, payload)], expected, code);
    vec![
        whole(),
        whole().chopped(&format!("{name} byte by byte"), 1),
        case(&format!("{name} in fragments"), &bytewise(payload), expected, code),
    ]
}

#[test]
fn section_6_empty_fragments_and_valid_text() {
    let mut cases = vec![
        case("6.1.1", &[frame(TEXT, b"")], &[(TEXT, b"")], 1000),
        case("6.1.2", &[part(TEXT, b""), part(CONTINUATION, b""), frame(CONTINUATION, b"")], &[(TEXT, b"")], 1000),
        case(
            "6.1.3",
            &[part(TEXT, b""), part(CONTINUATION, b"middle"), frame(CONTINUATION, b"")],
            &[(TEXT, b"middle")],
            1000,
        ),
    ];
    let text = "Hello-µ@ßöäüàá-UTF-8!!".as_bytes();
    let halves = [part(TEXT, &text[..12]), frame(CONTINUATION, &text[12..])];
    cases.push(case("6.2.2", &halves, &[(TEXT, text)], 1000));
    for (name, text) in [
        ("6.2.1", "Hello-µ@ßöäüàá-UTF-8!!"),
        ("6.2.4", "κόσμε"),
        ("6.7", "\0"),
        ("6.7 two bytes", "\u{80}"),
        ("6.7 three bytes", "\u{800}"),
        ("6.7 four bytes", "\u{10000}"),
        ("6.9 last of one byte", "\u{7f}"),
        ("6.9 last of two bytes", "\u{7ff}"),
        ("6.9 last of three bytes", "\u{ffff}"),
        ("6.9 last of four bytes", "\u{10ffff}"),
        ("6.11 before the surrogates", "\u{d7ff}"),
        ("6.11 after the surrogates", "\u{e000}"),
        ("6.11 replacement", "\u{fffd}"),
        ("6.22 non-characters", "\u{fffe}\u{1fffe}\u{10fffe}\u{fdd0}"),
        ("6.23 specials", "\u{fff9}\u{fffc}"),
    ] {
        cases.extend(each_way(name, text.as_bytes(), true));
    }
    check(&cases);
}

#[test]
fn section_6_invalid_text() {
    let before = "κόσμε".as_bytes();
    let mut cases = Vec::new();
    for (name, invalid) in [
        ("6.3 surrogate", &b"\xed\xa0\x80"[..]),
        ("6.8 five bytes", b"\xf8\x88\x80\x80\x80"),
        ("6.8 six bytes", b"\xfc\x84\x80\x80\x80\x80"),
        ("6.10 beyond the last code point", b"\xf4\x90\x80\x80"),
        ("6.10 four bytes beyond", b"\xf7\xbf\xbf\xbf"),
        ("6.12 continuation", b"\x80"),
        ("6.12 last continuation", b"\xbf"),
        ("6.12 two continuations", b"\x80\xbf"),
        ("6.13 two bytes without their second", b"\xc0 \xc1 "),
        ("6.13 three bytes without their second", b"\xe0 \xef "),
        ("6.13 four bytes without their second", b"\xf0 \xf7 "),
        ("6.14 end of two bytes", b"\xc3"),
        ("6.14 end of three bytes", b"\xe0\xa0"),
        ("6.14 end of four bytes", b"\xf0\x90\x80"),
        ("6.15 several ends", b"\xc3\xe0\xa0\xf0\x90\x80"),
        ("6.16 impossible", b"\xfe"),
        ("6.16 impossible too", b"\xff"),
        ("6.17 overlong slash in two bytes", b"\xc0\xaf"),
        ("6.17 overlong slash in three bytes", b"\xe0\x80\xaf"),
        ("6.17 overlong slash in four bytes", b"\xf0\x80\x80\xaf"),
        ("6.18 overlong", b"\xc1\xbf"),
        ("6.18 overlong in three bytes", b"\xe0\x9f\xbf"),
        ("6.18 overlong in four bytes", b"\xf0\x8f\xbf\xbf"),
        ("6.19 overlong NUL", b"\xc0\x80"),
        ("6.20 first low surrogate", b"\xed\xb0\x80"),
        ("6.20 last surrogate", b"\xed\xbf\xbf"),
        ("6.21 pair of surrogates", b"\xed\xa0\x80\xed\xb0\x80"),
    ] {
        cases.extend(each_way(name, invalid, false));
        cases.extend(each_way(&format!("{name}, after text"), &[before, invalid].concat(), false));
    }
    check(&cases);
}

#[test]
fn section_6_4_a_message_that_cannot_become_valid_fails_before_its_end() {
    // The last frame of the message is never sent, and the close frame is inside the message.
    let frames = [part(TEXT, "κόσμε".as_bytes()), part(CONTINUATION, b"\xf4\x90\x80\x80")];
    check(&[case("6.4.1", &frames, &[], 1007)]);
}
