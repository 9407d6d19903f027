#!/usr/bin/env bash
# Squid 5.7 (Debian 12): a range of a stored file with another `If-Range` is a 200 with wrong content.
#
# Expected: the whole file from its start, because the condition of `If-Range` is false (RFC 9110, section 13.1.5).
# Behaviour: Squid sends 200 and the length of the whole file. The content begins right, up to the end of the requested range, continues with the
# bytes at the start of the file, and lacks as many bytes at its end. The stored file stays right.
# Source: https://github.com/squid-cache/squid/tree/SQUID_5_7/src, `client_side_reply.cc` and `client_side.cc`. Seen by running it.
# Output seen on 2026-11-30:
#   whole file: 200, 1000 bytes, right content
#   range, same If-Range: 206, 3 bytes, right content
#   range, another If-Range: 200, 1000 bytes, wrong content
#   whole file: 200, 1000 bytes, right content
#
# Fails if this changes. Needs Debian's apt-get, and a user `nobody` if it runs as root.
set -euo pipefail

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 777 .
apt-get download --quiet squid=5.7-2+deb12u6 squid-common=5.7-2+deb12u6 squid-langpack=20220130-1 libecap3=1.0.1-3.4 libltdl7=2.4.7-7~deb12u1 libtdb1=1.4.8-2 \
    libnetfilter-conntrack3=1.0.9-3 libnfnetlink0=1.0.2-2 libmnl0=1.0.4-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$PWD/root/usr/lib/x86_64-linux-gnu
mapfile -t ports < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in sockets), sep="\n")')
cat >squid.conf <<CONF
http_port 127.0.0.1:${ports[1]} accel defaultsite=localhost
cache_peer 127.0.0.1 parent ${ports[0]} 0 no-query originserver
http_access allow all
never_direct allow all
cache_effective_user nobody
pid_filename $PWD/squid.pid
access_log none
cache_log $PWD/cache.log
coredump_dir $PWD
mime_table $PWD/root/usr/share/squid/mime.conf
icon_directory $PWD/root/usr/share/squid/icons
error_directory $PWD/root/usr/share/squid/errors/templates
unlinkd_program /bin/true
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname localhost
CONF
cat >server.py <<'PYTHON'
import http.server
import sys

CONTENT = b"".join(b"%09d\n" % number for number in range(100))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        for name, value in (("Cache-Control", "max-age=60"), ("ETag", '"1"'), ("Content-Length", str(len(CONTENT)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
PYTHON
python3 server.py "${ports[0]}" 2>server.log &
root/usr/sbin/squid -N -f "$PWD/squid.conf" >squid.log 2>&1 &

PORT=${ports[1]} python3 - <<'PYTHON'
import http.client
import os
import time

CONTENT = b"".join(b"%09d\n" % number for number in range(100))
PART = {"Range": "bytes=3-5"}


def get(headers):
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ["PORT"]), timeout=10)
    connection.request("GET", "/file", headers=headers)
    response = connection.getresponse()
    return response.status, response.read()


for _ in range(100):
    try:
        if get({})[0] == 200:
            break
    except OSError:
        pass
    time.sleep(0.1)
for about, headers, expected in [
    ("whole file", {}, (200, 1000, "right")),
    ("range, same If-Range", PART | {"If-Range": '"1"'}, (206, 3, "right")),
    ("range, another If-Range", PART | {"If-Range": '"2"'}, (200, 1000, "wrong")),
    ("whole file", {}, (200, 1000, "right")),
]:
    status, body = get(headers)
    found = status, len(body), "right" if body == (CONTENT[3:6] if status == 206 else CONTENT) else "wrong"
    print("{}: {}, {} bytes, {} content".format(about, *found))
    assert found == expected, found
PYTHON
