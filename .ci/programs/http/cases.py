"""Compares HTTP clients with the guides: which requests they repeat, links, methods, streams, and the media type of files.

The settings and programs of the clients are code of the guides.
"""
import asyncio
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import threading

import aiohttp
import httpx
import requests
import urllib3.util

from clients import Cases, Server, block, chromium_version, stop, table
from programs import free_port, install, row, wait_for

NODE = pathlib.Path(sys.argv[1])
API, FILES = os.environ["API_URL"], os.environ["FILES_URL"]
KEY = {"X-Api-Key": os.environ["API_KEY"]}
METHODS = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "PATCH", "QUERY"]
STATUSES = [429, 503]
# What a program passes to `fetch`, and what the server receives. HEAD has no body to compare.
METHODS_SENT = ["query", "QUERY", "patch", "delete", "options", "post", "put"]
METHODS_RECEIVED = ["query", "QUERY", "patch", "DELETE", "OPTIONS", "POST", "PUT"]
PROBLEM = {"Content-Type": "application/problem+json"}
cases = Cases()


class Retries:
    """A path begins with the status and `once` or `always`: the status of the first response, or of each."""

    def __init__(self):
        self.seen, self.lock = {}, threading.Lock()
        self.server = Server(self.respond)

    def respond(self, request, body):
        _, status, times, waits, *_ = request.path.split("/")
        with self.lock:
            seen = self.seen.setdefault((request.command, request.path), [])
            seen.append((request.headers.get("Idempotency-Key"), body))
        if times == "always" or len(seen) == 1:
            headers = PROBLEM | ({"Retry-After": "1"} if waits == "waits" else {})
            request.send(int(status), b'{"code": "rejected"}', headers)
        else:
            request.send(200, b'{"data": 1}', {"Content-Type": "application/json"})

    def address(self, status, name, times="once", waits="waits"):
        return f"{self.server.address}/{status}/{times}/{waits}/{name}"

    def repeated(self, path, method):
        """Returns how often a request was repeated."""
        return len(self.seen.get((method, path.removeprefix(self.server.address)), [])) - 1


retries = Retries()


def with_requests(code, wanted):
    session = requests.Session()
    session.mount("http://", eval(code, {"HTTPAdapter": requests.adapters.HTTPAdapter, "Retry": urllib3.util.Retry}))
    return in_threads(lambda method, url: end_of(session.request(method, url, data="{}", timeout=30)), wanted)


def with_httpx(code, wanted):
    client = httpx.Client(transport=eval(code, {"HTTPTransport": httpx.HTTPTransport}), timeout=30)
    return in_threads(lambda method, url: end_of(client.request(method, url, content="{}")), wanted)


def end_of(response):
    return [response.status_code, response.text]


def with_aiohttp(code, wanted):
    async def send_all():
        async with eval(code, {"ClientSession": aiohttp.ClientSession}) as session:
            async def send(method, url):
                async with session.request(method, url, data="{}") as response:
                    return [response.status, await response.text()]
            return await asyncio.gather(*(send(*each) for each in wanted))
    return asyncio.run(asyncio.wait_for(send_all(), 60))


def with_node(code, wanted):
    return json.loads(output(["node", NODE / "retries.mjs", code, json.dumps(wanted)]))


def with_chromium(_, wanted):
    script = f"""
        const ends = {json.dumps(wanted)}.map(async ([method, url]) => {{
            const response = await fetch(url, {{ method, body: ["GET", "HEAD"].includes(method) ? undefined : "{{}}" }});
            return [response.status, await response.text()];
        }});
        return Promise.all(ends)"""
    return retries.server.in_chromium(script)


def with_curl(code, wanted):
    def send(method, url):
        kind = ["--head"] if method == "HEAD" else ["-X", method, "-d", "{}", "-H", "Idempotency-Key: a"]
        result = subprocess.run([*shlex.split(code), "--silent", *kind, url], capture_output=True, text=True)
        return [result.returncode, result.stdout]
    return in_threads(send, wanted)


