//! The settings of routes.

/// The setting of a route, or of a group, whose responses [`Compression`](super::Compression) leaves as they are.
///
/// It is for responses with a secret beside text that a stranger chooses, such as a token in a page that repeats a search: by the length of
/// compressed bodies the secret can be guessed character by character (BREACH).
///
/// ```
/// use restwright_production::Uncompressed;
/// use restwright_runtime::Group;
/// use restwright_runtime::core::Route;
///
/// let route = Route::get("/session").with(Uncompressed);
/// let group = Group::new("/account").with(Uncompressed);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uncompressed;

/// The setting of a route, or of a group, that reads bodies as they were sent, in whatever coding, with their `Content-Encoding`.
///
/// It is for a webhook whose signature is that of the bytes on the wire. A body that is read as JSON may have no coding there: 415.
///
/// ```
/// use restwright_production::BodyAsSent;
/// use restwright_runtime::core::Route;
///
/// let route = Route::post("/webhooks/payments").with(BodyAsSent);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BodyAsSent;
