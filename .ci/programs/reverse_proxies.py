"""Starts reverse proxies of Debian 12, with the settings that a guide shows."""
import pathlib
import re
import shutil
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager

from programs import ROOT, free_port, wait_for

GUIDES = ROOT / "crates/restwright/src/guide"
# Each proxy of the guides: its program, its package, and the guide and the heading above its settings.
PROXIES = {
    "nginx": ("nginx", "nginx", "deployment", "Run behind nginx"),
    "HAProxy": ("haproxy", "haproxy", "reverse_proxies", "HAProxy"),
    "Apache": ("apache2", "apache2", "reverse_proxies", "Apache httpd"),
    "Caddy": ("caddy", "caddy", "reverse_proxies", "Caddy"),
    "Varnish": ("varnishd", "varnish", "reverse_proxies", "Varnish"),
    "Squid": ("squid", "squid", "reverse_proxies", "Squid"),
    "Traffic Server": ("traffic_server", "trafficserver", "reverse_proxies", "Traffic Server"),
    "lighttpd": ("lighttpd", "lighttpd", "reverse_proxies", "lighttpd"),
    "H2O": ("h2o", "h2o", "reverse_proxies", "H2O"),
}
# What a process of a test needs around the settings of the guide. `{guide}` is where they are.
AROUND = {
    "nginx": """
daemon off; master_process off; user root; pid {folder}/nginx.pid; error_log stderr crit;
events {{}}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {guide}
}}
""",
    "HAProxy": "{guide}",
    "Apache": """
ServerRoot "{folder}"
ServerName localhost
Listen 127.0.0.1:{port}
PidFile "{folder}/apache.pid"
ErrorLog "{folder}/error.log"
User www-data
Group www-data
Mutex file:{folder} default
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule filter_module /usr/lib/apache2/modules/mod_filter.so
LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so
{guide}
""",
    "Caddy": "{{\n    admin off\n}}\n{guide}",
    "Varnish": "{guide}",
    "Squid": """
pid_filename {folder}/squid.pid
access_log none
cache_log {folder}/cache.log
cache_store_log none
coredump_dir {folder}
shutdown_lifetime 0 seconds
{guide}
""",
    "lighttpd": """
server.document-root = "{folder}"
server.errorlog = "{folder}/error.log"
server.upload-dirs = ("{folder}")
{guide}
""",
    "H2O": "user: root\n{guide}",
}
# What the settings of the guide have of a machine, and what a test writes in its place. `{port}` is the port of the proxy.
OF_THE_MACHINE = {
    "nginx": [
        (r"listen 443 ssl http2;", "listen 127.0.0.1:{port};"),
        (r"ssl_certificate\S* .*;", ""),
        (r"access_log .*;", "access_log off;"),
    ],
    "HAProxy": [(r"bind :443 .*", "bind 127.0.0.1:{port}")],
    "Apache": [],
    "Caddy": [(r"^api\.example\.com", "http://127.0.0.1:{port}")],
    "Varnish": [],
    "Squid": [(r"http_port 80 ", "http_port 127.0.0.1:{port} ")],
    "Traffic Server": [],
    "lighttpd": [(r"server\.port = 80", 'server.bind = "127.0.0.1"\nserver.port = {port}')],
    "H2O": [(r"port: 443\n(  ssl:\n(    .*\n)+)?", "port: {port}\n  host: 127.0.0.1\n"), (r'"api\.example\.com"', "default")],
}
COMMANDS = {
    "nginx": ["nginx", "-c", "{settings}"],
    "HAProxy": ["haproxy", "-f", "{settings}"],
    "Apache": ["apache2", "-D", "FOREGROUND", "-f", "{settings}"],
    "Caddy": ["caddy", "run", "--adapter", "caddyfile", "--config", "{settings}"],
    "Varnish": ["varnishd", "-F", "-j", "none", "-a", "127.0.0.1:{port}", "-f", "{settings}", "-n", "{folder}/varnish", "-T", "none", "-s", "malloc,20m"],
    "Squid": ["squid", "-N", "-f", "{settings}"],
    "Traffic Server": ["traffic_server", "--run-root={folder}/runroot.yaml"],
    "lighttpd": ["lighttpd", "-D", "-f", "{settings}"],
    "H2O": ["h2o", "-c", "{settings}"],
}


def section(guide, heading):
    """Returns the part of a guide below a heading."""
    text = (GUIDES / f"{guide}.md").read_text()
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^\1 |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{guide}.md has no heading {heading}"
    return found[2]


