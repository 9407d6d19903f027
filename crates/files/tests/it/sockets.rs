//! Files through the sockets of both hosts, with curl and with raw requests.

use std::error::Error;
use std::fs;
use std::process::Command;

use futures_util::{StreamExt, stream};
use restwright::body::Bytes;
use restwright::files::FileResponse;
use restwright::prelude::*;

use crate::folder::Folder;
use crate::hosts::on_both_hosts;
use crate::raw::{get, raw};

/// The bytes of a stream that announces ten.
fn announced(sent: &'static str) -> FileResponse {
    let piece: Result<Bytes, Box<dyn Error>> = Ok(Bytes::from_static(sent.as_bytes()));
    FileResponse::from_stream(10, stream::iter([piece]))
}

#[test]
fn curl_downloads_resumes_and_reads_a_range() {
    let folder = Folder::new();
    // No repetition within the size of a piece, so a piece at the wrong place is noticed.
    let content: Vec<u8> = (0..750_000_u32).flat_map(u32::to_be_bytes).collect();
    let path = folder.write("large.bin", &content);
    let file = Route::get("/large").id("large").public().handler(async move |()| FileResponse::open(&path).await);
    let api = Api::builder(Configuration::new("files", "1.0.0")).controller(file).build().unwrap();
    on_both_hosts(
        || api.clone(),
        |address| {
            let target = folder.path().join("downloaded");
            let curl = |arguments: &[&str]| {
                let url = format!("http://{address}/large");
                let status = Command::new("curl").args(["-sSf", "-o"]).arg(&target).args(arguments).arg(url).status();
                assert!(status.unwrap().success(), "{arguments:?}");
                fs::read(&target).unwrap()
            };
            assert!(curl(&[]) == content);
            assert!(curl(&["--range", "1000000-1999999"]) == content[1_000_000..2_000_000]);
            fs::write(&target, &content[..1_234_567]).unwrap();
            assert!(curl(&["-C", "-"]) == content, "the rest of a download");
        },
    );
}

#[test]
fn the_length_of_a_stream_is_announced() {
    let exact = Route::get("/exact").id("exact").public().handler(async |()| Ok(announced("0123456789")));
    let short = Route::get("/short").id("short").public().handler(async |()| Ok(announced("0123")));
    let long = Route::get("/long").id("long").public().handler(async |()| Ok(announced("0123456789GET")));
    let endless = Route::get("/endless").id("endless").public();
    let endless = endless.handler(async |()| {
        let piece: Result<Bytes, Box<dyn Error>> = Ok(Bytes::from_static(b"0123456789"));
        Ok(FileResponse::from_stream(10, stream::iter([piece]).chain(stream::pending())))
    });
    let api = Api::builder(Configuration::new("files", "1.0.0"));
    let api = api.controller(endless).controller(exact).controller(short).controller(long).build().unwrap();
    on_both_hosts(
        || api.clone(),
        |address| {
            for (path, body) in [("/exact", "0123456789"), ("/long", "0123456789"), ("/endless", "0123456789")] {
                let response = raw(address, &get(path, ""));
                let (head, sent) = response.split_once("\r\n\r\n").unwrap();
                assert!(head.to_lowercase().contains("content-length: 10\r\n"), "{head}");
                assert!(!head.to_lowercase().contains("transfer-encoding"), "{head}");
                assert_eq!(sent, body, "{path}");
            }
            // An `App` closes the connection before it sends the head.
            let short = raw(address, &get("/short", ""));
            assert!(
                short.is_empty() || short.contains("content-length: 10\r\n") && short.ends_with("\r\n\r\n0123"),
                "{short}"
            );
            let head = raw(address, &get("/exact", "").replace("GET", "HEAD"));
            assert!(head.to_lowercase().contains("content-length: 10\r\n") && head.ends_with("\r\n\r\n"), "{head}");
        },
    );
}

#[test]
fn a_file_that_becomes_shorter_is_cut_off() {
    let folder = Folder::new();
    let path = folder.write("a.bin", vec![1; 200_000]);
    let shortened = path.clone();
    let file = Route::get("/file").id("file").public().handler(async move |()| {
        fs::write(&path, vec![1; 200_000]).unwrap();
        let file = FileResponse::open(&path).await?;
        fs::write(&shortened, vec![1; 100_000]).unwrap();
        Ok(file)
    });
    let api = Api::builder(Configuration::new("files", "1.0.0")).controller(file).build().unwrap();
    on_both_hosts(
        || api.clone(),
        |address| {
            let response = raw(address, &get("/file", ""));
            let (head, body) = response.split_once("\r\n\r\n").unwrap();
            assert!(head.to_lowercase().contains("content-length: 200000\r\n"), "{head}");
            assert_eq!(body.len(), 65_536);
        },
    );
}
