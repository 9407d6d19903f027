//! What ends a file: a delete, an interrupted upload, a later upload, and the sweep.

use std::fs::{self, File};
use std::io::Read;
use std::net::Shutdown;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::super::socket::{begin, with_server};
use super::{Cases, PNG, api};

#[test]
fn files_are_deleted_with_their_entity() {
    let cases = Cases::new();
    let note = || {
        let created = cases.client.post("/notes").json(&json!({})).send();
        let path = created.header("location").unwrap().to_owned();
        cases.send("PUT", &format!("{path}/scan"), &[], PNG).assert_status(201);
        path
    };
    let notes = [note(), note(), note()];
    cases.wait_for_files(3);
    cases.send("DELETE", &notes[0], &[], b"").assert_status(204);
    cases.wait_for_files(2);
    let ids: Vec<_> = notes[1..].iter().map(|path| json!({"id": path.rsplit('/').next()})).collect();
    let deleted = cases.client.post("/notes/batch/delete").json(&json!({"data": ids})).send();
    deleted.assert_status(204);
    cases.wait_for_files(0);
}

#[test]
fn files_without_an_entity_are_deleted_after_a_day() {
    let cases = Cases::new();
    let path = cases.create();
    cases.ann("PUT", &format!("{path}/photo"), PNG).assert_status(201);
    let kept = cases.files();
    let random = "0123456789abcdef0123456789abcdef";
    let (old, now) = (SystemTime::now() - Duration::from_secs(25 * 60 * 60), SystemTime::now());
    let folder = cases.folder.path().join("cases/photo");
    for (name, modified) in [
        (format!("1.{random}"), old),
        (format!("77.{random}"), old),
        (format!("78.{random}"), now),
        ("README.txt".to_owned(), old),
        (format!("x.{random}"), old),
        ("79.0123".to_owned(), old),
    ] {
        let file = File::create(folder.join(name)).unwrap();
        file.set_modified(modified).unwrap();
    }
    File::options().write(true).open(cases.folder.path().join(&kept[0])).unwrap().set_modified(old).unwrap();
    // Deleted entities stay in the store with their files.
    let deleted = cases.create();
    cases.ann("PUT", &format!("{deleted}/photo"), PNG).assert_status(201);
    cases.ann("DELETE", &deleted, b"").assert_status(204);
    assert_eq!(cases.files().len(), 8);
    cases.files().iter().filter(|name| name.contains("photo/2.")).for_each(|name| {
        File::options().write(true).open(cases.folder.path().join(name)).unwrap().set_modified(old).unwrap();
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        cases.client.api().start().await.unwrap();
        for (minutes, count) in [(9, 8), (2, 6)] {
            tokio::task::yield_now().await;
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(60 * minutes)).await;
            tokio::time::resume();
            for _ in 0..100 {
                if cases.files().len() == count && minutes == 2 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert_eq!(cases.files().len(), count, "{minutes} minutes later");
        }
        // The connections of the store belong to the runtime of the client, so nothing stops here.
    });
    let left = cases.files();
    assert!(left.contains(&kept[0]) && left.iter().any(|name| name.contains("photo/2.")), "{left:?}");
    assert!(!left.iter().any(|name| name.ends_with(&format!("/1.{random}")) || name.contains("/77.")), "{left:?}");
}

#[test]
fn interrupted_uploads_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let count = || fs::read_dir(folder.path().join("notes/scan")).into_iter().flatten().count();
    with_server(api(folder.path()), |address| {
        let mut created = String::new();
        begin(address, "POST /notes", &[], 2, "{}").read_to_string(&mut created).unwrap();
        let path = created.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
        let upload =
            |body: &str| begin(address, &format!("PUT {path}/scan"), &["Content-Type: text/plain"], 600_000, body);
        // A client that leaves, one that stops sending, and one that closes its side.
        let wait = |expected: usize| {
            let is_reached = (0..300).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                count() == expected
            });
            assert!(is_reached, "{} files, expected {expected}", count());
        };
        let left = upload(&"x".repeat(300_000));
        wait(1);
        drop(left);
        wait(0);
        let mut slow = String::new();
        upload(&"x".repeat(300_000)).read_to_string(&mut slow).unwrap();
        assert!(slow.starts_with("HTTP/1.1 408 "), "{slow}");
        wait(0);
        let mut half = upload("x");
        half.shutdown(Shutdown::Write).unwrap();
        let mut response = String::new();
        half.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
        wait(0);
    });
}

#[test]
fn concurrent_uploads_leave_the_file_of_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let scans = || fs::read_dir(folder.path().join("notes/scan")).unwrap().map(|file| file.unwrap().path());
    with_server(api(folder.path()), |address| {
        let mut created = String::new();
        begin(address, "POST /notes", &[], 2, "{}").read_to_string(&mut created).unwrap();
        let path = created.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
        let upload = |text: &str| {
            let mut response = String::new();
            let mut stream =
                begin(address, &format!("PUT {path}/scan"), &["Content-Type: text/plain"], text.len(), text);
            stream.read_to_string(&mut response).unwrap();
            let status = response.split(' ').nth(1).unwrap_or_default().to_owned();
            assert!(["200", "201"].contains(&status.as_str()), "{response}");
            status
        };
        let statuses: Vec<_> = std::thread::scope(|scope| {
            let uploads = (0..40).map(|number| {
                scope.spawn({
                    let upload = &upload;
                    move || upload(&format!("upload {number}"))
                })
            });
            uploads.collect::<Vec<_>>().into_iter().map(|upload| upload.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| *status == "201").count(), 1, "only the first one creates the file");
        let is_one = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            scans().count() == 1
        });
        assert!(is_one, "{:?}", scans().collect::<Vec<_>>());
        let mut found = String::new();
        begin(address, &format!("GET {path}/scan"), &[], 0, "").read_to_string(&mut found).unwrap();
        let content = fs::read_to_string(scans().next().unwrap()).unwrap();
        assert!(found.starts_with("HTTP/1.1 200 ") && found.ends_with(&content), "{found}");
    });
}
