//! Tests of messages in several frames, with control frames between them.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use restwright_core::StopSignal;
use restwright_core::http::Upgraded;
use restwright_core::runtime::MemoryAccount;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};
use tokio::time::{Instant, sleep, timeout};

use crate::connection::WebSocketConnection;
use crate::driver::run;
use crate::frames::tests::frame;
use crate::message_rate::MessageRate;

/// The first bytes of frames: a whole text, and the first, a middle and the last frame of a text.
const WHOLE: u8 = 0x81;
const FIRST: u8 = 0x01;
const MIDDLE: u8 = 0x00;
const LAST: u8 = 0x80;
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;

#[tokio::test(start_paused = true)]
async fn a_control_frame_leaves_an_incomplete_message_in_the_account_of_memory() {
    let account = MemoryAccount::new(usize::MAX);
    let (mut client, server) = duplex(64 * 1024);
    let stream = Upgraded::new(server, account.share());
    let connection = Rc::new(WebSocketConnection::new(stream, 1_000, MessageRate::default()).await);
    let total = account.total().clone();
    let checks = async move {
        let mut held_after = async |bytes: Vec<u8>| {
            client.write_all(&bytes).await.unwrap();
            sleep(Duration::from_secs(1)).await;
            total.load(Ordering::Relaxed)
        };
        let begun = held_after(frame(FIRST, &[b'x'; 500])).await;
        assert!(begun >= 500, "{begun}");
        for control in [PING, PONG] {
            assert_eq!(held_after(frame(control, b"abc")).await, begun, "{control:02x}");
        }
        assert_eq!(held_after(frame(LAST, b"y")).await, 0);
    };
    tokio::join!(run(connection, Box::pin(std::future::pending()), StopSignal::default()), checks);
}

/// Sends `first`, and then repeats the `repeated` pieces, each after its pause. Returns the seconds until the server has
/// closed the connection, and the bytes of the server. Returns `None` if the connection is open after 200 seconds.
async fn exchange(first: Vec<u8>, repeated: Vec<(u64, Vec<u8>)>) -> Option<(u64, Vec<u8>)> {
    let (client, server) = duplex(64 * 1024);
    let stream = Upgraded::new(server, MemoryAccount::new(usize::MAX).share());
    let connection = Rc::new(WebSocketConnection::new(stream, 1_000, MessageRate::default()).await);
    let receiver = connection.clone();
    let application = Box::pin(async move {
        while poll_fn(|context| receiver.poll_receive(context)).await.is_some() {}
        Ok(())
    });
    let begin = Instant::now();
    let (mut reads, mut writes) = split(client);
    let sends = async {
        let mut is_open = writes.write_all(&first).await.is_ok();
        while is_open {
            for (pause, piece) in &repeated {
                sleep(Duration::from_millis(*pause)).await;
                is_open = writes.write_all(piece).await.is_ok();
            }
        }
    };
    let receives = async {
        let mut received = Vec::new();
        let _ = reads.read_to_end(&mut received).await;
        (begin.elapsed().as_secs(), received)
    };
    let all = async { tokio::join!(run(connection, application, StopSignal::default()), sends, receives) };
    let ((), (), outcome) = timeout(Duration::from_secs(200), all).await.ok()?;
    Some(outcome)
}

#[tokio::test(start_paused = true)]
async fn control_frames_do_not_extend_the_time_of_a_message() {
    let begun = frame(FIRST, b"x");
    for (first, repeated) in [
        (begun.clone(), frame(PING, b"")),
        (begun.clone(), frame(PONG, b"abc")),
        (begun.clone(), [frame(MIDDLE, b""), frame(PING, b"")].concat()),
        // More than the rate limit.
        (begun.clone(), frame(PING, b"").repeat(150)),
        // The message begins in the same piece in which another one ends.
        ([frame(WHOLE, b"y"), begun.clone()].concat(), frame(PING, b"")),
    ] {
        let shown = format!("{first:02x?} {:02x?}", repeated.get(..12));
        let (seconds, received) = exchange(first, vec![(1_000, repeated)]).await.expect(&shown);
        assert!((60..=76).contains(&seconds), "{shown}: {seconds} s");
        assert!(received.ends_with(b"\x03\xf0the message took too long"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_message_has_its_time() {
    // At each heartbeat, another message is incomplete.
    let repeated = vec![(250, frame(LAST, b"")), (250, frame(FIRST, b"x")), (500, frame(PONG, b""))];
    assert_eq!(exchange(frame(FIRST, b"x"), repeated).await, None);
}
