"""Programs that the checks of proxies and caches start."""
import shutil
import socket
import subprocess
import sys
import time


def install(packages):
    """Installs the Debian packages of missing programs. `packages` maps a program to its package."""
    missing = [package for program, package in packages.items() if not shutil.which(program)]
    if missing:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def tries(seconds):
    """Repeats for this time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(0.1)


def wait_for(port, process, log=None):
    """Waits until a process listens on a port. Ends the check with the end of its log if the process has not started."""
    for _ in tries(30):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
    process.kill()
    sys.exit(f"{process.args[0]} has not started:\n{log.read_text()[-2000:] if log else ''}")
