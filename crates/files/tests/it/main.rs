//! Files as responses, through the test client and through the sockets of both hosts.

#![cfg(test)]

restwright_tests::facade!(actix, files, list, openapi, testing);

mod accept;
mod conditions;
mod content;
mod folder;
mod forms;
mod hosts;
mod imports;
mod items;
mod json_parts;
mod ranges;
mod raw;
mod responses;
mod senders;
mod sockets;
mod static_files;
mod uploads;
