"""Compares clients of event streams and WebSockets with the guide about events.

Streams of the example files show that no heartbeat is an event. A server with other responses shows who connects again, and runs the program of the guide.
"""
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

import aiohttp
import httpx
import httpx_sse
import requests
import sseclient
from aiohttp_sse_client.client import EventSource

from clients import Cases, Server, block, chromium_version, stop, table
from programs import TARGET, VERSIONS, free_port, row, tries, wait_for

NODE = pathlib.Path(sys.argv[1])
API = os.environ["API_URL"]
# The heartbeat of the example, in seconds.
HEARTBEAT = 15
REJECTED = [204, 429, 502, 503]
PAGES = ["Chromium", "eventsource", "undici"]
cases = Cases()


class Streams:
    """A path begins with what follows the first stream: another stream, or a status. `first` is the status of the first response."""

    def __init__(self):
        self.seen, self.ready = {}, set()
        self.server = Server(self.respond)

    def respond(self, request, body):
        _, kind, *_ = request.path.split("/")
        if kind == "ready":
            self.ready.add(request.path)
            request.send(204, headers={"Access-Control-Allow-Origin": "*"})
            return
        seen = self.seen.setdefault(request.path, [])
        seen.append(request.headers.get("Last-Event-ID"))
        status = {"first": [503], "rejected": [503, 502, 429, 204, 200, 502]}.get(kind) or [200, int(kind)]
        status = status[len(seen) - 1] if len(seen) <= len(status) else 200
        if status != 200:
            request.send(status, b"" if status == 204 else b'{"code": "rejected"}', {} if status == 204 else {"Content-Type": "application/problem+json"})
            return
        request.close_connection = True
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.end_headers()
        request.wfile.write(f"retry: 100\nid: {len(seen)}\ndata: {{\"number\": {len(seen)}}}\n\n".encode())
        request.wfile.flush()
        if len(seen) >= 3 and kind != "rejected":
            time.sleep(30)

    def wait_for(self, path):
        for _ in tries(60):
            if path in self.ready:
                return
        raise TimeoutError(path)


streams = Streams()


