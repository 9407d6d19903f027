"""The cases: what each proxy must leave as it is, and what the guide says of each."""
import http.client
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from proxies.client import ADDRESSES, form, raw, send, send_json, websocket
from proxies.servers import KEY, SIZE

# Each case by its name: the server behind the proxy, the function that returns what it saw, and what it must see. Without it, the table of the
# guide has a column with the name of the case.
CASES = {}
MANAGER = {"X-Api-Key": KEY}
JSON = {"Content-Type": "application/json"}


def case(server, expected=None, name=None):
    def add(function):
        CASES[name or function.__name__.replace("_", " ")] = (server, function, expected)
        return function

    return add


@case("operations", "200 422 400 415 200")
def queries(port):
    """A query, a violation, no media type, another media type, and a body without a length."""
    requests = [
        (JSON, '{"limit": 2}'), (JSON, '{"filter": {"colour": {"eq": 1}}}'), ({}, "{}"), ({"Content-Type": "text/plain"}, "{}"), (JSON, iter([b"{}"])),
    ]
    return " ".join(str(send(port, "/orders", MANAGER | headers, "QUERY", body).status) for headers, body in requests)


@case("operations", "304, 200 with the tag, 412 with the tag before, 412 with another tag")
def conditions(port):
    created = send_json(port, "/orders", {"article": "lamp", "quantity": 1}, MANAGER)
    path = created.header("location")
    tag = send(port, path, MANAGER).header("etag")
    unchanged = send(port, path, MANAGER | {"If-None-Match": tag}).status
    statuses = [send_json(port, path, {"quantity": 2}, MANAGER | {"If-Match": value}, "PATCH").status for value in (tag, tag, '"x"')]
    return "{}, {} with the tag, {} with the tag before, {} with another tag".format(unchanged, *statuses)


@case("without a proxy")
def changed_tags(port, form):
    path = send_json(port, "/orders", {"article": "lamp", "quantity": 1}, MANAGER).header("location")
    tag = form.format(send(port, path, MANAGER).header("etag").strip('"'))
    read = send(port, path, MANAGER | {"If-None-Match": tag}).status
    return f"{read}, {send_json(port, path, {'quantity': 2}, MANAGER | {'If-Match': tag}, 'PATCH').status}"


@case("operations", "204", "DELETE")
def delete(port):
    path = send_json(port, "/orders", {"article": "lamp", "quantity": 1}, MANAGER).header("location")
    return str(send(port, path, MANAGER, "DELETE").status)


@case("operations", "401 application/problem+json")
def denied_before_the_body(port):
    return str(send(port, "/orders", JSON, "POST", b" " * 900_000))


@case("operations", "413 application/problem+json", "413 for 3 MB")
def too_large(port):
    return str(send(port, "/orders", JSON | MANAGER, "POST", b" " * 3_000_000))


@case("operations", "change no limit")
def forged_addresses(port):
    return "change no limit" if is_limited(port, lambda number: {"X-Forwarded-For": f"10.0.{number // 256}.{number % 256}"}) else "pass the limit"


@case("operations", "have separate limits")
def clients(port):
    assert is_limited(port, lambda _: {}), "no limit"
    source = next(ADDRESSES)
    # The limit admits a request each 50 ms.
    other = [send(port, "/orders", source=source).status for _ in range(10)]
    return "share a limit" if 429 in other else "have separate limits"


def is_limited(port, headers):
    """Sends requests from an address until one is limited: more than the burst of 40, and faster than 20 per second."""
    source = next(ADDRESSES)

    def is_admitted(number):
        return send(port, "/orders", headers(number), source=source).status != 429

    with ThreadPoolExecutor(8) as pool:
        return not all(pool.map(is_admitted, range(300)))


@case("files", "206 123, 206 789, 206 345, 416, 304")
def ranges(port):
    path = "/documents/1/file"
    tag = send(port, path).header("etag")
    requests = ({"Range": "bytes=1-3"}, {"Range": "bytes=-3"}, {"Range": "bytes=3-5", "If-Range": tag}, {"Range": f"bytes={SIZE}-"}, {"If-None-Match": tag})
    responses = [send(port, path, headers) for headers in requests]
    return ", ".join(f"206 {found.body[:9].decode()}" if found.status == 206 else str(found.status) for found in responses)


@case("files", "the whole file", "`If-Range` of another state")
def if_range(port):
    whole, found = (send(port, "/documents/1/file", headers) for headers in ({}, {"Range": "bytes=3-5", "If-Range": '"x"'}))
    assert (whole.status, len(whole.body)) == (200, SIZE), whole
    return "the whole file" if (found.status, found.body) == (200, whole.body) else f"{found.status} with wrong content"


