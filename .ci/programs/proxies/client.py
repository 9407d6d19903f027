"""A client of the cases: requests from separate addresses, handshakes of WebSockets, and events."""
import base64
import http.client
import itertools
import json
import os
import socket
import struct
import time
from dataclasses import dataclass

# Each address has its own rate limit.
ADDRESSES = (f"127.{a}.{b}.1" for a, b in itertools.product(range(1, 250), repeat=2))


@dataclass
class Response:
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    is_complete: bool = True

    def json(self):
        return json.loads(self.body)

    def header(self, name):
        return self.headers.get(name, "")

    def __str__(self):
        return f"{self.status} {self.header('content-type').partition(';')[0]}".strip()


def send(port, path, headers=(), method="GET", body=None, source=None):
    """Sends a request, and returns its response, even if the server does not read the body or closes the connection."""
    source = source or next(ADDRESSES)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(source, 0))
    try:
        try:
            connection.request(method, path, body, dict(headers))
        except (BrokenPipeError, ConnectionResetError):
            # The response may be there.
            assert body, "the connection is closed"
            connection._HTTPConnection__state = "Request-sent"
        try:
            response = connection.getresponse()
        except (http.client.HTTPException, ConnectionResetError):
            return Response(0, http.client.HTTPMessage(), b"", False)
        try:
            return Response(response.status, response.headers, response.read())
        except http.client.IncompleteRead as broken:
            return Response(response.status, response.headers, broken.partial, False)
        except ConnectionResetError:
            return Response(response.status, response.headers, b"", False)
    finally:
        connection.close()


def send_json(port, path, value, headers=(), method="POST", source=None):
    return send(port, path, {"Content-Type": "application/json"} | dict(headers), method, json.dumps(value), source)


def form(title, content):
    """Returns the headers and the body of the form of the example files."""
    fields = (("title", None, "text/plain", title.encode()), ("file", "a.txt", "text/plain", content))
    body = b""
    for name, file, media_type, value in fields:
        disposition = f'form-data; name="{name}"' + (f'; filename="{file}"' if file else "")
        body += f"--X\r\nContent-Disposition: {disposition}\r\nContent-Type: {media_type}\r\n\r\n".encode() + value + b"\r\n"
    return {"Content-Type": "multipart/form-data; boundary=X"}, body + b"--X--\r\n"


def raw(port, head, seconds=5):
    """Sends bytes, and returns everything until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), seconds) as connection:
        connection.sendall(head)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except (TimeoutError, ConnectionResetError):
            pass
        return received


def websocket(port, path, origin):
    """Opens a WebSocket with an origin, sends a remark, and returns the status, or 101 after the remark has returned."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        key = base64.b64encode(os.urandom(16)).decode()
        head = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nOrigin: {origin}\r\n\r\n"
        )
        connection.sendall(head.encode())
        received = b""
        while b"\r\n\r\n" not in received:
            piece = connection.recv(65536)
            if not piece:
                return "closed"
            received += piece
        status = received.split(b" ")[1].decode()
        if status != "101":
            return status
        text = json.dumps({"text": "hello"}).encode()
        mask = b"\1\2\3\4"
        connection.sendall(struct.pack("!BB", 0x81, 0x80 | len(text)) + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(text)))
        received = received.partition(b"\r\n\r\n")[2]
        while b"hello" not in received:
            piece = connection.recv(65536)
            if not piece:
                return "101, then closed"
            received += piece
        return status


def wait_until_ready(port):
    """Waits for a response of the server. Some proxies listen before they forward."""
    for _ in range(100):
        if send(port, "/").status not in (0, 500, 502, 503):
            return
        time.sleep(0.1)
    raise TimeoutError("the proxy does not forward")
