//! Defines [`IdempotencyKey`], the key of a request, and [`Fingerprint`], a digest of the content of the request.

use restwright_core::auth::Identity;
use restwright_core::http::{HeaderValue, Method};
use sha2::{Digest, Sha256};

/// The idempotency key of a request, combined with the caller, the partition, the method and the path. A caller cannot use the key of
/// another caller.
///
/// The key consists of SHA-256 digests of these values and their lengths. The digests have a fixed size, and do not reveal the values.
///
/// ```
/// use restwright_core::auth::Identity;
/// use restwright_core::http::{HeaderValue, Method};
/// use restwright_resource::idempotency::IdempotencyKey;
///
/// let (ann, bob) = (Identity::builder("ann").build(), Identity::builder("bob").build());
/// let key = |caller, value| IdempotencyKey::new(caller, None, &Method::POST, "/payments", value).unwrap();
/// assert_eq!(key(&ann, "8e03978e"), key(&ann, "8e03978e"));
/// assert_ne!(key(&ann, "8e03978e"), key(&bob, "8e03978e"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    caller: [u8; 32],
    digest: [u8; 32],
}

/// A SHA-256 digest of the query, the media type and the body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl IdempotencyKey {
    /// Creates the idempotency key of a request. Returns `None` for guests, because only callers with an identity can have keys.
    ///
    /// The caller is identified by the scheme, the issuer and the subject of the identity. If several [schemes](Identity::schemes)
    /// authenticated the caller, all of them are included.
    #[must_use]
    pub fn new(identity: &Identity, partition: Option<&str>, method: &Method, path: &str, value: &str) -> Option<Self> {
        if identity.is_guest() {
            return None;
        }
        let others = identity.schemes().filter_map(|scheme| identity.of_scheme(scheme));
        let callers = std::iter::once(identity).chain(others);
        let caller = digest(callers.flat_map(|one| [one.scheme(), one.issuer(), one.subject()].map(bytes)));
        let rest = [partition, Some(method.as_str()), Some(path), Some(value)].map(bytes);
        Some(Self { caller, digest: digest(std::iter::once(Some(&caller[..])).chain(rest)) })
    }

    /// Returns the digest of the caller, which does not include the partition. Stores use it for limits per caller.
    #[must_use]
    pub fn caller(&self) -> &[u8; 32] {
        &self.caller
    }

    /// Returns the digest of the whole key, which is unique in a store.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}

impl Fingerprint {
    /// Creates the fingerprint of a request from its query, the media type of its body and its body. The parameters of the media type, such as
    /// `charset`, are not compared.
    #[must_use]
    pub fn new(query: Option<&str>, media_type: Option<&str>, body: &[u8]) -> Self {
        let essence = media_type.and_then(|media_type| media_type.split(';').next());
        let essence = essence.map(|essence| essence.trim().to_ascii_lowercase());
        let both = [bytes(query), Some(body)].into_iter();
        Self(digest(both.chain(essence.as_deref().map(|essence| bytes(Some(essence))))))
    }

    /// Returns the bytes of the fingerprint, for a store outside the process.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Creates a fingerprint from the bytes that [`Fingerprint::as_bytes`] returned.
impl From<[u8; 32]> for Fingerprint {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

fn bytes(text: Option<&str>) -> Option<&[u8]> {
    text.map(str::as_bytes)
}

/// Returns the digest of a string as a header value.
pub(super) fn digest_text(text: &str) -> Option<HeaderValue> {
    let digest = digest([bytes(Some(text))]);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::try_from(hex).ok()
}

/// Returns the SHA-256 digest of several fields. Each field is preceded by its length, so different lists of fields have different digests.
fn digest<'a>(fields: impl IntoIterator<Item = Option<&'a [u8]>>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for field in fields {
        hasher.update([u8::from(field.is_some())]);
        let field = field.unwrap_or_default();
        hasher.update(u64::try_from(field.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(field);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_changes_the_key() {
        let ann = |issuer: &str| Identity::builder("ann").issuer(issuer).build();
        let key = |identity: &Identity, partition, method: &Method, path, value| {
            IdempotencyKey::new(identity, partition, method, path, value).unwrap()
        };
        let (post, patch) = (Method::POST, Method::PATCH);
        let scheme = ann("a").authenticated_by(&"bearer".into());
        let together = |subject: &str| {
            let other = Identity::builder(subject).build().authenticated_by(&"key".into());
            scheme.clone().with_others(vec![other])
        };
        let keys = [
            key(&ann("a"), None, &post, "/a", "k"),
            key(&ann("b"), None, &post, "/a", "k"),
            key(&Identity::builder("bob").issuer("a").build(), None, &post, "/a", "k"),
            key(&scheme, None, &post, "/a", "k"),
            key(&together("shop"), None, &post, "/a", "k"),
            key(&together("till"), None, &post, "/a", "k"),
            key(&ann("a"), Some(""), &post, "/a", "k"),
            key(&ann("a"), Some("north"), &post, "/a", "k"),
            key(&ann("a"), None, &patch, "/a", "k"),
            key(&ann("a"), None, &post, "/ak", ""),
            key(&ann("a"), None, &post, "/", "ak"),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(keys[..index].iter().all(|earlier| earlier.digest() != key.digest()), "{index}");
        }
        assert_eq!(keys[0].caller(), keys[7].caller(), "a partition is not another caller");
        assert!(IdempotencyKey::new(&Identity::guest(), None, &post, "/a", "k").is_none());
    }

    /// Checks that the digests never change, because two versions of a service share the stored keys during a deployment. The expected
    /// digests come from another implementation of SHA-256.
    #[test]
    fn the_bytes_never_change() {
        let ann = Identity::builder("ann").issuer("https://issuer.example.com").build();
        let key = IdempotencyKey::new(&ann, Some("north"), &Method::POST, "/payments", "8e03978e").unwrap();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(key.caller()), "8489f24364f744d4c384ff97cffd0f042ff367503acf09483170883bdb825ef2");
        assert_eq!(hex(key.digest()), "813216783038ed394d1ed34aefcca4ca6bfe31bec8829c292d50ba4771d068a2");
        let fingerprint = |media_type| Fingerprint::new(Some("a=1"), media_type, br#"{"amount":5}"#);
        for (media_type, expected) in [
            (None, "3b7a862bf4bded2c8fa0730241755a2170243a0625af7f914fb64b5a771ceb63"),
            (Some("application/json"), "75afaaa004f8af70f4a7103a6e752b4e1a1d768f8ded47e3bc28f5b66a1d4db9"),
            (
                Some("Application/JSON ; charset=utf-8"),
                "75afaaa004f8af70f4a7103a6e752b4e1a1d768f8ded47e3bc28f5b66a1d4db9",
            ),
        ] {
            assert_eq!(hex(fingerprint(media_type).as_bytes()), expected, "{media_type:?}");
        }
    }

    #[test]
    fn the_fingerprint_depends_on_query_media_type_and_body() {
        let all = [
            (None, None, "a"),
            (Some(""), None, "a"),
            (Some("a"), None, ""),
            (None, None, ""),
            (None, None, "a "),
            (None, Some("text/csv"), "a"),
            (None, Some("a"), ""),
            (None, Some(""), "a"),
        ];
        let fingerprint =
            |(query, media_type, body): (_, _, &str)| Fingerprint::new(query, media_type, body.as_bytes());
        for (index, one) in all.into_iter().enumerate() {
            assert_eq!(all.into_iter().position(|other| fingerprint(other) == fingerprint(one)), Some(index));
        }
    }
}
