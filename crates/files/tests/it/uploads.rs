//! Forms through the sockets of both hosts, with curl and with clients that go away.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use restwright::files::{FileResponse, UploadedFile};
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::forms;
use crate::hosts::on_both_hosts;

/// Runs one test at a time, because the tests count the open files of the process.
static TURN: Mutex<()> = Mutex::new(());

#[derive(Deserialize, Schema)]
struct Large {
    file: UploadedFile,
}

#[derive(Request)]
struct Upload {
    #[query]
    action: Option<String>,
    #[body(multipart)]
    form: Large,
}

#[derive(Deserialize, Schema)]
struct Note {
    text: String,
    #[serde(default)]
    files: Vec<UploadedFile>,
}

#[derive(Request)]
struct WriteNote {
    #[body(multipart)]
    form: Note,
}

#[derive(Deserialize, Schema)]
struct Many {
    files: Vec<UploadedFile>,
}

#[derive(Request)]
struct SendMany {
    #[body(multipart)]
    form: Many,
}

/// An Api that receives a file of up to 2 GB, and panics or waits on request.
fn api(target: &Folder) -> Api {
    let path = target.path().join("stored");
    let upload = Route::post("/upload").id("upload").public().body_limit(2_000_000_000);
    let upload = upload.deadline(Duration::from_secs(300)).handler(async move |request: Upload| {
        match request.action.as_deref() {
            Some("panic") => panic!("on request"),
            Some("wait") => tokio::time::sleep(Duration::from_secs(3_600)).await,
            _ => request.form.file.save(&path).await.map_err(Problem::internal)?,
        }
        Ok(Data(request.form.file.size()))
    });
    let slow = Route::post("/slow").id("slow").public().body_limit(10_000_000).deadline(Duration::from_millis(300));
    let slow = slow.handler(async |request: Upload| {
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        Ok(Data(request.form.file.size()))
    });
    Api::builder(Configuration::new("uploads", "1.0.0")).controller(upload).controller(slow).build().unwrap()
}

/// Returns the number of open files without a name.
fn temporary_files() -> usize {
    let links = fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    links.filter(|link| link.to_string_lossy().ends_with(" (deleted)")).count()
}