def in_threads(send, wanted):
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda each: send(*each), wanted))


def output(command, **settings):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120, **settings).stdout


# The first word of a client in the guide, and how each of its programs sends with the setting of the guide.
SENDERS = {
    "requests": {"requests": with_requests},
    "httpx": {"httpx": with_httpx},
    "aiohttp": {"aiohttp": with_aiohttp},
    "undici": {"undici": with_node},
    "Node": {"Node's fetch": with_node, "undici": lambda _, wanted: with_node("undici.fetch", wanted), "Chromium": with_chromium},
    "curl": {"curl": with_curl},
}


def repeated_methods():
    """The table `Retries of clients` of the guide about rate limits."""
    for number, (client, setting, methods) in enumerate(table("rate_limiting", "client")):
        expected = {"all": METHODS, "none": []}.get(methods) or [method for method in METHODS if f"`{method}`" in methods]
        for program, send in SENDERS[client.split(" ")[0]].items():
            wanted = [(method, retries.address(status, f"{program[:4]}{number}")) for status in STATUSES for method in METHODS]
            send(setting.strip("`"), wanted)
            for status in STATUSES:
                found = [method for method, url in wanted if f"/{status}/" in url and retries.repeated(url, method)]
                cases.check(program, f"{setting}, {status}", found, expected)


def without_retry_after():
    for number, (client, setting, expected) in enumerate([
        ("requests", "HTTPAdapter(max_retries=2)", 0),
        ("undici", "new RetryAgent(new Agent())", 1),
        ("curl", "curl --fail --retry 5", 1),
    ]):
        wanted = [("PUT", retries.address(503, f"plain{number}", waits="plain"))]
        SENDERS[client][client](setting, wanted)
        cases.check(client, "without Retry-After", retries.repeated(wanted[0][1], "PUT"), expected)


def problems_of_the_last_attempt():
    rejected = [429, '{"code": "rejected"}']
    for client, setting, *_ in table("rate_limiting", "client"):
        program = client.split(" ")[0]
        if program in ("curl", "Node"):
            continue
        wanted = [(method, retries.address(429, "last", "always")) for method in ("PUT", "POST")]
        found = SENDERS[program][program](setting.strip("`"), wanted)
        cases.check(program, f"the last attempt of {setting}", [list(end) for end in found], [rejected, rejected])
    wanted = [(method, retries.address(429, "lost", "always")) for method in ("PUT", "POST")]
    found = with_node("new RetryAgent(new Agent(), { maxRetries: 1 })", wanted)
    cases.check("undici", "the last attempt by default", [end[0] for end in found], ["UND_ERR_REQ_RETRY"] * 2)
    cases.check("undici", "the problem of the error", ["rejected" in end[1] for end in found], [False, False])


def curl():
    url = retries.address(503, "key")
    with_curl("curl --fail --retry 5", [("POST", url)])
    cases.check("curl", "the key of each attempt", retries.seen[("POST", url.removeprefix(retries.server.address))], [("a", b"{}")] * 2)
    for status in (408, 429, 500, 502, 503, 504):
        url = retries.address(status, "statuses")
        with_curl("curl --fail --retry 5", [("POST", url)])
        cases.check("curl", f"a POST after {status}", retries.repeated(url, "POST"), 1)
    found = with_curl("curl --retry 5", [("GET", retries.address(503, "both"))])
    cases.check("curl", "the output without --fail", found, [[0, '{"code": "rejected"}{"data": 1}']])
    guide = next(line for line in guide_lines("health_and_shutdown") if "curl --silent --fail --retry" in line)
    command = shlex.split(guide.split("`")[1])
    for fail, expected in ((["--fail"], 0), ([], 23)):
        arguments = [*(each for each in command[:-1] if each != "--fail"), *fail]
        ended = subprocess.run([*arguments, retries.address(503, f"ready{expected}")], capture_output=True)
        cases.check("curl", f"/readyz with {fail}", ended.returncode, expected)


