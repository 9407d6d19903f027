#!/usr/bin/env bash
# requests 2.34.2 (PyPI) repeats requests that the server has rejected, although its documentation says that `max_retries` never does.
#
# Expected: `HTTPAdapter(max_retries=2)` repeats nothing after a response. The documentation of HTTPAdapter: "this applies only to failed DNS lookups,
# socket connections and connection timeouts, never to requests where data has made it to the server".
# Behaviour: requests passes the number to urllib3's `Retry(2)`, which repeats GET, HEAD, OPTIONS, PUT, DELETE and TRACE after a 413, 429 or
# 503 with `Retry-After`, and sleeps for the seconds of the field. Without `Retry-After` nothing is repeated.
# Source: https://requests.readthedocs.io/en/latest/api/#requests.adapters.HTTPAdapter; `Retry.is_retry` of urllib3 2.8.0 (PyPI).
# Output seen on 2026-11-30:
#   PUT, 503 with Retry-After: requests sent: 3
#   PUT, 503 without Retry-After: requests sent: 1
#   POST, 503 with Retry-After: requests sent: 1
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check requests==2.34.2 urllib3==2.8.0
venv/bin/python - <<'PYTHON'
import http.server
import threading

import requests
from requests.adapters import HTTPAdapter


class Unavailable(http.server.BaseHTTPRequestHandler):
    seen = []

    def reject(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.seen.append(self.path)
        self.send_response(503)
        if self.path == "/with":
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_POST = reject

    def log_message(self, *_):
        pass


assert "never to requests" in HTTPAdapter.__doc__, "the documentation has changed"
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Unavailable)
threading.Thread(target=server.serve_forever, daemon=True).start()
session = requests.Session()
session.mount("http://", HTTPAdapter(max_retries=2))
for method, path, expected in [("PUT", "with", 3), ("PUT", "without", 1), ("POST", "with", 1)]:
    Unavailable.seen.clear()
    session.request(method, f"http://127.0.0.1:{server.server_port}/{path}", data="{}", timeout=10)
    print(f"{method}, 503 {path} Retry-After: requests sent: {len(Unavailable.seen)}")
    assert len(Unavailable.seen) == expected, expected
PYTHON
