#!/usr/bin/env python3
"""Sends a form of a page with Chromium in several ways. Each line of the output is the name of the way, a tab, and the body of the response."""
import html
import json
import os
import pathlib
import re
import subprocess
import tempfile

URL = f"{os.environ['API_URL']}/forms"
TEXT = 'Zoë "7"\r\n{x} & y=z+1%'
ADDRESS = {"city": "Zürich", "zip": 8000}
LINES = [{"article": "a", "count": 1}, {"article": "b", "count": 2}]
# The type of each input and its value.
INPUTS = [
    ("hidden", "json_text", '{"a":1}'),
    ("text", "empty_text", ""),
    ("number", "integer", "42"),
    ("number", "number", "1.5"),
    ("checkbox", "flag", None),
    ("radio", "kind", "second"),
    ("date", "day", "2024-02-29"),
    ("datetime-local", "at", "2024-07-18T11:00"),
    ("time", "start", "12:30"),
    ("text", "instant", "2024-07-18T11:00:00Z"),
    ("number", "nothing", ""),
    ("text", "tags", "a"),
    ("text", "tags", '["b"]'),
    ("number", "numbers[]", "1"),
    ("number", "numbers[]", "2"),
    ("text", "empty_list", ""),
    ("number", "pair[0]", "1"),
    ("text", "pair[1]", "x"),
]
BRACKETS = [
    ("text", "address[city]", "Zürich"),
    ("number", "address[zip]", "8000"),
    *[("text", f"lines[{place}][{name}]", value) for place, line in enumerate(LINES) for name, value in line.items()],
    ("number", "labels[x]", "1"),
    ("number", "labels[y z]", "2"),
    ("text", "payment[card]", "7"),
]
JSON = [
    ("hidden", "address", json.dumps(ADDRESS)),
    *[("hidden", "lines", json.dumps(line)) for line in LINES],
    ("hidden", "labels", json.dumps({"x": 1, "y z": 2})),
    ("hidden", "payment", json.dumps({"card": "7"})),
]
# A page may put files into an input only as an object of its script, as after a drop.
FILES = """
const put = (name, ...files) => {
    const transfer = new DataTransfer();
    files.forEach(([content, fileName, type]) => transfer.items.add(new File([content], fileName, { type })));
    document.querySelector(`[name=${name}]`).files = transfer.files;
};
put("file", [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 45, 45, 13, 10, 0]), 'ä "7".png', "image/png"]);
put("files", ['{"a":1}', "a.json", "application/json"], ["", "b.txt", "text/plain"]);
"""


def field(kind, name, value):
    value = "" if value is None else f' value="{html.escape(str(value))}"'
    return f'<input type="{kind}" name="{name}"{value}{" checked" if kind in ("checkbox", "radio") else ""} step="any">'


def send(way, encoding, objects):
    files = '<input type="file" name="file"><input type="file" name="files" multiple>' if "multipart" in encoding else ""
    page = f"""<!doctype html><meta charset="utf-8">
        <form method="post" enctype="{encoding}" action="{URL}">
        <textarea name="text"></textarea>{"".join(field(*entry) for entry in INPUTS + objects)}{files}</form>
        <script>
        document.querySelector("textarea").value = {json.dumps(TEXT)};
        {FILES if files else ""}
        document.forms[0].submit();
        </script>"""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "page.html"
        place.write_text(page, encoding="utf-8")
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        command += ["--virtual-time-budget=10000", f"--user-data-dir={folder}/profile", "--dump-dom", place.as_uri()]
        shown = subprocess.run(command, check=True, capture_output=True, timeout=120).stdout.decode()
    body = re.search(r"<pre[^>]*>(.*?)</pre>", shown, re.DOTALL)
    print(f"{way}\t{html.unescape(body[1]) if body else json.dumps(shown)}", flush=True)


for name, objects in (("brackets", BRACKETS), ("JSON in inputs", JSON)):
    send(f"Chromium, {name}", "multipart/form-data", objects)
    send(f"urlencoded Chromium, {name}", "application/x-www-form-urlencoded", objects)
