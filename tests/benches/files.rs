//! Downloads and uploads of 1 GB, next to actix-files and actix-multipart: `cargo bench -p restwright-benches --bench files`.
//!
//! Each side is a separate process with one worker, which shows the peak of its memory. The fastest of several rounds counts.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use actix_multipart::form::MultipartForm;
use actix_multipart::form::tempfile::TempFile;
use actix_web::{App, HttpResponse, HttpServer, web};
use restwright::files::{FileResponse, UploadedFile};
use restwright::prelude::*;
use serde::Deserialize;

const GIGABYTE: usize = 1_000_000_000;
const ROUNDS: usize = 5;

#[derive(Deserialize, Schema)]
struct Upload {
    file: UploadedFile,
}

#[derive(Request)]
struct SendFile {
    #[body(multipart)]
    form: Upload,
}

fn ours(path: String, listener: TcpListener) {
    let download = Route::get("/file").id("download").public().handler(async move |()| FileResponse::open(&path).await);
    let upload =
        Route::post("/upload").id("upload").public().body_limit(2 * GIGABYTE).deadline(Duration::from_secs(300));
    let upload = upload.handler(async |request: SendFile| Ok(Data(request.form.file.size())));
    let api =
        Api::builder(Configuration::new("files", "1.0.0")).controller(download).controller(upload).build().unwrap();
    let bound = restwright::Host::new(api).workers(1).listen(listener).unwrap();
    restwright::run(bound.serve()).unwrap();
}

#[derive(MultipartForm)]
struct TheirUpload {
    #[multipart(limit = "2 GB")]
    file: TempFile,
}

fn theirs(path: String, listener: TcpListener) {
    actix_web::rt::System::new().block_on(async move {
        let app = move || {
            let path = path.clone();
            let limits = actix_multipart::form::MultipartFormConfig::default().total_limit(2 * GIGABYTE);
            App::new()
                .app_data(limits)
                .route(
                    "/file",
                    web::get().to(move || {
                        let path = path.clone();
                        async move { actix_files::NamedFile::open_async(path).await }
                    }),
                )
                .route(
                    "/upload",
                    web::post().to(|form: MultipartForm<TheirUpload>| async move {
                        HttpResponse::Ok().json(serde_json::json!({ "data": form.file.size }))
                    }),
                )
        };
        HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run().await.unwrap();
    });
}

/// A server in a process.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start(side: &str, path: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--serve", side, path])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, address: line.trim().parse().unwrap() }
    }

    /// Returns the peak of the memory in MiB.
    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1_024
    }

    fn connect(&self) -> TcpStream {
        let begin = Instant::now();
        loop {
            match TcpStream::connect(self.address) {
                Ok(stream) => return stream,
                Err(error) => assert!(begin.elapsed() < Duration::from_secs(10), "{error}"),
            }
        }
    }

    fn download(&self) -> Duration {
        let mut stream = self.connect();
        let begin = Instant::now();
        stream.write_all(b"GET /file HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n").unwrap();
        let (mut buffer, mut received) = (vec![0; 1 << 20], 0);
        loop {
            match stream.read(&mut buffer).unwrap() {
                0 => break,
                count => received += count,
            }
        }
        assert!(received > GIGABYTE, "{received} bytes");
        begin.elapsed()
    }

    fn upload(&self) -> Duration {
        let head = b"--XX\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\n";
        let end = b"\r\n--XX--\r\n";
        let length = head.len() + GIGABYTE + end.len();
        let mut stream = self.connect();
        let begin = Instant::now();
        let request = format!(
            "POST /upload HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=XX\r\n\
             Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream.write_all(head).unwrap();
        let piece = vec![b'x'; 1_000_000];
        for _ in 0..GIGABYTE / piece.len() {
            stream.write_all(&piece).unwrap();
        }
        stream.write_all(end).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        assert!(response.ends_with(r#"{"data":1000000000}"#), "{response}");
        begin.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [serve, side, path] = &arguments[..]
        && serve == "--serve"
    {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        println!("{}", listener.local_addr().unwrap());
        return if side == "ours" { ours(path.clone(), listener) } else { theirs(path.clone(), listener) };
    }
    let path = std::env::temp_dir().join(format!("restwright-gigabyte-{}", std::process::id()));
    let mut file = File::create(&path).unwrap();
    let piece: Vec<u8> = (0..1_000_000_u32).map(|byte| byte.to_be_bytes()[3]).collect();
    (0..GIGABYTE / piece.len()).for_each(|_| file.write_all(&piece).unwrap());
    let path = path.display().to_string();
    println!("| 1 GB | restwright | actix | ratio of throughput | peak of restwright | peak of actix |");
    println!("|---|---|---|---|---|---|");
    type Transfer = fn(&Server) -> Duration;
    for (name, transfer) in [("download", Server::download as Transfer), ("upload", Server::upload as Transfer)] {
        let (mut best, mut peaks) = ([Duration::MAX; 2], [0; 2]);
        for _ in 0..ROUNDS {
            for (index, side) in ["ours", "theirs"].into_iter().enumerate() {
                let server = Server::start(side, &path);
                best[index] = best[index].min(transfer(&server));
                peaks[index] = peaks[index].max(server.peak());
            }
        }
        let [ours, theirs] = best.map(|time| time.as_secs_f64());
        let ratio = theirs / ours;
        println!("| {name} | {ours:.2} s | {theirs:.2} s | {ratio:.2} | {} MiB | {} MiB |", peaks[0], peaks[1]);
    }
    fs::remove_file(path).unwrap();
}
