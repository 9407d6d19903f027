#!/usr/bin/env bash
# Prism 5.16.0 (@stoplight/prism-cli, npm), a proxy that compares requests with a document: a valid JSON Patch violates the document.
#
# Expected: a body of the type `application/json-patch+json` is compared with the schema of this media type, which the document contains.
# Behaviour: the body is compared with the schema of `application/json`, because this media type is also in the document. The violation is "Request body
# must be object". With only `application/json-patch+json` in the document, the same request is valid.
# Source: OpenAPI 3.1.0, section 4.8.13, `content`: "For requests that match multiple keys, only the most specific key is applicable."
# Output seen on 2026-11-30:
#   both media types: ['Request body must be object']
#   only JSON Patch: []
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @stoplight/prism-cli@5.16.0
python3 - <<'PYTHON'
import json

patch = {"application/json-patch+json": {"schema": {"type": "array", "items": {"type": "object"}}}}
both = {"application/json": {"schema": {"type": "object"}}} | patch
for name, content in [("both", both), ("one", patch)]:
    operation = {"requestBody": {"content": content}, "responses": {"204": {"description": "Changed."}}}
    document = {"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": {"/pet": {"patch": operation}}}
    with open(f"{name}.json", "w") as file:
        json.dump(document, file)
PYTHON
mapfile -t ports < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(one.getsockname()[1] for one in sockets), sep="\n")')
python3 - "${ports[0]}" <<'PYTHON' &
import http.server
import sys


class Service(http.server.BaseHTTPRequestHandler):
    def do_PATCH(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service).serve_forever()
PYTHON
node_modules/.bin/prism proxy both.json "http://127.0.0.1:${ports[0]}" --port "${ports[1]}" >both.log 2>&1 &
node_modules/.bin/prism proxy one.json "http://127.0.0.1:${ports[0]}" --port "${ports[2]}" >one.log 2>&1 &
python3 - "${ports[@]:1}" <<'PYTHON'
import http.client
import json
import sys
import time

for name, port, expected in zip(["both media types", "only JSON Patch"], sys.argv[1:], [["Request body must be object"], []]):
    for attempt in range(300):
        connection = http.client.HTTPConnection("127.0.0.1", int(port))
        body = json.dumps([{"op": "replace", "path": "/name", "value": "Rex"}])
        try:
            connection.request("PATCH", "/pet", body, {"Content-Type": "application/json-patch+json"})
            response = connection.getresponse()
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
    violations = json.loads(response.getheader("sl-violations", "[]"))
    found = [violation["message"] for violation in violations]
    print(f"{name}: {found}")
    assert response.status == 204 and found == expected, (response.status, found)
PYTHON
