//! The cases of the Autobahn suite, sections 1 to 5 and 7, as a table: what a client sends, and what an echo server must
//! send. Section 6 is in `utf8.rs`.

use crate::api::api;
use crate::frames::{BINARY, CLOSE, CONTINUATION, Frame, PING, PONG, Socket, TEXT, close, frame, part, raw_frame};
use crate::hosts::on_both_hosts;

/// A case. After the frames, the client sends a close frame with the code 1000.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) sent: Vec<u8>,
    /// The size of the writes in bytes.
    pub(crate) chop: usize,
    pub(crate) expected: Vec<Frame>,
    /// The code with which the server closes the connection.
    pub(crate) code: u16,
}

/// Creates a case whose frames are sent in one write.
pub(crate) fn case(name: &str, sent: &[Vec<u8>], expected: &[(u8, &[u8])], code: u16) -> Case {
    let expected = expected.iter().map(|(opcode, payload)| Frame(*opcode, payload.to_vec())).collect();
    Case { name: name.to_owned(), sent: sent.concat(), chop: usize::MAX, expected, code }
}

impl Case {
    /// The same case in writes of this size.
    pub(crate) fn chopped(self, name: &str, chop: usize) -> Self {
        Self { name: name.to_owned(), chop, ..self }
    }
}

/// Runs the cases on both hosts.
pub(crate) fn check(cases: &[Case]) {
    on_both_hosts(api, |address| {
        for Case { name, sent, chop, expected, code } in cases {
            let mut socket = Socket::open(address, "/echo");
            for piece in sent.chunks((*chop).min(sent.len().max(1))) {
                socket.write(piece);
            }
            socket.write(&frame(CLOSE, &close(1000, "")));
            let mut received = socket.read_all();
            let last = received.pop().unwrap_or_else(|| panic!("{name}: no close frame"));
            assert!(last.is_close(*code) || (*code == 1005 && last == Frame(CLOSE, Vec::new())), "{name}: {last:?}");
            assert!(received == *expected, "{name}: {} frames, expected {}", received.len(), expected.len());
        }
    });
}

#[test]
fn section_1_echoes_messages_of_all_lengths() {
    let mut cases = Vec::new();
    for (kind, opcode, byte) in [(1, TEXT, b'*'), (2, BINARY, 0xfe)] {
        for (number, length) in [0, 125, 126, 127, 128, 65_535, 65_536].into_iter().enumerate() {
            let payload = vec![byte; length];
            let (name, expected) = (format!("1.{kind}.{}", number + 1), (opcode, payload.as_slice()));
            cases.push(case(&name, &[frame(opcode, &payload)], &[expected], 1000));
        }
        let payload = vec![byte; 65_536];
        let whole = case("", &[frame(opcode, &payload)], &[(opcode, payload.as_slice())], 1000);
        cases.push(whole.chopped(&format!("1.{kind}.8"), 997));
    }
    check(&cases);
}

