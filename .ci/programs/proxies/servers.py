"""Starts the examples that the proxies forward to."""
import os
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from proxies import upstream
from proxies.client import form, send
from programs import ROOT, TARGET, free_port, wait_for
from reverse_proxies import stop

KEY = "manager.0f4f9a6c1d2e4b7f8a9b0c1d2e3f4a5b"
# The size of the document 1 of the example files.
SIZE = 300_000
BUILDS = ["-p files -p operations -p contracts", "-p restwright-examples --example behind_a_proxy"]


@contextmanager
def started():
    """Gives the port of each server by its name."""
    for packages in BUILDS:
        subprocess.run(["cargo", "build", "--quiet", "--locked", *packages.split()], check=True, cwd=ROOT)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        folder = Path(folder)
        ports = {name: free_port() for name in ("files", "operations", "prefix")}
        programs = {
            "files": (TARGET / "debug/files", {"PORT": str(ports["files"]), "FILES": str(folder / "files")}),
            "operations": (TARGET / "debug/operations", {
                "DATABASE_URL": f"sqlite://{folder}/shop.db", "SHOP_MANAGER_KEY": KEY, "SHOP_LISTEN": f"127.0.0.1:{ports['operations']}",
                "SHOP_METRICS_LISTEN": f"127.0.0.1:{free_port()}", "SHOP_TRUSTED_PROXIES": "127.0.0.1/32",
            }),
            "prefix": (TARGET / "debug/examples/behind_a_proxy", {"ADDRESS": f"127.0.0.1:{ports['prefix']}"}),
        }
        for name, (program, settings) in programs.items():
            log = folder / f"{name}.log"
            process = subprocess.Popen([program], env=os.environ | settings | {"RUST_LOG": "off"}, stdout=log.open("w"), stderr=subprocess.STDOUT)
            stack.callback(stop, process)
            wait_for(ports[name], process, log)
        created = send(ports["files"], "/documents", *swapped(form("A document", bytes(range(48, 58)) * (SIZE // 10))))
        assert created.status == 201, created
        # A file that changed less than two seconds ago has a weak tag.
        time.sleep(2.5)
        yield ports | {"upstream": upstream.start()}


def swapped(headers_and_body):
    headers, body = headers_and_body
    return headers, "POST", body
