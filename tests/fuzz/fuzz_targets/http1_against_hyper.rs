#![no_main]
//! The same bytes on a connection to this server and to hyper. Both must read the same requests, with the same bodies, reply with the same
//! class of status, and keep or close the connection. A difference that is not in the table `ACCEPTED` is a finding.

use libfuzzer_sys::fuzz_target;
use restwright_actix::fuzzing::Loopback;

use differential::Differential;

#[allow(dead_code, reason = "the test of its crate uses the rest")]
#[path = "../../../crates/actix/src/fuzzing/differential/mod.rs"]
mod differential;

thread_local! {
    static SERVERS: (Differential, Loopback) = {
        let differential = Differential::new();
        let loopback = Loopback::new(differential.api()).expect("a runtime");
        (differential, loopback)
    };
}

fuzz_target!(|bytes: &[u8]| {
    SERVERS.with(|(differential, loopback)| {
        differential.check(bytes, |bytes| loopback.serve([bytes]));
    });
});
