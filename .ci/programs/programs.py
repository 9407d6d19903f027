"""Programs that the tables install and start. versions.toml has their versions."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
VERSIONS = tomllib.loads((HERE / "versions.toml").read_text())


def install(packages):
    """Installs Debian packages, and compares their versions. `packages` maps a program, or the path of a file, to its package. Returns their versions."""
    missing = [package for program, package in packages.items() if not shutil.which(program) and not pathlib.Path(program).is_file()]
    if missing:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})
    versions = {}
    for package in packages.values():
        command = ["dpkg-query", "--show", "--showformat", "${Version}", package]
        # An epoch is Debian's, and so is what follows the first of these characters.
        full = subprocess.run(command, check=True, capture_output=True, text=True).stdout.partition(":")[2]
        full = full or subprocess.run(command, check=True, capture_output=True, text=True).stdout
        versions[package] = full.partition("-")[0].partition("+")[0]
        expected = VERSIONS["debian"][package]
        if expected and not f"{versions[package]}.".startswith(f"{expected}."):
            sys.exit(f"{package} is {versions[package]}, and versions.toml says {expected}")
    return versions


def install_python(table):
    """Installs the requirements.txt of a table in a virtual environment. Returns its Python."""
    folder = TARGET / "ci" / "programs" / table / "python"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    command = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    subprocess.run([*command, "--requirement", HERE / table / "requirements.txt"], check=True)
    return folder / "bin/python"


def install_node(table):
    """Copies a table, and installs its package-lock.json in the copy. Returns the folder."""
    folder = TARGET / "ci" / "programs" / table / "node"
    shutil.copytree(HERE / table, folder, dirs_exist_ok=True)
    settings = {"npm_config_cache": str(TARGET / "ci/npm"), "npm_config_update_notifier": "false"}
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    subprocess.run(command, check=True, cwd=folder, env=os.environ | settings)
    return folder


def row(program, version, cases, differences=""):
    """Prints a line of a table: a program, its version, the number of its cases, and how it differs, as a guide says."""
    print(f"{program:<24} {version:<12} {cases:>4} cases  {differences}", flush=True)


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
