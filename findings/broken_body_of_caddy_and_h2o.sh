#!/usr/bin/env bash
# Caddy 2.6.2 and H2O 2.2.5 (Debian 12): a body that breaks off arrives as a complete body.
#
# Expected: a proxy that receives an incomplete chunked body forwards it so that the client detects it: without the last chunk. RFC 9112, section 8,
# says that a chunked message without its last chunk is incomplete.
# Behaviour: both proxies write the last chunk themselves, so the client receives a complete response with status 200 that lacks its end. HAProxy
# 2.6.12 in the same place closes the connection without a last chunk.
# Source: https://github.com/caddyserver/caddy/issues/5951, and https://github.com/caddyserver/caddy/blob/v2.6.2/modules/caddyhttp/reverseproxy/reverseproxy.go,
# where an error while the body is copied only goes to the log. https://github.com/h2o/h2o/blob/v2.2.5/lib/core/proxy.c.
# Output seen on 2026-11-30:
#   Caddy: 200, complete, 5 bytes
#   H2O: 200, complete, 5 bytes
#   HAProxy: 200, incomplete, 5 bytes
#
# Fails if this changes. Needs Debian's apt-get.
set -euo pipefail

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download --quiet caddy=2.6.2-5 h2o=2.2.5+dfsg2-7 haproxy=2.6.12-1+deb12u4 \
    liblua5.3-0=5.3.6-2 libyaml-0-2=0.2.5-1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$PWD/root/usr/lib/x86_64-linux-gnu
mapfile -t ports < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
print(*(one.getsockname()[1] for one in sockets), sep="\n")')
printf '{\n admin off\n}\nhttp://127.0.0.1:%s {\n reverse_proxy 127.0.0.1:%s\n}\n' "${ports[1]}" "${ports[0]}" >Caddyfile
printf 'user: %s\nlisten: {host: 127.0.0.1, port: %s}\nhosts: {default: {paths: {"/": {proxy.reverse.url: "http://127.0.0.1:%s/"}}}}\n' \
    "$(id -un)" "${ports[2]}" "${ports[0]}" >h2o.conf
cat >haproxy.cfg <<CFG
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
listen web
    bind 127.0.0.1:${ports[3]}
    server one 127.0.0.1:${ports[0]}
CFG
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
        time.sleep(0.5)
        # Closes the connection without a last chunk.
        self.close_connection = True

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
PYTHON
python3 server.py "${ports[0]}" 2>server.log &
HOME=$PWD root/usr/bin/caddy run --adapter caddyfile --config Caddyfile >caddy.log 2>&1 &
root/usr/bin/h2o -c h2o.conf >h2o.log 2>&1 &
root/usr/sbin/haproxy -f haproxy.cfg >haproxy.log 2>&1 &

PORTS="${ports[*]}" python3 - <<'PYTHON'
import http.client
import os
import socket
import time

_, *ports = map(int, os.environ["PORTS"].split())
for name, port, expected in zip(["Caddy", "H2O", "HAProxy"], ports, ["complete", "complete", "incomplete"]):
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/")
    response = connection.getresponse()
    try:
        body, end = response.read(), "complete"
    except http.client.IncompleteRead as broken:
        body, end = broken.partial, "incomplete"
    print(f"{name}: {response.status}, {end}, {len(body)} bytes")
    assert (response.status, end, body) == (200, expected, b"hello"), (response.status, end, body)
PYTHON