def in_page(program, script):
    """Runs a script in a page, or in Node with the package's EventSource."""
    if program == "Chromium":
        # The example allows no other origins.
        return Server(streams.respond).in_chromium(script, options=["--disable-web-security"], seconds=120)
    command = ["node", NODE / "page.mjs", program, script]
    ended = subprocess.run(command, cwd=NODE, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


# Each returns what it has received within about 3 seconds: the numbers of the events, and how the client ends.
def with_page(program):
    def read(url):
        return in_page(program, f"""
            const [source, numbers] = [new EventSource({json.dumps(url)}), []];
            source.onmessage = (event) => numbers.push(JSON.parse(event.data).number);
            await new Promise((done) => setTimeout(done, 3000));
            const state = source.readyState;
            source.close();
            return [numbers, state === 2 ? "stops" : "open"]""")
    return read


def with_httpx_sse(url):
    numbers = []
    try:
        with httpx.Client(timeout=5) as client, httpx_sse.connect_sse(client, "GET", url) as source:
            numbers += [event.json()["number"] for event in source.iter_sse()]
    except httpx_sse.SSEError:
        return numbers, "SSEError"
    return numbers, "ends"


def with_sseclient(url):
    response = requests.get(url, stream=True, timeout=5)
    numbers = [json.loads(event.data)["number"] for event in sseclient.SSEClient(response).events()]
    try:
        response.raise_for_status()
    except requests.HTTPError:
        return numbers, "an error of the status"
    return numbers, "ends"


def with_aiohttp_sse_client(url):
    numbers = []

    async def read():
        async with EventSource(url) as source:
            async for event in source:
                numbers.append(json.loads(event.data)["number"])
    try:
        asyncio.run(asyncio.wait_for(read(), 3))
    except TimeoutError:
        return numbers, "open"
    except ConnectionError:
        return numbers, "ConnectionError"
    return numbers, "ends"


READERS = {page: with_page(page) for page in PAGES}
READERS |= {"aiohttp-sse-client": with_aiohttp_sse_client, "httpx-sse": with_httpx_sse, "sseclient-py": with_sseclient}
# The words of the guide, and how a client ends after a second stream or a status. sseclient reads no event from a problem document.
AFTER_STREAM = {"connects again, with `Last-Event-ID`": ([1, 2, 3], "open"), "ends": ([1], "ends")}
AFTER_STATUS = {
    "stops": ([1], "stops"),
    "raises a `ConnectionError`": ([1], "ConnectionError"),
    "raises an `SSEError`": ([], "SSEError"),
    "ends without an event; call `raise_for_status()` first": ([], "an error of the status"),
}


def in_the_guide():
    """Returns the two cells of each program in the table of the guide, and checks its version, unless it is not pinned."""
    cells = {}
    for clients, stream, status in table("events", "client"):
        for program in READERS:
            if f"{program} " in clients:
                cells[program] = stream, status
                version = clients.split(f"{program} ")[1].split(" ")[0].rstrip(",")
                if program != "Chromium":
                    cases.check(program, "the version of the guide", version_of(program).startswith(f"{version}."), True)
    return cells


def version_of(program):
    if program == "Chromium":
        return chromium_version()
    return VERSIONS["pypi"].get(program) or VERSIONS["npm"][program]


def who_connects_again():
    for program, (after_stream, after_status) in in_the_guide().items():
        read = READERS[program]
        path = f"/200/{program}"
        cases.check(program, "the stream ends", tuple(read(streams.server.address + path)), AFTER_STREAM[after_stream])
        identifiers = streams.seen[path]
        cases.check(program, "Last-Event-ID", identifiers, [None, "1", "2"] if "Last-Event-ID" in after_stream else [None])
        numbers, end = AFTER_STATUS[after_status]
        connects_again = "Last-Event-ID" in after_stream
        for status in REJECTED if connects_again else [503]:
            # A client that connects once receives the status first.
            path = f"/{status}/{program}" if connects_again else f"/first/{program}"
            cases.check(program, f"a {status}", tuple(read(streams.server.address + path)), (numbers, end))


def program_of_the_guide():
    """The program creates another EventSource after 503, 502, 429, 204 and again 502, and reads two streams."""
    code = block("events", "js", "EventSource")
    for program in PAGES:
        path = f"/rejected/{program}"
        script = code.replace("/pets/changes", streams.server.address + path) + """
            await new Promise((done) => { const timer = setInterval(() => { if (shown.length >= 2) { clearInterval(timer); done(); } }, 100); });
            return [shown, loads];"""
        names = "const shown = []; let loads = 0; const [load, show, remove] = [() => { loads += 1; }, ({ number }) => shown.push(number), () => {}];"
        cases.check(program, "the program of the guide", in_page(program, names + script), [[5, 7], 2])


def feed():
    """Every client receives the two changes of a document, and nothing for the heartbeat before them."""
    received, threads = {}, []
    address, ready = streams.server.address, lambda program: f"/ready/{program}"

    def page(program):
        received[program] = in_page(program, f"""
            const [source, kinds] = [new EventSource("{API}/changes"), []];
            source.onopen = () => fetch("{address}{ready(program)}");
            await new Promise((done) => {{
                source.onmessage = (event) => {{ kinds.push(JSON.parse(event.data).kind); if (kinds.at(-1) === "deleted") done(); }};
            }});
            return kinds""")

    def kinds(program, events):
        received[program] = []
        for data in events:
            received[program].append(json.loads(data)["kind"])
            if received[program][-1] == "deleted":
                return

    def with_httpx():
        with httpx.Client(timeout=60) as client, httpx_sse.connect_sse(client, "GET", f"{API}/changes") as source:
            streams.ready.add(ready("httpx-sse"))
            kinds("httpx-sse", (event.data for event in source.iter_sse()))

    def with_requests():
        with requests.get(f"{API}/changes", stream=True, timeout=60) as response:
            streams.ready.add(ready("sseclient-py"))
            kinds("sseclient-py", (event.data for event in sseclient.SSEClient(response).events()))

    def with_aiohttp():
        async def read():
            found = received["aiohttp-sse-client"] = []
            async with EventSource(f"{API}/changes") as source:
                streams.ready.add(ready("aiohttp-sse-client"))
                async for event in source:
                    found.append(json.loads(event.data)["kind"])
                    if found[-1] == "deleted":
                        return
        asyncio.run(read())

    targets = [*((page, [program]) for program in PAGES), (with_httpx, []), (with_requests, []), (with_aiohttp, [])]
    for target, arguments in targets:
        threads.append(threading.Thread(target=target, args=arguments, daemon=True))
        threads[-1].start()
    for program in READERS:
        streams.wait_for(ready(program))
    time.sleep(HEARTBEAT + 1)
    created = requests.post(f"{API}/documents", data={"title": "Bo"}, files={"file": ("bo.txt", b"x", "text/plain")}, timeout=30)
    requests.delete(f"{API}/documents/{created.json()['data']['id']}", timeout=30)
    for thread in threads:
        thread.join(30)
    for program in READERS:
        cases.check(program, "a feed with a heartbeat", received.get(program), ["created", "deleted"])


def restart():
    """The only instance stops and starts two seconds later. Nothing is in front of it."""
    for program in PAGES:
        port, ready = free_port(), f"/ready/restart/{program}"
        settings = os.environ | {"PORT": str(port), "RUST_LOG": "off"}
        start = lambda: subprocess.Popen([TARGET / "debug/files"], env=settings, stdout=subprocess.DEVNULL)
        server = start()
        wait_for(port, server)
        found = []
        script = f"""
            const source = new EventSource("http://127.0.0.1:{port}/changes");
            await new Promise((done) => {{ source.onopen = done; }});
            fetch("{streams.server.address}{ready}");
            await new Promise((done) => {{ source.onopen = done; setTimeout(done, 20000); }});
            return source.readyState"""
        thread = threading.Thread(target=lambda: found.append(in_page(program, script)))
        thread.start()
        try:
            streams.wait_for(ready)
            stop(server)
            time.sleep(2)
            server = start()
            thread.join(60)
        finally:
            stop(server)
        cases.check(program, "a restart", found, [1])


async def socket_of_aiohttp():
    url = f"{API.replace('http', 'ws')}/discussion"
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url) as ann, session.ws_connect(url, compress=15) as bo:
            for text in ("Hello", "κόσμε", "x" * 500):
                await ann.send_json({"text": text})
                cases.check("aiohttp", "a message to all", [(await socket.receive_json())["text"] for socket in (ann, bo)], [text, text])
        for sent, expected in (('{"text": ""}', 1007), ("no JSON", 1007)):
            async with session.ws_connect(url) as socket:
                await socket.send_str(sent)
                closed = await socket.receive()
                cases.check("aiohttp", f"the end after {sent}", (closed.type, closed.data), (aiohttp.WSMsgType.CLOSE, expected))
        async with session.ws_connect(url) as socket:
            await socket.send_bytes(b"binary")
            cases.check("aiohttp", "the end after a binary message", (await socket.receive()).data, 1003)
        for headers, path, expected in (({"Origin": "https://evil.example"}, "", 403), ({}, "/nowhere", 404)):
            try:
                await session.ws_connect(url + path, headers=headers)
                found = None
            except aiohttp.WSServerHandshakeError as error:
                found = error.status
            cases.check("aiohttp", f"a handshake with {expected}", found, expected)


