"""A server that does what an application does seldom: it breaks off, sends trailers and large heads, and returns the request that it received."""
import gzip
import http.server
import json
import threading
import time

TAG = '"5"'


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        # Some proxies rewrite the path, which `/echo` looks at.
        name, _, value = self.path.lstrip("/").partition("/")
        getattr(self, f"send_{name}", self.send_echo)(value)

    do_POST = do_QUERY = do_GET

    def send_echo(self, _):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_whole({"Content-Type": "application/json"}, json.dumps({"path": self.path, "headers": self.headers.items()}).encode())

    def send_head(self, size):
        self.send_whole({"X-Large": "x" * int(size)}, b"ok")

    def send_tagged(self, _):
        self.send_whole({"Content-Type": "application/json", "ETag": TAG}, json.dumps(["tagged"] * 1000).encode())

    def send_coded(self, _):
        """Sends what `Compression` sends."""
        coded = "gzip" in self.headers.get("Accept-Encoding", "")
        body = json.dumps(["coded"] * 1000).encode()
        headers = {"ETag": '"5;gzip"', "Content-Encoding": "gzip"} if coded else {"ETag": TAG}
        self.send_whole({"Content-Type": "application/json", "Vary": "Accept-Encoding", **headers}, gzip.compress(body) if coded else body)

    def send_broken(self, size):
        """Sends the head and a part of a body without a length, and a moment later closes the connection without the last chunk."""
        self.send_chunks(b"x" * int(size))
        time.sleep(0.2)
        self.close_connection = True

    def send_trailer(self, _):
        self.send_chunks(b"rows", {"Trailer": "X-Rows"})
        # Some proxies forward a response that arrives at once with its length.
        time.sleep(0.2)
        self.wfile.write(b"0\r\nX-Rows: 3\r\n\r\n")

    def send_counted(self, _):
        """Sends a trailer to a client that accepts it, as exports do."""
        accepts = "trailers" in self.headers.get("TE", "")
        self.send_chunks(b"rows", {"Trailer": "X-Rows"} if accepts else {})
        time.sleep(0.2)
        self.wfile.write(b"0\r\nX-Rows: 3\r\n\r\n" if accepts else b"0\r\n\r\n")

    def send_chunks(self, body, headers=()):
        self.send_response(200)
        chunked = self.request_version == "HTTP/1.1"
        framing = {"Transfer-Encoding": "chunked"} if chunked else {"Connection": "close"}
        for name, value in {"Content-Type": "application/jsonl", **framing, **dict(headers)}.items():
            self.send_header(name, value)
        self.end_headers()
        if not chunked:
            self.wfile.write(body)
            return
        for start in range(0, len(body), 8192):
            chunk = body[start:start + 8192]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def send_whole(self, headers, body):
        self.send_response(200)
        for name, value in {**headers, "Cache-Control": "no-store", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """Proxies close connections, and the module would print it."""


def start(port=0):
    """Starts the server, and returns its port."""
    server = Server(("127.0.0.1", port), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