def guide_lines(name):
    return (pathlib.Path(__file__).resolve().parents[3] / f"crates/restwright/src/guide/{name}.md").read_text().splitlines()


def links():
    """The program of the guide about pagination reads three pages of a list."""
    for name in ("Ada", "Bo", "Cy"):
        created = requests.post(f"{API}/animals", json={"name": name, "species": "cat"}, headers=KEY, timeout=30)
        assert created.status_code == 201, created.text
    program = block("pagination", "python", "urljoin").replace("http://127.0.0.1:8080/animals?limit=100", f"{API}/animals?limit=1")
    total = requests.get(f"{API}/animals", headers=KEY, timeout=30).json()["pagination"]["total"]
    for client in ("requests", "httpx"):
        names = {"key": KEY["X-Api-Key"]}
        exec(program.replace("requests", client), names)
        cases.check(client, "the program of the guide", len({animal["id"] for animal in names["animals"]}), total)
        response = {"requests": requests, "httpx": httpx}[client].get(f"{API}/animals?limit=1", headers=KEY)
        cases.check(client, "links", response.links["next"]["url"], "?page=2&limit=1")

    async def resolved():
        async with aiohttp.ClientSession(headers=KEY) as session, session.get(f"{API}/animals?limit=1") as response:
            return str(response.links["next"]["url"])
    cases.check("aiohttp", "links", asyncio.run(resolved()), f"{API}/animals?page=2&limit=1")


def methods_and_streams():
    created = json.loads(output(["node", NODE / "stream.mjs"]))
    cases.check("Node's fetch", "a stream, `query`, `QUERY`, `patch` and `PATCH`", created, [201, 405, 200, 405, 200])
    echo = Server(lambda request, body: request.send(200, request.command.encode()))
    for program, code in (("Node's fetch", "fetch"), ("undici", "undici.fetch")):
        found = with_node(code, [(method, f"{echo.address}/") for method in METHODS_SENT])
        cases.check(program, "methods", [method for _, method in found], METHODS_RECEIVED)
    send = "(method) => fetch('/', { method, body: '{}' }).then((response) => response.text())"
    found = echo.in_chromium(f"return Promise.all({json.dumps(METHODS_SENT)}.map({send}))")
    cases.check("Chromium", "methods", found, METHODS_RECEIVED)
    create = f"""
        const headers = {json.dumps(KEY | {"Content-Type": "application/json"})};
        const animal = new Blob(['{{"name": "Ada", "species": "cat"}}']);
        const send = (body, more) => fetch("/animals", {{ method: "POST", headers, body, ...more }})
            .then((response) => response.status, (error) => error.name);
        return [await send(animal.stream(), {{ duplex: "half" }}), await send(animal)]"""
    plain = Server(lambda request, body: request.send(201))
    cases.check("Chromium", "a stream and a Blob over HTTP/1.1", plain.in_chromium(create), ["TypeError", 201])
    page = Server(lambda request, body: request.send(404))
    with tempfile.TemporaryDirectory() as folder:
        proxy, address = over_http2(page, pathlib.Path(folder))
        try:
            found = page.in_chromium(create, address, ["--ignore-certificate-errors"])
        finally:
            stop(proxy)
    cases.check("Chromium", "a stream and a Blob over HTTP/2", found, [201, 201])


def over_http2(page, folder):
    """Starts nginx with TLS and HTTP/2 in front of the example, and of the page of a server."""
    port = free_port()
    output(shlex.split(f"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 -keyout {folder}/key -out {folder}/pem"))
    settings = folder / "settings"
    settings.write_text(f"""
daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {folder}/pem;
        ssl_certificate_key {folder}/key;
        proxy_http_version 1.1;
        location / {{ proxy_pass {API}; }}
        location = /page {{ proxy_pass {page.address}; }}
        location = /result {{ proxy_pass {page.address}; }}
    }}
}}
""")
    process = subprocess.Popen(["nginx", "-c", settings], stderr=subprocess.DEVNULL)
    wait_for(port, process)
    return process, f"https://127.0.0.1:{port}"