fn await_temporary_files(expected: usize, what: &str) {
    let begin = Instant::now();
    while temporary_files() != expected {
        assert!(begin.elapsed() < Duration::from_mins(1), "{what}: {} files, not {expected}", temporary_files());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Begins a request with a file of `size` bytes, and sends `sent` bytes of it.
fn begin(address: SocketAddr, path: &str, size: usize, sent: usize) -> TcpStream {
    let begin = b"--XX\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\n";
    let length = begin.len() + size + b"\r\n--XX--".len();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: t\r\nContent-Type: multipart/form-data; boundary=XX\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(begin).unwrap();
    stream.write_all(&vec![b'x'; sent]).unwrap();
    stream
}

#[test]
fn temporary_files_end_with_their_request() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = Folder::new();
    on_both_hosts(
        || api(&folder),
        |address| {
            let before = temporary_files();
            let mut complete = begin(address, "/upload", 200_000, 200_000);
            complete.write_all(b"\r\n--XX--").unwrap();
            let mut response = [0; 12];
            complete.read_exact(&mut response).unwrap();
            assert_eq!(&response, b"HTTP/1.1 200");
            await_temporary_files(before, "after a response");
            assert_eq!(fs::read(folder.path().join("stored")).unwrap(), vec![b'x'; 200_000]);

            let mut panics = begin(address, "/upload?action=panic", 200_000, 200_000);
            panics.write_all(b"\r\n--XX--").unwrap();
            panics.read_exact(&mut response).unwrap();
            assert_eq!(&response, b"HTTP/1.1 500");
            await_temporary_files(before, "after a panic");

            let lost = begin(address, "/upload", 200_000, 150_000);
            await_temporary_files(before + 1, "during an upload");
            lost.shutdown(Shutdown::Both).unwrap();
            drop(lost);
            await_temporary_files(before, "after a lost client");

            let mut slow = begin(address, "/slow", 200_000, 200_000);
            slow.write_all(b"\r\n--XX--").unwrap();
            slow.read_exact(&mut response).unwrap();
            assert_eq!(&response, b"HTTP/1.1 503");
            await_temporary_files(before, "after the deadline");
        },
    );
}

/// Returns everything that the methods of a file return, and what a copy contains.
async fn contents(file: &UploadedFile, path: &Path) -> Result<[Vec<u8>; 3]> {
    let whole = file.bytes().await.map_err(Problem::internal)?;
    let pieces: Vec<_> = file.pieces().map(|piece| piece.unwrap()).collect().await;
    file.save(path).await.map_err(Problem::internal)?;
    Ok([whole.into(), pieces.concat(), fs::read(path).map_err(Problem::internal)?])
}

#[test]
fn the_files_of_a_form_share_a_temporary_file() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = Folder::new();
    // 16 files of 64 KiB fill the memory of the form. The files after them are in the temporary file.
    let sizes = [vec![64 * 1024; 16], vec![1; 200], vec![300_000, 0, 70_000, 5]].concat();
    let content = |index: usize| vec![u8::try_from(index % 251).unwrap(); sizes[index]];
    let sent: Vec<_> = (0..sizes.len()).map(content).collect();
    let (expected, path) = (sent.clone(), folder.path().join("copy"));
    let many = Route::post("/many").id("many").public().body_limit(3_000_000).deadline(Duration::from_secs(300));
    let many = many.handler(async move |SendMany { form }| {
        let open = temporary_files();
        for (file, expected) in form.files.iter().zip(&expected) {
            for found in contents(file, &path).await? {
                assert!(found == *expected, "{} bytes", expected.len());
            }
        }
        Ok(Data(open))
    });
    let third = Route::post("/third").id("third").public().body_limit(3_000_000);
    let third = third.handler(async |SendMany { mut form }| Ok(FileResponse::from(form.files.swap_remove(218))));
    let api = Api::builder(Configuration::new("many", "1.0.0")).controller(many).controller(third).build().unwrap();
    let client = TestClient::new(api);
    let parts: Vec<_> = sent.iter().map(|content| ("files", Some(("a", "image/png")), &content[..])).collect();
    let body = forms::form(&parts);
    let before = temporary_files();
    let response = client.post("/many").body("multipart/form-data; boundary=XX", body.clone()).send();
    let open = response.assert_status(200).json::<Value>()["data"].as_u64().unwrap();
    // Other tests have temporary files, too.
    assert!(usize::try_from(open).unwrap() < before + 10, "{open} temporary files, and {before} before");
    let response = client.post("/third").body("multipart/form-data; boundary=XX", body).send();
    assert!(response.assert_status(200).bytes()[..] == sent[218], "the response has another content");
}

/// Returns the peak of the resident memory in MiB since the last call of `forget_peak`.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1_024
}

fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").unwrap();
}

