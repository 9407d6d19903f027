"""Sends a form in several ways. Each line of the output is the name of the way, a tab, and the body of the response."""
import asyncio
import json
import os
import urllib.parse
import urllib.request

import aiohttp
import httpx
import requests

URL = os.environ["API_URL"] + "/forms"
TEXTS = [
    ("text", 'Zoë "7"\r\n{x} & y=z+1%'),
    ("json_text", '{"a":1}'),
    ("empty_text", ""),
    ("integer", "42"),
    ("number", "1.5"),
    ("flag", "on"),
    ("kind", "second"),
    ("day", "2024-02-29"),
    ("at", "2024-07-18T11:00"),
    ("start", "12:30"),
    ("instant", "2024-07-18T11:00:00Z"),
    ("nothing", ""),
    ("tags", "a"),
    ("tags", '["b"]'),
    ("numbers[]", "1"),
    ("numbers[]", "2"),
    ("empty_list", ""),
    ("pair[0]", "1"),
    ("pair[1]", "x"),
]
ADDRESS = {"city": "Zürich", "zip": 8000}
LINES = [{"article": "a", "count": 1}, {"article": "b", "count": 2}]
LABELS = {"x": 1, "y z": 2}
PAYMENT = {"card": "7"}
ONE_PART = [("address", ADDRESS), ("lines", LINES), ("labels", LABELS), ("payment", PAYMENT)]
PART_PER_ITEM = [("address", ADDRESS), *(("lines", line) for line in LINES), ("labels", LABELS), ("payment", PAYMENT)]
BRACKETS = [
    ("address[city]", "Zürich"),
    ("address[zip]", "8000"),
    ("lines[0][article]", "a"),
    ("lines[0][count]", "1"),
    ("lines[1][article]", "b"),
    ("lines[1][count]", "2"),
    ("labels[x]", "1"),
    ("labels[y z]", "2"),
    ("payment[card]", "7"),
]
FILES = [
    ("file", ("ä \"7\".png", b"\x89PNG\r\n--\r\n\x00", "image/png")),
    ("files", ("a.json", b'{"a":1}', "application/json")),
    ("files", ("b.txt", b"", "text/plain")),
]


def written(objects):
    return [(name, json.dumps(value)) for name, value in objects]


def show(way, body):
    print(way, body.replace("\n", ""), sep="\t", flush=True)


def with_requests():
    # A part without a file name.
    texts = [(name, (None, text)) for name, text in TEXTS]
    for way, objects in [("a part for each item", PART_PER_ITEM), ("one part", ONE_PART)]:
        parts = [(name, (None, text, "application/json")) for name, text in written(objects)]
        show(f"requests, {way}", requests.post(URL, files=[*texts, *parts, *FILES], timeout=30).text)
    show("requests, text parts", requests.post(URL, data=[*TEXTS, *written(ONE_PART)], files=FILES, timeout=30).text)
    show("requests, brackets", requests.post(URL, data=[*TEXTS, *BRACKETS], files=FILES, timeout=30).text)
    show("urlencoded requests, JSON", requests.post(URL, data=[*TEXTS, *written(PART_PER_ITEM)], timeout=30).text)
    show("urlencoded requests, brackets", requests.post(URL, data=[*TEXTS, *BRACKETS], timeout=30).text)


def grouped(fields):
    """Fields of one name as a list, which httpx repeats."""
    names = {}
    for name, text in fields:
        names.setdefault(name, []).append(text)
    return names


def with_httpx():
    texts = [(name, (None, text)) for name, text in TEXTS]
    for way, objects in [("a part for each item", PART_PER_ITEM), ("one part", ONE_PART)]:
        parts = [(name, (None, text, "application/json")) for name, text in written(objects)]
        show(f"httpx, {way}", httpx.post(URL, files=[*texts, *parts, *FILES]).text)
    show("httpx, brackets", httpx.post(URL, data=grouped([*TEXTS, *BRACKETS]), files=FILES).text)
    show("urlencoded httpx, JSON", httpx.post(URL, data=grouped([*TEXTS, *written(ONE_PART)])).text)


def aiohttp_form(texts, objects, content_type):
    # By default, aiohttp encodes the names like a path.
    form = aiohttp.FormData(quote_fields=False)
    for name, text in texts:
        form.add_field(name, text)
    for name, text in objects:
        form.add_field(name, text, content_type=content_type)
    for name, (file_name, content, media_type) in FILES:
        form.add_field(name, content, filename=file_name.replace('"', "%22"), content_type=media_type)
    return form


async def with_aiohttp():
    async with aiohttp.ClientSession() as session:
        for way, form in [
            ("a part for each item", aiohttp_form(TEXTS, written(PART_PER_ITEM), "application/json")),
            ("one part", aiohttp_form(TEXTS, written(ONE_PART), "application/json")),
            ("text parts", aiohttp_form(TEXTS, written(ONE_PART), None)),
            ("brackets", aiohttp_form([*TEXTS, *BRACKETS], [], None)),
        ]:
            async with session.post(URL, data=form) as response:
                show(f"aiohttp, {way}", await response.text())
        async with session.post(URL, data=[*TEXTS, *written(PART_PER_ITEM)]) as response:
            show("urlencoded aiohttp, JSON", await response.text())


def with_urllib():
    body = urllib.parse.urlencode([*TEXTS, *BRACKETS]).encode()
    with urllib.request.urlopen(URL, body, timeout=30) as response:
        show("urlencoded urllib, brackets", response.read().decode())


with_requests()
with_httpx()
asyncio.run(asyncio.wait_for(with_aiohttp(), 60))
with_urllib()
