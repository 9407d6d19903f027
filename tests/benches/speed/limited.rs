//! Health with a limit per client address, whose store holds 100,000 other addresses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

use restwright::Host;
use restwright::prelude::*;
use restwright::rate_limit::{Quota, RateLimit};
use restwright::testing::TestClient;

use crate::declared::Health;

const KEYS: u32 = 100_000;

pub(crate) fn serve(listener: TcpListener) -> std::io::Result<()> {
    let api = api();
    let client = TestClient::new(api.clone());
    for number in 0..KEYS {
        let address = IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + number));
        client.get("/health").peer(SocketAddr::new(address, 40000)).send().assert_status(200);
    }
    Ok(restwright::run(Host::new(api).workers(1).listen(listener)?.serve())?)
}

/// The quota is never used up, and what the headers say is as long as it is for 600 a minute.
fn api() -> Api {
    let limit = RateLimit::per_ip("clients", Quota::per_second(1_000_000).burst(600));
    let builder = Api::builder(Configuration::new("speed", "1.0.0")).middleware(limit).controller(Health);
    builder.build().expect("the declaration has no mistakes")
}
