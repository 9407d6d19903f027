#!/usr/bin/env bash
# Varnish 7.1.1 (Debian 12): a response with a trailer arrives without its end.
#
# Expected: a cache that cannot forward trailers discards them, and the content arrives complete. RFC 9110, section 6.5.1, permits an intermediary to
# discard trailers.
# Behaviour: Varnish accepts no line after the last chunk but an empty one. Otherwise the fetch fails after the content, so the client receives the
# content without the last chunk, and reports an incomplete body. If the content is short, the client may receive a 503.
# Source: https://github.com/varnishcache/varnish-cache/blob/varnish-7.1.1/bin/varnishd/http1/cache_http1_vfp.c, the error `chunked tail no NL`.
# Output seen on 2026-11-30:
#   without a trailer: 200, complete
#   with a trailer: 200, incomplete
#
# Fails if this changes. Needs Debian's apt-get, and gcc, with which Varnish compiles its settings.
set -euo pipefail

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download --quiet varnish=7.1.1-2+deb12u1 libvarnishapi3=7.1.1-2+deb12u1 libjemalloc2=5.3.0-1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(dirname "$(find root -name 'libvarnishapi.so.3')")
export LD_LIBRARY_PATH=$PWD/$libraries:$PWD/$libraries/varnish PATH=$PATH:/usr/sbin
mapfile -t ports < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in sockets), sep="\n")')
cat >settings.vcl <<VCL
vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${ports[0]}"; }
VCL
cat >server.py <<'PYTHON'
import http.server
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"5\r\nhello\r\n")
        # Varnish sends the head before the end arrives.
        time.sleep(0.5)
        self.wfile.write(b"0\r\nX-Rows: 1\r\n\r\n" if self.path == "/with" else b"0\r\n\r\n")

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
PYTHON
python3 server.py "${ports[0]}" 2>server.log &
root/usr/sbin/varnishd -F -j none -a "127.0.0.1:${ports[1]}" -f "$PWD/settings.vcl" -n "$PWD/varnish" -T none -s malloc,20m >log 2>&1 &

PORT=${ports[1]} python3 - <<'PYTHON'
import http.client
import os
import time

port = int(os.environ["PORT"])


def get(path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    try:
        response.read()
        return f"{response.status}, complete"
    except http.client.IncompleteRead:
        return f"{response.status}, incomplete"


for _ in range(100):
    try:
        if get("/").startswith("200"):
            break
    except OSError:
        pass
    time.sleep(0.1)
for about, path, expected in [("without", "/without", "200, complete"), ("with", "/with", "200, incomplete")]:
    found = get(path)
    print(f"{about} a trailer: {found}")
    assert found == expected, found
PYTHON