@case("files", "412", "`If-Match` of a `GET`")
def if_match(port):
    return str(send(port, "/documents/1/file", {"If-Match": '"x"'}).status)


@case("files", "200")
def several_ranges(port):
    return str(send(port, "/documents/1/file", {"Range": "bytes=0-9,20-29"}).status)


@case("files", "within 0.1 s")
def events(port):
    """The time between a change and its event. The shortest of them, because the machine may be busy."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/changes")
    delays = []
    try:
        # The head may arrive with the first event only.
        time.sleep(0.3)
        response = None
        for number in range(8):
            begin = time.monotonic()
            headers, body = form(f"event {number}", b"x")
            created = send(port, "/documents", headers, "POST", body)
            assert created.status == 201, created
            response = response or connection.getresponse()
            while f"event {number}".encode() not in response.readline():
                pass
            delays.append(time.monotonic() - begin)
            time.sleep(0.1)
    except TimeoutError:
        return "never"
    finally:
        connection.close()
    return "within 0.1 s" if min(delays) < 0.1 else f"after {min(delays):.1f} s"


@case("files", "101")
def WebSocket(port):
    return websocket(port, "/discussion", f"http://127.0.0.1:{port}")


@case("files", "403", "WebSocket of another origin")
def another_origin(port):
    return websocket(port, "/discussion", "https://other.example")


@case("below a prefix", "201, 200 at its Location")
def prefix(port, path="/shop"):
    created = send_json(port, f"{path}/notes", {"title": "Buy milk"})
    # A proxy that rewrites the path also adds its origin.
    location = urllib.parse.urlsplit(created.header("location")).path
    return f"{created.status}, {send(port, location).status} at its Location"


@case("below a prefix", "201, 200 at its Location", "prefix of a header")
def prefix_of_a_header(port):
    return prefix(port, "/old")


@case("upstream", "Bearer x", "`Authorization`")
def credentials(port):
    return received(port, "Authorization", "Bearer x")


@case("upstream", "for=192.0.2.1", "`Forwarded`")
def forwarded(port):
    return received(port, "Forwarded", "for=192.0.2.1")


def received(port, name, value):
    headers = {name.lower(): value for name, value in send(port, "/echo", {name: value}).json()["headers"]}
    return headers.get(name.lower(), "removed")


@case("upstream", name="`/a%2Fb`")
def encoded_slash(port):
    return path_of(send(port, "/echo/a%2Fb"))


@case("upstream", name="`/a//b`")
def two_slashes(port):
    return path_of(send(port, "/echo/a//b"))


def path_of(response):
    return f"`{response.json()['path'].removeprefix('/echo')}`" if response.status == 200 else str(response.status)


@case("upstream", name="an export that breaks off")
def broken(port):
    responses = [send(port, f"/broken/{size}") for size in (1_000, 100_000, 1_000_000)]
    seen = {"looks complete" if response.is_complete else "is incomplete" if response.status == 200 else str(response) for response in responses}
    return " or ".join(sorted(seen))


@case("upstream", name="trailers")
def trailers(port):
    return trailer(port, "/trailer")


@case("upstream", name="`X-Row-Count`")
def counted(port):
    return trailer(port, "/counted")


def trailer(port, path):
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nTE: trailers\r\nConnection: close, TE\r\n\r\n"
    received = raw(port, head.encode())
    if b"rows" not in received or not received.endswith(b"\r\n0\r\n\r\n") and b"\r\n0\r\nx-rows" not in received.lower():
        return "the response is incomplete"
    return "passed" if b"\r\nx-rows: 3\r\n" in received.lower() else "dropped"


@case("upstream", name="largest response head")
def heads(port):
    passed = [kilobytes for kilobytes in (1, 2, 3, 4, 6, 7, 8, 12, 14, 16, 32, 60) if send(port, f"/head/{kilobytes * 1024 - 200}").status == 200]
    return f"{max(passed)} KiB" if passed and max(passed) < 60 else "60 KiB or more"


# The cases below need other settings of the proxy.
@case("with compression")
def tag(port):
    return send(port, "/tagged", {"Accept-Encoding": "gzip"}).header("etag")


@case("with compression")
def tag_without_a_coding(port):
    return send(port, "/coded").header("etag")


@case("without a server", name="no instance for 1 s")
def restart(port):
    return str(send(port, "/echo").status)