def media_types_of_files():
    """The media type that arrives if none is named. The example rejects application/octet-stream with 422."""
    sent = {}

    def part(request, body):
        types = [line.split(b": ")[1].decode() for line in body.split(b"\r\n") if line.lower().startswith(b"content-type: ")]
        sent[request.path] = types[0] if types else None
        request.send(200)
    server = Server(part)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bo.png"
        path.write_bytes(b"x")
        requests.post(f"{server.address}/requests", files={"file": path.open("rb")}, timeout=30)
        httpx.post(f"{server.address}/httpx", files={"file": path.open("rb")})
        output(["curl", "--silent", "-F", f"file=@{path}", f"{server.address}/curl"])

        async def with_files():
            async with aiohttp.ClientSession() as session:
                await session.post(f"{server.address}/open", data={"file": path.open("rb")})
                form = aiohttp.FormData()
                form.add_field("file", b"x", filename="bo.png")
                await session.post(f"{server.address}/bytes", data=form)
        asyncio.run(with_files())
        script = "const form = new FormData(); form.append('file', new Blob(['x']), 'bo.png');"
        script += "await fetch(process.argv[1], { method: 'POST', body: form })"
        output(["node", "--input-type=module", "-e", script, f"{server.address}/node"])
        server.in_chromium(script.replace("process.argv[1]", "'/chromium'") + "; return 0")
        for program, name, expected in [
            ("requests", "requests", None),
            ("httpx", "httpx", "image/png"),
            ("curl", "curl", "image/png"),
            ("aiohttp", "open", "image/png"),
            ("aiohttp", "bytes", "application/octet-stream"),
            ("Node's fetch", "node", "application/octet-stream"),
            ("Chromium", "chromium", "application/octet-stream"),
        ]:
            cases.check(program, f"the media type of a file, {name}", sent[f"/{name}"], expected)
        # The code of the guide, whose media type the application receives.
        guide = next(line for line in guide_lines("forms") if "Name the media type in Python" in line)
        files = eval(guide.split("`")[1].removeprefix("files=").replace('"photo":', '"file":'), {"photo": b"x"})
        for program, client in (("requests", requests), ("httpx", httpx)):
            created = client.post(f"{FILES}/documents", data={"title": "Bo"}, files=files)
            cases.check(program, "a file with a media type", (created.status_code, created.json()["data"]["media_type"]), (201, "image/png"))


def versions_in_the_guide(versions):
    for client, *_ in table("rate_limiting", "client"):
        for each in client.split(", "):
            name, _, version = each.partition(" ")
            cases.check({"Node": "Node's fetch"}.get(name, name), "the version of the guide", versions[name].startswith(version), True)


def main():
    versions = install({"curl": "curl", "nginx": "nginx"})
    versions |= {"requests": requests.__version__, "httpx": httpx.__version__, "aiohttp": aiohttp.__version__}
    versions |= {"Node": output(["node", "--version"]).strip().removeprefix("v"), "Chromium": chromium_version()}
    versions["undici"] = json.loads((NODE / "node_modules/undici/package.json").read_text())["version"]
    repeated_methods()
    without_retry_after()
    problems_of_the_last_attempt()
    curl()
    links()
    methods_and_streams()
    media_types_of_files()
    versions_in_the_guide(versions)
    for program, number in cases.numbers.items():
        wrong = cases.differences.get(program, [])
        version = versions[{"Node's fetch": "Node"}.get(program, program)]
        row(program, version, number, f"DIFFERS: {'; '.join(wrong)}" if wrong else "as the guides say")
    sys.exit(1 if cases.differences else 0)


main()