#[test]
fn section_2_replies_to_pings() {
    let long = [0xfe; 125];
    let ten: Vec<_> = (0..10).map(|number| format!("payload-{number}").into_bytes()).collect();
    let pings: Vec<_> = ten.iter().map(|payload| frame(PING, payload)).collect();
    let pongs: Vec<_> = ten.iter().map(|payload| (PONG, payload.as_slice())).collect();
    check(&[
        case("2.1", &[frame(PING, b"")], &[(PONG, b"")], 1000),
        case("2.2", &[frame(PING, b"Hello, world!")], &[(PONG, b"Hello, world!")], 1000),
        case(
            "2.3",
            &[frame(PING, b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff")],
            &[(PONG, b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff")],
            1000,
        ),
        case("2.4", &[frame(PING, &long)], &[(PONG, &long)], 1000),
        case("2.5", &[frame(PING, &[0xfe; 126])], &[], 1002),
        case("", &[frame(PING, &long)], &[(PONG, &long)], 1000).chopped("2.6", 1),
        case("2.7", &[frame(PONG, b"")], &[], 1000),
        case("2.8", &[frame(PONG, b"unsolicited pong payload")], &[], 1000),
        case("2.9", &[frame(PONG, b"unsolicited"), frame(PING, b"ping")], &[(PONG, b"ping")], 1000),
        case("2.10", &pings, &pongs, 1000),
        case("", &pings, &pongs, 1000).chopped("2.11", 1),
    ]);
}

#[test]
fn section_3_rejects_reserved_bits() {
    let small = frame(TEXT, b"small");
    let echoed: (u8, &[u8]) = (TEXT, b"small");
    let bits = |bits: u8, opcode, payload: &[u8]| raw_frame(0x80 | (bits << 4) | opcode, payload);
    let three = || case("", &[small.clone(), bits(3, TEXT, b"small"), frame(PING, b"")], &[echoed], 1002);
    check(&[
        case("3.1", &[bits(1, TEXT, b"small")], &[], 1002),
        case("3.2", &[small.clone(), bits(2, TEXT, b"small"), frame(PING, b"")], &[echoed], 1002),
        three().chopped("3.3", usize::MAX),
        three().chopped("3.4", 1),
        case("3.5", &[bits(5, BINARY, b"\x00\xff")], &[], 1002),
        case("3.6", &[bits(6, PING, b"ping")], &[], 1002),
        case("3.7", &[bits(7, CLOSE, &close(1000, ""))], &[], 1002),
    ]);
}

#[test]
fn section_4_rejects_reserved_opcodes() {
    let small = frame(TEXT, b"small");
    let echoed: (u8, &[u8]) = (TEXT, b"small");
    let mut cases = Vec::new();
    for (group, first) in [(1, 3), (2, 11)] {
        let name = |number: u8| format!("4.{group}.{number}");
        let after = |opcode| case("", &[small.clone(), frame(opcode, b"x"), frame(PING, b"")], &[echoed], 1002);
        cases.push(case(&name(1), &[frame(first, b"")], &[], 1002));
        cases.push(case(&name(2), &[frame(first + 1, b"reserved opcode")], &[], 1002));
        cases.push(after(first + 2).chopped(&name(3), usize::MAX));
        cases.push(after(first + 3).chopped(&name(4), 1));
        cases.push(after(first + 4).chopped(&name(5), 1));
    }
    check(&cases);
}

#[test]
fn section_5_joins_fragments() {
    let two = [part(TEXT, b"fragment1"), frame(CONTINUATION, b"fragment2")];
    let ping = frame(PING, b"ping");
    let between = [two[0].clone(), ping.clone(), two[1].clone()];
    let whole: (u8, &[u8]) = (TEXT, b"fragment1fragment2");
    let pong: (u8, &[u8]) = (PONG, b"ping");
    let joined = || case("", &two, &[whole], 1000);
    let pinged = || case("", &between, &[pong, whole], 1000);
    let orphan = |fin: u8| case("", &[raw_frame(fin, b"non-continuation"), frame(TEXT, b"Hello")], &[], 1002);
    let five = |opcode| {
        let piece = |number: u8| format!("fragment{number}").into_bytes();
        [
            vec![part(opcode, &piece(1)), part(CONTINUATION, &piece(2)), frame(PING, b"1")],
            vec![part(CONTINUATION, &piece(3)), part(CONTINUATION, &piece(4)), frame(PING, b"2")],
            vec![frame(CONTINUATION, &piece(5))],
        ]
        .concat()
    };
    let all = b"fragment1fragment2fragment3fragment4fragment5";
    let echoes: [(u8, &[u8]); 3] = [(PONG, b"1"), (PONG, b"2"), (TEXT, all)];
    let again =
        |fin| [raw_frame(fin, b"fragment1"), part(TEXT, b"fragment2"), frame(CONTINUATION, b"fragment3")].concat();
    check(&[
        case("5.1", &[part(PING, b"fragment1"), frame(CONTINUATION, b"fragment2")], &[], 1002),
        case("5.2", &[part(PONG, b"fragment1"), frame(CONTINUATION, b"fragment2")], &[], 1002),
        joined().chopped("5.3", usize::MAX),
        joined().chopped("5.4", 15),
        joined().chopped("5.5", 1),
        pinged().chopped("5.6", usize::MAX),
        pinged().chopped("5.7", 15),
        pinged().chopped("5.8", 1),
        orphan(0x80).chopped("5.9", usize::MAX),
        orphan(0x80).chopped("5.10", 20),
        orphan(0x80).chopped("5.11", 1),
        orphan(0x00).chopped("5.12", usize::MAX),
        orphan(0x00).chopped("5.13", 20),
        orphan(0x00).chopped("5.14", 1),
        case("5.15", &[two.concat(), frame(CONTINUATION, b"fragment3"), two.concat()], &[whole], 1002),
        case("5.16", &[again(0x00), again(0x00)], &[], 1002),
        case("5.17", &[again(0x80), again(0x80)], &[], 1002),
        case("5.18", &[part(TEXT, b"fragment1"), frame(TEXT, b"fragment2")], &[], 1002),
        case("5.19", &five(TEXT), &echoes, 1000),
        case("", &five(TEXT), &echoes, 1000).chopped("5.20", 1),
    ]);
}

#[test]
fn section_7_closes() {
    let hello = frame(TEXT, b"Hello World!");
    let echoed: (u8, &[u8]) = (TEXT, b"Hello World!");
    let closes = |payload: &[u8]| frame(CLOSE, payload);
    let end = closes(&close(1000, ""));
    let large = vec![b'B'; 256 * 1024];
    let half: (u8, &[u8]) = (TEXT, &large);
    let mut cases = vec![
        case("7.1.1", &[frame(TEXT, b"Hello World!")], &[echoed], 1000),
        case("7.1.2", &[end.clone(), end.clone()], &[], 1000),
        case("7.1.3", &[end.clone(), frame(PING, b"")], &[], 1000),
        case("7.1.4", &[end.clone(), hello.clone()], &[], 1000),
        case("7.1.5", &[part(TEXT, b"fragment1"), end.clone(), frame(CONTINUATION, b"fragment2")], &[], 1000),
        case("7.1.6", &[frame(TEXT, &large), hello.clone(), end.clone(), frame(PING, b"")], &[half, echoed], 1000),
        case("7.3.1", &[closes(b"")], &[], 1005),
        case("7.3.2", &[closes(b"a")], &[], 1002),
        case("7.3.3", &[closes(&close(1000, ""))], &[], 1000),
        case("7.3.4", &[closes(&close(1000, "Hello World!"))], &[], 1000),
        case("7.3.5", &[closes(&close(1000, &"*".repeat(123)))], &[], 1000),
        case("7.3.6", &[closes(&close(1000, &"*".repeat(124)))], &[], 1002),
        case("7.5.1", &[closes(b"\x03\xe8\xce\xba\xed\xa0\x80edited")], &[], 1007),
    ];
    for (number, code) in
        [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].into_iter().enumerate()
    {
        cases.push(case(&format!("7.7.{}", number + 1), &[closes(&close(code, ""))], &[], code));
    }
    for (number, code) in [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999].into_iter().enumerate() {
        cases.push(case(&format!("7.9.{}", number + 1), &[closes(&close(code, ""))], &[], 1002));
    }
    check(&cases);
}

#[test]
fn section_7_13_close_codes_beyond_the_registry() {
    let closes = |code| frame(CLOSE, &close(code, ""));
    check(&[case("7.13.1", &[closes(5000)], &[], 1002), case("7.13.2", &[closes(65_535)], &[], 1002)]);
}

#[test]
fn frames_after_the_close_frame_do_not_reset_the_connection() {
    let large = vec![b'B'; 256 * 1024];
    on_both_hosts(api, |address| {
        let mut socket = Socket::open(address, "/echo");
        socket.write(&frame(TEXT, &large));
        socket.write(&frame(CLOSE, &close(1000, "")));
        // The server has replied to the close frame, but the client has not read the reply.
        std::thread::sleep(std::time::Duration::from_millis(300));
        socket.write(&frame(PING, b"late"));
        std::thread::sleep(std::time::Duration::from_millis(300));
        let received = socket.read_all();
        assert!(received.len() == 2 && received[1].is_close(1000), "{} frames", received.len());
    });
}
