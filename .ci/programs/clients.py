"""What the tables of clients share: a server whose responses a case declares, pages of Chromium, and code of the guides."""
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GUIDES = ROOT / "crates/restwright/src/guide"
# The page runs a script and sends its result. An error is a result too.
PAGE = """<!doctype html><meta charset="utf-8"><script type="module">
const run = async () => {{ {script} }};
const result = await run().catch((error) => `${{error.name}}: ${{error.message}}`);
await fetch("/result", {{ method: "POST", body: JSON.stringify(result) }});
</script>"""


class Server(http.server.ThreadingHTTPServer):
    """Calls `respond(request, body)` for each request of any method. The function writes the response, mostly with `send`."""

    daemon_threads = True

    def __init__(self, respond):
        super().__init__(("127.0.0.1", 0), Handler)
        self.respond, self.script, self.result, self.received = respond, "", None, threading.Event()
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """A client may close a connection at any time."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def in_chromium(self, script, origin=None, options=(), seconds=60):
        """Runs the body of an async function in a page of this server, which a proxy may serve as `origin`. Returns its result."""
        self.script, self.result = script, None
        self.received.clear()
        with tempfile.TemporaryDirectory() as folder:
            command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
            command += ["--disable-background-networking", "--disable-component-update", f"--user-data-dir={folder}/profile", *options]
            log = (pathlib.Path(folder) / "log").open("w")
            browser = subprocess.Popen([*command, f"{origin or self.address}/page"], stdout=log, stderr=log, start_new_session=True)
            try:
                if not self.received.wait(seconds):
                    raise TimeoutError(f"no result of the page after {seconds} s: {script}")
            finally:
                os.killpg(browser.pid, signal.SIGKILL)
                browser.wait()
        return self.result


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/page":
            self.send(200, PAGE.format(script=self.server.script).encode(), {"Content-Type": "text/html"})
        elif self.path == "/result":
            self.server.result = json.loads(body)
            self.send(204)
            self.server.received.set()
        elif self.path == "/favicon.ico":
            self.send(404)
        else:
            self.server.respond(self, body)

    def send(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Cases:
    """Counts the cases of each program, and the differences from the guides."""

    def __init__(self):
        self.numbers, self.differences = {}, {}

    def check(self, program, case, found, expected):
        self.numbers[program] = self.numbers.get(program, 0) + 1
        if found != expected:
            self.differences.setdefault(program, []).append(case)
            print(f"{program}, {case}: {found} instead of {expected}", flush=True)


def chromium_version():
    shown = subprocess.run(["chromium", "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"[\d.]+", shown)[0]


def block(guide, language, contains):
    """Returns the only fenced block of a guide in a language that contains a text."""
    text = (GUIDES / f"{guide}.md").read_text()
    blocks = [code for code in re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE) if contains in code]
    assert len(blocks) == 1, f"{guide}.md has {len(blocks)} blocks in {language} with `{contains}`"
    return blocks[0]


def table(guide, first_column):
    """Returns the cells of the table of a guide whose first column has this title, without its title."""
    lines = (GUIDES / f"{guide}.md").read_text().splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"| {first_column} |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def stop(process):
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
