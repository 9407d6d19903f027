//! Defines the compression settings of routes.

/// A setting that excludes the responses of a route or group from [`Compression`](super::Compression).
///
/// Use it for responses that contain a secret next to text that an untrusted client chooses, such as a token in a page
/// that repeats a search. The length of the compressed body would reveal the secret character by character (BREACH).
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

/// A setting that disables the decompression of request bodies for a route or group. Bodies and their
/// `Content-Encoding` stay unchanged.
///
/// Use it for a webhook that signs the bytes on the wire. A JSON body with a coding is then rejected with 415.
///
/// ```
/// use restwright_production::BodyAsSent;
/// use restwright_runtime::core::Route;
///
/// let route = Route::post("/webhooks/payments").with(BodyAsSent);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BodyAsSent;
