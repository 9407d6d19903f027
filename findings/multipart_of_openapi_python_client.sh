#!/usr/bin/env bash
# openapi-python-client 0.29.1 (PyPI) generates clients that send two values of a multipart form differently from their schema.
#
# Expected: a required list without items arrives in some form, or the client rejects it, because the schema says `required`; and the
# boolean `true` arrives as `true`, the text of its JSON (OpenAPI 3.1.0, section 4.8.15.1: `text/plain` is the default of primitive types).
# Behaviour: each item of a list is a part, so an empty list is no part, and the form lacks a required property. A boolean is a
# part with the Python text `True`, because the client writes `str(value)`.
# Source: https://pypi.org/project/openapi-python-client/0.29.1/, the method `to_multipart` of each generated model.
# Output seen on 2026-11-29:
#   two items: [('ids', (None, b'1', 'text/plain')), ('ids', (None, b'2', 'text/plain')), ('flag', (None, b'True', 'text/plain'))]
#   no item: [('flag', (None, b'True', 'text/plain'))]
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check openapi-python-client==0.29.1
cat >openapi.json <<'JSON'
{
    "openapi": "3.1.0",
    "info": { "title": "Forms", "version": "1" },
    "paths": { "/form": { "post": {
        "operationId": "sendForm",
        "requestBody": { "required": true, "content": { "multipart/form-data": { "schema": { "$ref": "#/components/schemas/Form" } } } },
        "responses": { "204": { "description": "Received." } }
    } } },
    "components": { "schemas": { "Form": {
        "type": "object",
        "required": ["ids", "flag"],
        "properties": { "ids": { "type": "array", "items": { "type": "integer" } }, "flag": { "type": "boolean" } }
    } } }
}
JSON
# Without ruff, the generator exits with a warning after it has written the client.
venv/bin/openapi-python-client generate --path openapi.json --meta none --output-path client >/dev/null 2>&1 || true
venv/bin/python - <<'PYTHON'
from client.models import Form

flag = ("flag", (None, b"True", "text/plain"))
item = lambda text: ("ids", (None, text, "text/plain"))
for name, ids, expected in [("two items", [1, 2], [item(b"1"), item(b"2"), flag]), ("no item", [], [flag])]:
    found = Form(ids=ids, flag=True).to_multipart()
    print(f"{name}: {found}")
    assert found == expected, expected
PYTHON