#[test]
fn a_large_file_is_not_in_memory() {
    restwright_tests::alone("uploads::a_large_file_is_not_in_memory", || {
        let folder = Folder::new();
        let source = folder.path().join("source");
        fs::File::create(&source).unwrap().set_len(300_000_000).unwrap();
        on_both_hosts(
            || api(&folder),
            |address| {
                forget_peak();
                let before = peak();
                let response = Command::new("curl")
                    .args(["-sS", "-F", &format!("file=@{}", source.display()), &format!("http://{address}/upload")])
                    .output()
                    .unwrap();
                assert_eq!(String::from_utf8_lossy(&response.stdout), r#"{"data":300000000}"#);
                assert_eq!(fs::metadata(folder.path().join("stored")).unwrap().len(), 300_000_000);
                let grown = peak().saturating_sub(before);
                assert!(grown < 20, "the process grew by {grown} MiB");
            },
        );
    });
}

#[test]
fn rejects_an_announced_length_before_the_body() {
    let folder = Folder::new();
    on_both_hosts(
        || api(&folder),
        |address| {
            let mut stream = begin(address, "/slow", 10_000_001, 0);
            let mut response = [0; 12];
            stream.read_exact(&mut response).unwrap();
            assert_eq!(&response, b"HTTP/1.1 413");
        },
    );
}

#[test]
fn waiting_forms_are_in_the_account_of_memory() {
    let long = "x".repeat(7_900);
    let part = |parameters: &str, content: &str| {
        format!("--XX\r\nContent-Disposition: form-data; {parameters}\r\n\r\n{content}\r\n")
    };
    for (what, body) in [
        ("a text", part("name=text", &"x".repeat(300_000))),
        ("contents of files", part("name=files; filename=a", &"x".repeat(60_000)).repeat(5)),
        ("names of fields", part(&format!("name={long}"), "").repeat(40)),
        ("names of fields that have files", part(&format!("name={long}; filename=a"), "").repeat(40)),
        ("file names", part(&format!("name=files; filename={long}"), "").repeat(40)),
        ("media types", part(&format!("name=files; filename=a\r\nContent-Type: {long}"), "").repeat(40)),
        ("empty files", part("name=files; filename=a", "").repeat(990)),
    ] {
        // The start of the last part, so the part before is complete.
        check_slow_clients_are_rejected(what, &(body + "--XX\r\n"));
    }
}

/// Checks that one of four clients is rejected, if all of them send a part of a form and then wait.
fn check_slow_clients_are_rejected(what: &str, body: &str) {
    let note = Route::post("/notes").id("createNote").public().body_limit(2_000_000);
    let note = note.handler(async |request: WriteNote| Ok(Data(request.form.text.len() + request.form.files.len())));
    let configuration = Configuration::new("notes", "1.0.0").body_memory(1_000_000);
    let api = Api::builder(configuration).controller(note).build().unwrap();
    let host = restwright::Host::new(api).workers(1).body_timeout(Duration::from_mins(2));
    let bound = host.bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = std::thread::spawn(move || restwright::run(bound.serve()));
    let head = "POST /notes HTTP/1.1\r\nHost: t\r\nContent-Type: multipart/form-data; boundary=XX\r\nContent-Length: 900000\r\n\r\n";
    let begin = Instant::now();
    let mut clients: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
            stream
        })
        .collect();
    // Together they are above the limit, so one has to end before the time limit of a body.
    let is_rejected = |stream: &mut TcpStream| {
        stream.set_nonblocking(true).unwrap();
        let mut response = [0; 12];
        matches!(stream.read(&mut response), Ok(12) if &response == b"HTTP/1.1 408")
    };
    while !clients.iter_mut().any(is_rejected) {
        assert!(begin.elapsed() < Duration::from_mins(1), "{what}: no client is rejected");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(clients);
    stop.stop();
    server.join().unwrap().unwrap();
}

#[test]
fn curl_sends_forms() {
    let folder = Folder::new();
    let photo = folder.write("a \"b\".png", "12345");
    let script = folder.write("c.txt", "x");
    on_both_hosts(forms::api, |address| {
        let curl = |path: &str, arguments: &[&str]| -> Value {
            let url = format!("http://{address}{path}");
            let output = Command::new("curl").arg("-sS").args(arguments).arg(url).output().unwrap();
            serde_json::from_slice(&output.stdout).unwrap()
        };
        // curl wants a name with quotes in quotes.
        let name = photo.display().to_string().replace('"', "\\\"");
        let photo = format!("photo=@\"{name}\";type=image/png");
        let response = curl("/photos", &["-F", "title=B\u{e4}", "-F", "width=7", "-F", &photo]);
        let expected = json!({ "name": "a \"b\".png", "type": "image/png", "size": 5, "text": "12345" });
        assert_eq!((&response["data"]["title"], &response["data"]["photo"]), (&json!("B\u{e4}"), &expected));
        let response = curl("/photos", &["-F", "title=Bo", "-F", &format!("photo=@{}", script.display())]);
        assert_eq!(response["errors"][0]["code"], "accept");
        let response =
            curl("/orders", &["--data-urlencode", "name=a&b", "-d", "address[city]=Z", "-d", "address[number]=7"]);
        assert_eq!(response["data"]["name"], "a&b");
    });
}
