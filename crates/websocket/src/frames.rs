//! Defines [`Frames`], which finds the ends of messages in the bytes of a client.

/// The bit of the first byte of a frame that marks the last frame of a message.
const FINAL: u8 = 0x80;
/// The bit of the opcode that marks a control frame: a ping, a pong or a close frame.
const CONTROL: u8 = 0x08;
/// The bit of the second byte of a frame that marks a masked payload.
const MASKED: u8 = 0x80;
/// The number of bytes of a mask.
const MASK: u64 = 4;

/// Follows the frames of a client (RFC 6455, section 5.2), and counts the bytes of the message that is not complete.
///
/// Control frames can arrive between the frames of a message. They neither complete the message nor count towards it.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    position: FramePosition,
    /// The first byte of the current frame.
    first: u8,
    /// The number of received bytes of the current frame.
    frame: usize,
    /// The number of bytes of the complete frames of the message that is not complete.
    message: usize,
    /// The number of complete frames of this message.
    fragments: u32,
    /// The number of bytes of the longest frame since [`Frames::forget`].
    longest: usize,
    /// The number of complete messages.
    messages: u64,
    /// The number of complete messages, and of control frames between messages.
    exchanges: u64,
}

/// The position in a frame.
#[derive(Debug, Clone, Copy, Default)]
enum FramePosition {
    /// Before the first byte, which contains the opcode.
    #[default]
    Opcode,
    /// Before the second byte, which contains the length of a short payload.
    Length,
    /// Before bytes of a long length.
    LongLength { missing: u8, length: u64, mask: u64 },
    /// Before the last bytes of the frame, the mask and the payload.
    Rest(u64),
}

