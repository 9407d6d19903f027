//! Authenticators from the outside: attacks, rotations, outages, and what comes out of a socket.

#![cfg(test)]
#![allow(
    clippy::needless_pass_by_value,
    clippy::string_slice,
    reason = "tables read better, and their texts are ASCII"
)]

mod api_key;
mod attacks;
mod authorization_header;
mod caching;
mod declaration;
mod floods;
mod keys;
mod oracle;
mod outage_log;
mod outages;
mod pairs;
mod provider;
mod request;
mod rotation;
mod socket;
mod tls;