def socket_of_undici():
    script = f"""
        const url = "{API.replace('http', 'ws')}/discussion";
        const next = (socket, name) => new Promise((done) => socket.addEventListener(name, done, {{ once: true }}));
        const [ann, bo] = [new WebSocket(url), new WebSocket(url)];
        await Promise.all([next(ann, "open"), next(bo, "open")]);
        const heard = [];
        for (const text of ["Hello", "κόσμε", "x".repeat(500)]) {{
            const both = [next(ann, "message"), next(bo, "message")];
            ann.send(JSON.stringify({{ text }}));
            heard.push(...(await Promise.all(both)).map((event) => JSON.parse(event.data).text === text));
        }}
        const ends = [];
        for (const sent of ['{{"text": ""}}', "no JSON", new Uint8Array([1])]) {{
            const socket = new WebSocket(url);
            await next(socket, "open");
            const closed = next(socket, "close");
            socket.send(sent);
            const {{ code, reason }} = await closed;
            ends.push([code, reason]);
        }}
        const missing = new WebSocket(url + "/nowhere");
        const seen = [];
        missing.onerror = () => seen.push("error");
        missing.onclose = ({{ code }}) => seen.push(code);
        await new Promise((done) => setTimeout(done, 1000));
        return [heard, ends, seen]"""
    heard, ends, missing = in_page("undici", script)
    for message in heard:
        cases.check("undici", "a message to all", message, True)
    expected = [[1007, "/text: must have at least 1 character"], [1007, "the message is not JSON (line 1, column 2)"], [1003, "the message must be text"]]
    for found, end in zip(ends, expected, strict=True):
        cases.check("undici", "the end after an invalid message", found, end)
    cases.check("undici", "a handshake with 404", missing, ["error", 1006])


def main():
    feed()
    who_connects_again()
    program_of_the_guide()
    restart()
    asyncio.run(asyncio.wait_for(socket_of_aiohttp(), 60))
    socket_of_undici()
    for program, number in cases.numbers.items():
        wrong = cases.differences.get(program, [])
        row(program, version_of(program), number, f"DIFFERS: {'; '.join(wrong)}" if wrong else "as the guide says")
    sys.exit(1 if cases.differences else 0)


main()
