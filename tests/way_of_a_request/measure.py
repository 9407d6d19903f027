#!/usr/bin/env python3
"""The way of a request: the functions of our crates that one POST to a derived resource on SQLite passes, in a debug build.

`tests/way_of_a_request/measure.py` prints their number, and fails if it exceeds its bound. `--list` prints them by their files.

The application is served by `serve` in a folder below `target`, under valgrind's callgrind. What is done for the first POST alone (SQL that is built,
connections that are opened) does not count. A function counts once, with its closures and async blocks, and regardless of its generic arguments."""

import collections
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target" / "way_of_a_request"
APPLICATION = FOLDER / "application"
TARGET = FOLDER / "target"

# The number of requests. What runs next to one of them, such as the ticks of timeouts, does not run next to all.
POSTS = 4

# The largest number of functions, and of files that define them. Row policies, field permissions, includes and deleted entities added 21
# functions in 10 files, which decide here that the resource has none of them. The metrics of statements added 4 in 2 files, WebSocket 2, stored
# files 1, and the check for TLS on a port without TLS 1.
MAX_FUNCTIONS = 433
MAX_FILES = 119

MANIFEST = f"""[package]
name = "application"
version = "0.1.0"
edition = "2024"

[dependencies]
restwright = {{ path = "{ROOT}/crates/restwright", features = ["sqlite"] }}
serde = {{ version = "1", features = ["derive"] }}

[profile.dev]
debug = "line-tables-only"

[workspace]
"""

PROGRAM = """//! A resource on SQLite, on one worker.

use std::io::Read;
use std::net::TcpListener;

use restwright::Host;
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::sql::SqlStore;
use serde::{Deserialize, Serialize};

/// An animal.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/animals")]
struct Animal {
    #[property(id)]
    id: i64,
    #[property(min_length = 1, max_length = 100, sort)]
    name: String,
    #[property(minimum = 0, maximum = 10000)]
    weight: f64,
    note: Option<String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = SqlStore::new("sqlite::memory:").migrate();
    let api = Api::builder(Configuration::new("animals", "1.0.0")).resource::<Animal>(store, Access::public()).build()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    Ok(restwright::run(Host::new(api).workers(1).listen(listener)?.serve())?)
}
"""

BODY = json.dumps({"name": "Rex", "weight": 12.5, "note": None}).encode()


def main():
    build()
    functions = passed()
    files = {file for file, _ in functions}
    crates = {file.split("/")[1] for file in files}
    if "--list" in sys.argv:
        by_file = collections.defaultdict(list)
        for file, name in functions:
            by_file[file].append(name)
        for file, names in sorted(by_file.items()):
            print(file)
            for name in sorted(names):
                print(f"    {name}")
    print(
        f"a POST passes {len(functions)} functions in {len(files)} files of {len(crates)} crates; "
        f"at most {MAX_FUNCTIONS} in {MAX_FILES}"
    )
    sys.exit(1 if len(functions) > MAX_FUNCTIONS or len(files) > MAX_FILES else 0)


def build():
    files = {"Cargo.toml": MANIFEST, "src/main.rs": PROGRAM}
    (APPLICATION / "src").mkdir(parents=True, exist_ok=True)
    # The versions of the workspace.
    if not (APPLICATION / "Cargo.lock").exists():
        shutil.copy(ROOT / "Cargo.lock", APPLICATION / "Cargo.lock")
    for name, text in files.items():
        file = APPLICATION / name
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
    subprocess.run(["cargo", "build", "--quiet"], cwd=APPLICATION, env=os.environ | {"CARGO_TARGET_DIR": str(TARGET)}, check=True)


def passed():
    """Returns the functions of our crates that each POST after the first one passes, each with its file."""
    for report in FOLDER.glob("callgrind.out*"):
        report.unlink()
    program = TARGET / "debug" / "application"
    command = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={FOLDER}/callgrind.out", program]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)) as connection:
            post(connection)
            control(server.pid, "--zero")
            for _ in range(POSTS):
                post(connection)
                control(server.pid, "--dump")
    finally:
        server.stdin.close()
        server.wait()
    reports = (FOLDER / f"callgrind.out.{number}" for number in range(1, POSTS + 1))
    return set.intersection(*(functions_of(report.read_text()) for report in reports))


def post(connection):
    head = f"POST /animals HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
    connection.sendall(head.encode() + BODY)
    response = b""
    while not response.endswith(b"}"):
        response += connection.recv(65536)
    if not response.startswith(b"HTTP/1.1 201 "):
        sys.exit(f"the POST failed: {response.decode()}")


def control(process, command):
    subprocess.run(["callgrind_control", command, str(process)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def functions_of(report):
    """Reads a report of callgrind, in which a file and a name are numbered where they are first written."""
    files, names, functions, file = {}, {}, set(), None
    for line in report.splitlines():
        match = re.match(r"c?(f[lien])=\((\d+)\)(?: (.*))?$", line)
        if not match:
            continue
        kind, number, text = match.groups()
        known = names if kind == "fn" else files
        known[number] = text or known[number]
        if line.startswith("fl="):
            file = known[number]
        elif line.startswith("fn="):
            path = re.search(rf"{re.escape(str(ROOT))}/(crates/[a-z-]+/src/.*\.rs)$", file)
            if path:
                functions.add((path[1], folded(known[number])))
    return functions


def folded(name):
    """Returns the name of a function without its generic arguments, its hash, and the closures within it."""
    # Names of closures within closures are not readable for valgrind.
    for written, meant in {"_$LT$": "<", "$LT$": "<", "$GT$": ">", "$C$": ",", "$u20$": " ", "..": "::"}.items():
        name = name.replace(written, meant)
    return re.sub(r"(::_?(\{\{|\$u7b\$)closure.*|::h[0-9a-f]{16})$", "", name.split("'", 1)[0])


main()
