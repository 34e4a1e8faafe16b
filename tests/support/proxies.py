"""Proxies before the page: nginx and Caddy with the configurations of the documentation, on loopback and with a name and a
certificate of the test."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["HOSTS", "find_free_port", "list_configurations", "run_proxy", "trust_nobody"]

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "put-the-page-behind-a-proxy.md"
HOSTS = {"": "rubble.example", "/rubble": "museum.example"}  # by the path of the public address
UPSTREAM = "127.0.0.1:8080"
NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    {server}
}}
"""
CADDY = """
{{
    admin off
    auto_https disable_redirects
    skip_install_trust
    storage file_system {folder}
}}
{server}
"""


def list_configurations(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def trust_nobody() -> ssl.SSLContext:
    """For certificates that no authority knows."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@contextmanager
def run_proxy(kind: str, path: str, port: int, upstream: int, folder: Path) -> Iterator[None]:
    """Run nginx or Caddy at this port before the page at the port `upstream`, until the end."""
    program = shutil.which(kind)
    if program is None:
        pytest.skip(f"no {kind} on this machine (Debian: apt install {kind})")
    configuration = folder / kind
    configuration.write_text(write_nginx(path, port, folder) if kind == "nginx" else write_caddy(path, port, folder))
    configuration.write_text(configuration.read_text().replace(UPSTREAM, f"127.0.0.1:{upstream}"))
    words = {
        "nginx": [program, "-p", str(folder), "-c", str(configuration), "-e", "stderr"],
        "caddy": [program, "run", "--adapter", "caddyfile", "--config", str(configuration)],
    }[kind]
    homes = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    with (folder / "log").open("w+") as log, subprocess.Popen(words, stderr=log, stdout=log, env=os.environ | homes) as process:
        try:
            wait_for_tls(HOSTS[path], port, process, folder / "log")
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)


def write_nginx(path: str, port: int, folder: Path) -> str:
    """The first configuration as it is; that of a path in a server like it."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine, which makes nginx a certificate (Debian: apt install openssl)")
    host, (whole, location) = HOSTS[path], list_configurations("nginx")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    if path:
        whole = re.sub(r"    location / \{.*?\n    \}\n", lambda found: location, whole, flags=re.DOTALL)
    server = whole.replace("rubble.example;", f"{host};").replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    server = re.sub(r"/etc/ssl/certs/\S+\.pem", str(certificate), server)
    return NGINX.format(folder=folder, server=re.sub(r"/etc/ssl/private/\S+\.key", str(key), server))


def write_caddy(path: str, port: int, folder: Path) -> str:
    """Caddy would ask an authority for a certificate; here it makes its own."""
    host, server = HOSTS[path], list_configurations("caddy")[bool(path)]
    return CADDY.format(
        folder=folder, server=server.replace(f"{host} {{", f"https://{host}:{port} {{\n    bind 127.0.0.1\n    tls internal")
    )


def wait_for_tls(host: str, port: int, process: subprocess.Popen[bytes], log: Path, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
                trust_nobody().wrap_socket(plain, server_hostname=host).close()
            return
        except OSError:
            assert process.poll() is None, f"the proxy ended:\n{log.read_text()}"
            assert time.monotonic() < end, f"the proxy does not answer:\n{log.read_text()}"
            time.sleep(0.05)
