#!/usr/bin/env bash
# sqlx 0.9.0 (crates.io): a query with `persistent(false)` reaches PostgreSQL in two steps, so it is not safe behind a transaction pooler.
#
# Expected: a query that is not kept is parsed, bound and executed before one Sync, as psycopg 3.3.2 (PyPI) does with `prepare=False`. A pooler with
# `pool_mode = transaction` assigns a server connection until the Sync, so the unnamed statement is bound on the connection that parsed it.
# Behaviour: sqlx sends Parse and Describe with a Sync, waits for the columns, and then sends Bind and Execute with another Sync. Outside of a transaction
# the pooler may send the second step to another server connection, which has no unnamed statement, or that of another client. Inside of a
# transaction, or with `raw_sql`, the query is safe.
# Source: https://docs.rs/sqlx-postgres/0.9.0/src/sqlx_postgres/connection/executor.rs.html, `prepare` and `run`.
#   https://www.postgresql.org/docs/18/protocol-message-formats.html: P Parse, D Describe, S Sync, B Bind, E Execute, C Close.
# Output seen on 2026-11-29 (the messages of the client):
#   sqlx: PDS BECS
#   psycopg: PBDES
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @electric-sql/pglite-socket@0.2.17
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'psycopg[binary]==3.3.2'
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "unnamed-statement"
version = "0.1.0"
edition = "2024"

[dependencies]
sqlx = { version = "=0.9.0", default-features = false, features = ["postgres", "runtime-tokio"] }
tokio = { version = "1", features = ["macros", "rt"] }
TOML
cat >src/main.rs <<'RUST'
use sqlx::{Connection, PgConnection, Row};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut connection = PgConnection::connect(&std::env::args().nth(1).unwrap()).await.unwrap();
    let query = sqlx::query("SELECT $1 + 1").persistent(false).bind(7);
    let row = query.fetch_one(&mut connection).await.unwrap();
    assert_eq!(row.get::<i32, _>(0), 8);
}
RUST
cargo build --quiet
cat >recorder.py <<'PYTHON'
"""Runs a program on a proxy of PostgreSQL, and prints the types of the messages that the program sends, up to each Sync."""

import socket, subprocess, sys, threading

name, port, program = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
listener = socket.create_server(("127.0.0.1", 0))
sent = []


def messages(client, server):
    first = client.recv(8, socket.MSG_WAITALL)
    if first[4:] == b"\x04\xd2\x16\x2f":
        client.sendall(b"N")
        first = client.recv(8, socket.MSG_WAITALL)
    server.sendall(first + client.recv(int.from_bytes(first[:4], "big") - 8, socket.MSG_WAITALL))
    while head := client.recv(5, socket.MSG_WAITALL):
        body = client.recv(int.from_bytes(head[1:], "big") - 4, socket.MSG_WAITALL)
        sent.append(head[:1].decode())
        server.sendall(head + body)


def responses(client, server):
    while data := server.recv(65536):
        client.sendall(data)


def proxy():
    client, _ = listener.accept()
    server = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=responses, args=(client, server), daemon=True).start()
    messages(client, server)


threading.Thread(target=proxy, daemon=True).start()
url = f"postgres://postgres@127.0.0.1:{listener.getsockname()[1]}/postgres?sslmode=disable"
subprocess.run([*program, url], check=True)
print(name + ":", "".join(sent).replace("S", "S ").removesuffix("X").strip())
PYTHON
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
node node_modules/@electric-sql/pglite-socket/dist/scripts/server.js --host=127.0.0.1 "--port=$port" >/dev/null 2>&1 &
server=$!
until (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
sleep 2
cat >query.py <<'PYTHON'
import sys, psycopg

with psycopg.connect(sys.argv[1], autocommit=True) as connection:
    assert connection.execute("SELECT %s::int4 + 1", [7], prepare=False).fetchone() == (8,)
PYTHON
{
    python3 recorder.py sqlx "$port" target/debug/unnamed-statement
    python3 recorder.py psycopg "$port" venv/bin/python query.py
} | tee output
diff output - <<'OUTPUT'
sqlx: PDS BECS
psycopg: PBDES
OUTPUT