impl Frames {
    /// Adds bytes in the order in which the client has sent them.
    pub(crate) fn add(&mut self, mut bytes: &[u8]) {
        while let [first, after @ ..] = bytes {
            bytes = match self.position {
                FramePosition::Rest(missing) => {
                    let count = usize::try_from(missing).unwrap_or(usize::MAX).min(bytes.len());
                    self.frame = self.frame.saturating_add(count);
                    self.expect(missing.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX)));
                    bytes.get(count..).unwrap_or_default()
                }
                position => {
                    self.frame = self.frame.saturating_add(1);
                    self.read_head(position, *first);
                    after
                }
            };
        }
    }

    fn read_head(&mut self, position: FramePosition, byte: u8) {
        match position {
            FramePosition::Opcode => {
                self.first = byte;
                self.position = FramePosition::Length;
            }
            FramePosition::Length => {
                let mask = if byte & MASKED == 0 { 0 } else { MASK };
                match byte & !MASKED {
                    126 => self.position = FramePosition::LongLength { missing: 2, length: 0, mask },
                    127 => self.position = FramePosition::LongLength { missing: 8, length: 0, mask },
                    length => self.expect(mask + u64::from(length)),
                }
            }
            FramePosition::LongLength { missing, length, mask } => {
                let length = length << 8 | u64::from(byte);
                match missing {
                    0 | 1 => self.expect(length.saturating_add(mask)),
                    _ => self.position = FramePosition::LongLength { missing: missing - 1, length, mask },
                }
            }
            FramePosition::Rest(_) => {}
        }
    }

    /// Sets the number of bytes that are missing from the current frame. 0 ends the frame.
    fn expect(&mut self, missing: u64) {
        if missing > 0 {
            self.position = FramePosition::Rest(missing);
            return;
        }
        self.position = FramePosition::Opcode;
        let frame = std::mem::take(&mut self.frame);
        self.longest = self.longest.max(frame);
        if self.first & CONTROL == 0 {
            self.message = self.message.saturating_add(frame);
            self.fragments = self.fragments.saturating_add(1);
            if self.first & FINAL != 0 {
                (self.message, self.fragments) = (0, 0);
                self.messages = self.messages.wrapping_add(1);
            }
        }
        if self.message == 0 {
            self.exchanges = self.exchanges.wrapping_add(1);
        }
    }

    /// Returns the number of received bytes of the message that is not complete, and of a frame that is not complete.
    pub(crate) fn incomplete(&self) -> usize {
        self.message.saturating_add(self.frame)
    }

    /// Returns the number of bytes that the library keeps for the message that is not complete. One of its buffers has the
    /// size of the longest frame, and another contains the complete frames of the message. The second one doubles if it
    /// is too small for the next frame.
    pub(crate) fn kept(&self) -> usize {
        if self.incomplete() == 0 {
            return 0;
        }
        let collected = if self.fragments > 1 { self.message.saturating_mul(2) } else { self.message };
        self.longest.max(self.frame).saturating_add(collected)
    }

    /// Returns the number of bytes of the longest frame since [`Frames::forget`].
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Records that the library has new buffers.
    pub(crate) fn forget(&mut self) {
        self.longest = 0;
    }

    /// Returns the number of complete messages. Control frames are not messages.
    pub(crate) fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns the number of complete messages, and of control frames between messages. It identifies what is incomplete.
    pub(crate) fn exchanges(&self) -> u64 {
        self.exchanges
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the bytes of a masked frame. `first` is its first byte: FIN and the opcode.
    pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let length = payload.len();
        let head = match length {
            0..=125 => vec![u8::try_from(length).unwrap()],
            126..=65_535 => [&[126][..], &u16::try_from(length).unwrap().to_be_bytes()].concat(),
            _ => [&[127][..], &u64::try_from(length).unwrap().to_be_bytes()].concat(),
        };
        [&[first, head[0] | MASKED], &head[1..], &[1, 2, 3, 4], payload].concat()
    }

    #[test]
    fn counts_the_bytes_of_an_incomplete_message() {
        let (text, next, last) = (0x01, 0x00, 0x80);
        let (ping, pong, close) = (0x89, 0x8a, 0x88);
        for (bytes, expected) in [
            (vec![], (0, 0)),
            (frame(0x81, b"x"), (0, 1)),
            (frame(0x82, b""), (0, 1)),
            ([frame(0x81, b"x"), frame(0x81, b"y")].concat(), (0, 2)),
            (frame(0x81, &[7; 126]), (0, 1)),
            (frame(0x81, &[7; 70_000]), (0, 1)),
            (frame(text, b"x"), (7, 0)),
            (frame(text, &[7; 126]), (134, 0)),
            (frame(text, &[7; 65_536]), (65_550, 0)),
            ([frame(text, b"x"), frame(next, b"")].concat(), (13, 0)),
            ([frame(text, b"x"), frame(next, b""), frame(last, b"")].concat(), (0, 1)),
            // Control frames between messages, and inside of one.
            (frame(ping, b""), (0, 0)),
            ([frame(0x81, b"x"), frame(pong, b"abc"), frame(close, b"")].concat(), (0, 1)),
            ([frame(text, b"x"), frame(ping, b"abc")].concat(), (7, 0)),
            ([frame(text, b"x"), frame(pong, &[7; 125]), frame(next, b"y")].concat(), (14, 0)),
            ([frame(text, b"x"), frame(ping, b""), frame(last, b"y")].concat(), (0, 1)),
            // Incomplete frames.
            (vec![0x81], (1, 0)),
            (frame(0x81, b"xyz")[..7].to_vec(), (7, 0)),
            (frame(0x81, &[7; 126])[..3].to_vec(), (3, 0)),
            ([&frame(text, b"x")[..], &frame(ping, b"abc")[..4]].concat(), (11, 0)),
            // A frame without a mask, and a length of 64 bits.
            (vec![0x81, 1, b'x'], (0, 1)),
            (vec![0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5], (15, 0)),
        ] {
            for size in [1, 2, 3, 7, usize::MAX] {
                let mut frames = Frames::default();
                for piece in bytes.chunks(size) {
                    frames.add(piece);
                }
                assert_eq!((frames.incomplete(), frames.messages()), expected, "{size}: {bytes:02x?}");
            }
        }
    }

    #[test]
    fn counts_the_buffers_of_an_incomplete_message() {
        let (text, next, last) = (0x01, 0x00, 0x80);
        let whole = frame(0x81, &[7; 126]);
        for (bytes, expected) in [
            (vec![], 0),
            (whole.clone(), 0),
            (whole[..100].to_vec(), 100),
            // The frame, and the same bytes as the begin of the message.
            (frame(text, &[7; 126]), 134 + 134),
            ([frame(text, &[7; 126]), frame(next, b"y")].concat(), 134 + 2 * 141),
            ([frame(text, &[7; 126]), frame(last, b"y")].concat(), 0),
            // The buffer of a frame has the size of an earlier message.
            ([whole, vec![0x81]].concat(), 134),
        ] {
            let mut frames = Frames::default();
            frames.add(&bytes);
            assert_eq!(frames.kept(), expected, "{bytes:02x?}");
            frames.forget();
            assert_eq!(frames.longest(), 0);
        }
    }

    #[test]
    fn control_frames_inside_of_a_message_begin_nothing_new() {
        let mut frames = Frames::default();
        for (first, expected) in
            [(0x89, 1), (0x81, 2), (0x01, 2), (0x89, 2), (0x8a, 2), (0x00, 2), (0x80, 3), (0x8a, 4)]
        {
            frames.add(&frame(first, b"x"));
            assert_eq!(frames.exchanges(), expected, "{first:02x}");
        }
    }
}
