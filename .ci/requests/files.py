"""Sends files, ranges and events to examples/files."""
import io
import json
import os
import threading
import time

import requests

API = os.environ["API_URL"]
CONTENT = bytes(range(256)) * 40_000


def create(name, media_type, content, title="A title"):
    return requests.post(f"{API}/documents", data={"title": title}, files={"file": (name, content, media_type)}, timeout=30)


def events(received, ready):
    with requests.get(f"{API}/changes", stream=True, timeout=30) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream"), response.headers
        ready.set()
        for line in response.iter_lines():
            if line.startswith(b"data:"):
                received.append(json.loads(line.removeprefix(b"data:")))
                if len(received) == 2:
                    return


def main():
    received, ready = [], threading.Event()
    feed = threading.Thread(target=events, args=(received, ready), daemon=True)
    feed.start()
    assert ready.wait(10)

    # A file of 10 MB, with a name outside of ASCII.
    created = create("Übersicht \"7\".png", "image/png", io.BytesIO(CONTENT))
    assert created.status_code == 201, created.text
    document = created.json()["data"]
    assert (document["size"], document["file_name"]) == (len(CONTENT), 'Übersicht "7".png'), document
    file = API + created.headers["Location"]

    # A file that has just changed has a weak tag, which no range may use.
    for _ in range(50):
        if not requests.head(file, timeout=30).headers["ETag"].startswith("W/"):
            break
        time.sleep(0.1)

    # The whole file, its length alone, a part, the rest of a file that has not changed, and parts that are not supported.
    whole = requests.get(file, timeout=30)
    assert whole.content == CONTENT
    assert "filename*=UTF-8''%C3%9Cbersicht" in whole.headers["Content-Disposition"], whole.headers
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    head = requests.head(file, timeout=30)
    assert head.headers["Content-Length"] == str(len(CONTENT)) and not head.content
    part = requests.get(file, headers={"Range": "bytes=1000-1999"}, timeout=30)
    assert (part.status_code, part.content) == (206, CONTENT[1000:2000])
    rest = requests.get(file, headers={"Range": "bytes=5000000-", "If-Range": whole.headers["ETag"]}, timeout=30)
    assert (rest.status_code, rest.content) == (206, CONTENT[5_000_000:])
    changed = requests.get(file, headers={"Range": "bytes=5000000-", "If-Range": '"other"'}, timeout=30)
    assert (changed.status_code, len(changed.content)) == (200, len(CONTENT))
    several = requests.get(file, headers={"Range": "bytes=0-0,5-6"}, timeout=30)
    assert (several.status_code, len(several.content)) == (200, len(CONTENT))
    beyond = requests.get(file, headers={"Range": f"bytes={len(CONTENT)}-"}, timeout=30)
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{len(CONTENT)}")
    unchanged = requests.get(file, headers={"If-None-Match": whole.headers["ETag"]}, timeout=30)
    assert unchanged.status_code == 304 and not unchanged.content

    # What is rejected names the field.
    for response, errors in [
        (create("a.html", "text/html", b"<script>"), [("/file", "accept")]),
        (create("a.png", "image/png", b"x", title=""), [("/title", "min_length")]),
        (requests.post(f"{API}/documents", files={"title": (None, "A title")}, timeout=30), [("/file", "required")]),
    ]:
        assert response.status_code == 422, response.text
        assert [(error["pointer"], error["code"]) for error in response.json()["errors"]] == errors, response.text
    too_large = create("a.png", "image/png", io.BytesIO(bytes(20_000_001)))
    assert [error["code"] for error in too_large.json()["errors"]] == ["max_size"], too_large.text

    deleted = requests.delete(f"{API}/documents/{document['id']}", timeout=30)
    assert deleted.status_code == 204
    assert requests.get(file, timeout=30).status_code == 404
    assert not os.listdir(os.environ["FILES"])
    feed.join(10)
    assert [(event["kind"], event["document"]["id"]) for event in received] == [("created", 1), ("deleted", 1)], received
    print("requests: files passed")


main()
