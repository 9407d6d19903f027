//! Callers cannot reach the keys of others.

use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};

use super::{Shop, is_replay};

#[test]
fn keys_are_separate_per_caller_partition_method_and_path() {
    let idempotency = Idempotency::new(MemoryIdempotencyStore::new())
        .partition(|request| request.header(&"x-tenant".parse().unwrap()).map(str::to_owned));
    let shop = Shop::of(idempotency);
    let ann = ("X-Caller", "ann north");
    let requests = [
        ("POST /payments", ann, None),
        ("POST /payments", ("X-Caller", "bob north"), None),
        ("POST /payments", ("X-Caller", "ann south"), None),
        ("POST /payments", ("X-Caller", "ann"), None),
        ("POST /payments", ("X-Other", "ann north"), None),
        ("POST /payments", ann, Some("one")),
        ("POST /payments", ann, Some("two")),
        ("PATCH /payments", ann, None),
        ("POST /east/payments", ann, None),
        ("POST /west/payments", ann, None),
    ];
    for round in 0..2 {
        for (request, (header, caller), tenant) in requests {
            let (method, path) = request.split_once(' ').unwrap();
            let sent = shop.client.request(method.parse().unwrap(), path).header(header, caller);
            let sent = tenant.into_iter().fold(sent, |sent, tenant| sent.header("X-Tenant", tenant));
            let response = sent.header("Idempotency-Key", "a").body("text/plain", "status 201").send();
            assert_eq!(is_replay(response.assert_status(201)), round == 1, "{request} {caller} {tenant:?}");
        }
        assert_eq!(shop.effects(), requests.len());
    }
}

#[test]
fn percent_encodings_of_a_path_share_keys() {
    let shop = Shop::new();
    let replays = ["/e%61st/payments", "/east/payments", "/e%2Fst/payments"].map(|path| {
        let request = shop.client.post(path).header("X-Caller", "ann").header("Idempotency-Key", "a");
        is_replay(&request.send())
    });
    assert_eq!(replays, [false, true, false]);
}

#[test]
fn a_replay_requires_access_again() {
    let shop = Shop::new();
    let send = |caller: Option<&str>| {
        let request = shop.client.post("/payments").header("Idempotency-Key", "a").body("text/plain", "empty 204");
        let response = caller.into_iter().fold(request, |request, caller| request.header("X-Caller", caller)).send();
        response.assert_documented();
        response
    };
    assert!(!is_replay(send(Some("ann north pay")).assert_status(204)));
    assert!(!is_replay(send(Some("ann north read")).assert_status(403)), "the scope was revoked");
    assert!(!is_replay(send(None).assert_status(401)));
    assert!(is_replay(send(Some("ann north read,pay")).assert_status(204)));
    assert_eq!(shop.effects(), 1);
}
