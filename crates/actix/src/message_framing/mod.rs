//! The boundaries of requests on the wire (RFC 9112).

mod chunked;
mod head;

use crate::connection_state::ConnectionState;
use chunked::{ChunkedBody, ChunkedEvent};
use head::RequestHead;

/// The framing of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// There is no body.
    Absent,
    /// The body ends after this number of bytes.
    Length(u64),
    /// The body ends after its last chunk.
    Chunked,
}

/// How far the current request and its response are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Message {
    /// The head of the request is not complete.
    #[default]
    Awaited,
    /// The head is complete, with the framing that was read on the wire, if it was.
    Arrived(Option<Framing>),
    /// The request is being handled, with the framing that actix-http read.
    Begun(Framing),
    /// The response is complete.
    Complete(Framing),
    /// The response is complete, and the rest of the request is not read: the connection closes.
    Abandoned,
}

impl Message {
    /// Returns the framing that actix-http read.
    pub(crate) fn framing(self) -> Option<Framing> {
        match self {
            Self::Begun(framing) | Self::Complete(framing) => Some(framing),
            Self::Awaited | Self::Arrived(_) | Self::Abandoned => None,
        }
    }
}

/// Follows the requests on a connection, and admits the bytes of one at a time.
///
/// actix-http decodes whatever it is given, and keeps the method, version and `Connection` of the last request for the response
/// to an earlier one. So a request is admitted when the response before it is complete.
#[derive(Debug, Default)]
pub(crate) struct RequestScanner {
    position: Position,
    /// The bytes of a head that is not complete.
    head_length: usize,
}

/// The length of a head that is not complete, at which actix-http refuses it.
const LONGEST_HEAD: usize = 128 * 1024;

#[derive(Debug)]
enum Position {
    Head(RequestHead),
    /// Behind a head whose framing was not read here; actix-http reads it.
    Undecided,
    /// In a body with so many bytes to come.
    Length(u64),
    Chunked(ChunkedBody),
    Complete,
    /// Behind what is no chunk, or one with too much framing.
    Refused,
}

impl Default for Position {
    fn default() -> Self {
        Self::Head(RequestHead::default())
    }
}

impl From<Framing> for Position {
    fn from(framing: Framing) -> Self {
        match framing {
            Framing::Absent => Self::Complete,
            Framing::Length(length) => Self::Length(length),
            Framing::Chunked => Self::Chunked(ChunkedBody::default()),
        }
    }
}

impl RequestScanner {
    /// Returns how many of the next bytes on the wire are admitted. The others are to be offered again.
    pub(crate) fn admit(&mut self, bytes: &[u8], state: &ConnectionState) -> usize {
        let mut rest = bytes;
        loop {
            let message = state.message();
            if message == Message::Abandoned {
                return bytes.len();
            }
            let admitted = match &mut self.position {
                Position::Head(head) => {
                    let Some(end) = head.scan(rest) else {
                        self.head_length = self.head_length.saturating_add(rest.len());
                        if self.head_length >= LONGEST_HEAD {
                            state.head_arrived(None);
                            self.position = Position::Undecided;
                        }
                        return bytes.len();
                    };
                    self.head_length = 0;
                    let framing = head.framing();
                    state.head_arrived(framing);
                    self.position = framing.map_or(Position::Undecided, Position::from);
                    end
                }
                Position::Undecided => {
                    let Some(framing) = message.framing() else { break };
                    self.position = framing.into();
                    0
                }
                Position::Complete => {
                    let Message::Complete(_) = message else { break };
                    self.position = Position::default();
                    0
                }
                Position::Length(left) => {
                    let admitted = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    *left = left.saturating_sub(u64::try_from(admitted).unwrap_or(u64::MAX));
                    if *left > 0 {
                        return bytes.len();
                    }
                    state.body_complete();
                    self.position = Position::Complete;
                    admitted
                }
                Position::Chunked(body) => {
                    let (admitted, event) = body.scan(rest);
                    match event {
                        None => return bytes.len(),
                        Some(ChunkedEvent::Announced(length)) => state.body_announced(length),
                        Some(ChunkedEvent::End) => {
                            state.body_complete();
                            self.position = Position::Complete;
                        }
                        Some(ChunkedEvent::Refused) => {
                            state.refuse_body();
                            self.position = Position::Refused;
                        }
                    }
                    admitted
                }
                Position::Refused => break,
            };
            rest = rest.get(admitted..).unwrap_or_default();
        }
        bytes.len() - rest.len()
    }
}
