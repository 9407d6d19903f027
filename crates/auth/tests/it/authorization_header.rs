//! The `Authorization` header: from where a token is taken, and from where it is not.

use crate::attacks::{authenticator, good};
use crate::pairs::RSA;
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
