//! Files as responses, through the test client and through the sockets of both hosts.

#![cfg(test)]

restwright_tests::facade!(actix, files, openapi, testing);

mod accept;
mod conditions;
mod content;
mod folder;
mod forms;
mod hosts;
mod items;
mod ranges;
mod raw;
mod responses;
mod sockets;
mod static_files;
mod uploads;
