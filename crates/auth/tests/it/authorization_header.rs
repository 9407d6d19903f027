//! The `Authorization` header: from where a token is taken, and from where it is not.

use crate::attacks::{authenticator, good};
use crate::pairs::{RSA, encode};
use crate::request::{Verdict, ask};

#[tokio::test]
async fn headers_that_are_no_bearer_token() {
    let authenticator = authenticator();
    let token = good(&RSA, "RS256", "rsa");
    let one = |value: String| vec![("Authorization", value)];
    let rejected = |reason: &str| Verdict::Rejected(reason.to_owned());
    for (headers, expected) in [
        (vec![], Verdict::Nothing),
        (one("Basic YTpi".to_owned()), Verdict::Nothing),
        (one("Basic a.b.c".to_owned()), Verdict::Nothing),
        (one("Negotiate".to_owned()), Verdict::Nothing),
        (one("ann.0123456789abcdef".to_owned()), Verdict::Nothing),
        (one(format!("Token {token}")), Verdict::Nothing),
        (one(token.clone()), rejected("a token without `Bearer` before it")),
        (one(String::new()), rejected("`Authorization` is empty")),
        (one("Bearer".to_owned()), rejected("`Bearer` without a token")),
        (one("Bearer  ".to_owned()), rejected("`Bearer` without a token")),
        (one(format!("bearer {token}")), Verdict::Caller("ann".to_owned())),
        (one(format!("BEARER  {token} ")), Verdict::Caller("ann".to_owned())),
        (one(format!("  Bearer {token}\t")), Verdict::Caller("ann".to_owned())),
        (one(format!("Bearer\t{token}")), rejected("no space follows `Bearer`")),
        (one(format!("Bearer:{token}")), rejected("no space follows `Bearer`")),
        (one(format!("Bearer{token}")), rejected("no space follows `Bearer`")),
        (one(format!("bearer={token}")), rejected("no space follows `Bearer`")),
        (one(format!("Bearer, Bearer {token}")), rejected("no space follows `Bearer`")),
        (one(format!("Bearer Bearer {token}")), rejected("a part of the token is not base64url")),
        (one(format!("Bearer \"{token}\"")), rejected("a part of the token is not base64url")),
        (
            vec![("Authorization", format!("Bearer {token}")), ("authorization", format!("Bearer {token}"))],
            rejected("several `Authorization` headers"),
        ),
        (vec![("X-Authorization", format!("Bearer {token}"))], Verdict::Nothing),
    ] {
        assert_eq!(ask(&authenticator, &headers).await, expected, "{headers:?}");
    }
    for value in [&b"Bearer \xff"[..], b"\xff"] {
        assert_eq!(ask(&authenticator, &[("Authorization", value)]).await, rejected("`Authorization` is not UTF-8"));
    }
}

/// A member that nobody reads is text, too.
#[tokio::test]
async fn a_header_of_a_token_that_is_not_utf_8_is_rejected() {
    let not_utf_8 = |header: &[u8]| format!("{}.{}.{}", encode(header), encode("{}"), encode([1; 64]));
    for (header, reason) in [
        (&b"{\"alg\":\"RS256\",\"kid\":\"rsa\",\"x\":\"\xff\"}"[..], "the header is not UTF-8"),
        (b"{\"alg\":\"RS256\",\"kid\":\"\xff\"}", "the header is not UTF-8"),
        (b"{\"alg\":\"RS256\xc3\"}", "the header is not UTF-8"),
        (b"\xff\xfe{\x00}\x00", "the header is not UTF-8"),
        (b"{\"alg\":\"RS256\\ud800\"}", "the header is malformed, or `alg` is missing"),
    ] {
        let authorization = format!("Bearer {}", not_utf_8(header));
        let verdict = ask(&authenticator(), &[("Authorization", authorization)]).await;
        assert_eq!(verdict, Verdict::Rejected(reason.to_owned()), "{}", header.escape_ascii());
    }
}