def block(guide, heading, number=0):
    """Returns a block of settings below a heading of a guide."""
    return re.findall(r"^```\w+\n(.*?)^```", section(guide, heading), re.MULTILINE | re.DOTALL)[number]


def table(guide, heading):
    """Returns the rows of the first table below a heading, each with its cells by the names of the columns. Code is without backticks."""
    lines = re.search(r"(?:^\|.*\n)+", section(guide, heading), re.MULTILINE)[0].splitlines()
    split = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [dict(zip(split[0], cells, strict=True)) for cells in split[2:]]


def settings_of(name):
    return block(*PROXIES[name][2:])


def changed(settings, lines):
    """Replaces lines of settings, or inserts one after a line, as the rows of a table say."""
    for line in lines:
        [old], new = re.findall(r"`([^`]+)`", line["line"]), line["replaced by"].strip("`").replace("\\n", "\n")
        assert old in settings, f"the settings have no {old}:\n{settings}"
        if line["line"].startswith("after"):
            settings = re.sub(rf"^(\s*){re.escape(old)}.*\n", lambda found: f"{found[0]}{found[1]}{new}\n", settings, count=1, flags=re.MULTILINE)
        else:
            settings = settings.replace(old, new)
    return settings


@contextmanager
def running(name, settings, upstream, arguments=()):
    """Runs a proxy with settings before the server on a port, and gives its own port. A free port may be taken before the proxy listens."""
    with ExitStack() as stack:
        for attempt in range(3):
            try:
                port = stack.enter_context(started(name, settings, upstream, arguments))
                break
            except SystemExit:
                if attempt == 2:
                    raise
        yield port


@contextmanager
def started(name, settings, upstream, arguments):
    with tempfile.TemporaryDirectory() as folder:
        folder, port = pathlib.Path(folder), free_port()
        # Three of them write as another user.
        folder.chmod(0o777)
        assert settings.count("8080") == 1, f"the settings of {name} must have one server on the port 8080"
        settings = settings.replace("8080", str(upstream)).replace("{folder}", str(folder))
        for pattern, replacement in OF_THE_MACHINE[name]:
            settings, count = re.subn(pattern, replacement.format(port=port), settings, flags=re.MULTILINE)
            assert count, f"the settings of {name} have no {pattern}"
        if name == "Traffic Server":
            write_traffic_server(folder, port, settings)
        else:
            values = {"folder": folder, "port": port, "guide": settings}
            (folder / "settings").write_text(AROUND[name].format(**values))
        command = [part.format(settings=folder / "settings", folder=folder, port=port) for part in [*COMMANDS[name], *arguments]]
        log = folder / "log"
        with log.open("w") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder)
        try:
            wait_for(port, process, log)
            yield port
        finally:
            stop(process)


def write_traffic_server(folder, port, settings):
    """Writes a root of Traffic Server, with each line of the settings in the file of its first word."""
    shutil.copytree("/etc/trafficserver", folder / "etc")
    settings += f"CONFIG proxy.config.http.server_ports STRING {port}:ip-in=127.0.0.1\nCONFIG proxy.config.admin.user_id STRING trafficserver\n"
    files = {
        "CONFIG": "records.config", "map": "remap.config", "ip_allow:": "ip_allow.yaml", "compress.so": "plugin.config",
        "compressible-content-type": "compress.config",
    }
    for word, file in files.items():
        lines = [line for line in settings.splitlines() if line.split(" ")[0] == word]
        (folder / "etc" / file).write_text("".join(f"{line}\n" for line in lines))
    (folder / "etc/storage.config").write_text(f"{folder}/cache 32M\n")
    places = {"sysconfdir": "etc", "runtimedir": "run", "logdir": "log_of_traffic", "cachedir": "cache", "localstatedir": "var"}
    for place in places.values():
        (folder / place).mkdir(exist_ok=True)
    shipped = {
        "prefix": "/usr", "exec_prefix": "/usr", "bindir": "/usr/bin", "sbindir": "/usr/sbin", "datadir": "/usr/share/trafficserver",
        "libdir": "/usr/lib/trafficserver", "libexecdir": "/usr/lib/trafficserver/modules", "includedir": "/usr/include",
    }
    places = shipped | {name: folder / place for name, place in places.items()}
    (folder / "runroot.yaml").write_text("".join(f"{name}: {place}\n" for name, place in places.items()))
    for path in folder.rglob("*"):
        path.chmod(0o777)


def stop(process):
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
