"""A private nginx with git-http-backend behind it: TLS from an authority of its own, and passwords."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from needs import PLACES, lacks, place_of, unless
from servers.process import free_port, running, wait_for_port

_BACKEND = Path(subprocess.check_output(["git", "--exec-path"], text=True).strip(), "git-http-backend")
_NO_BACKEND = "" if _BACKEND.exists() else f"this git was installed without {_BACKEND}: install it whole"

needs_https = unless(lacks("nginx", "fcgiwrap", "openssl") or _NO_BACKEND)

USER, PASSWORD = "ada", "correct-horse-7291"

CERTIFICATES = {"good": "IP:127.0.0.1", "misnamed": "DNS:elsewhere.example", "expired": "IP:127.0.0.1"}
"""What each certificate of the server names; `stranger` is signed by nobody."""


@dataclass(frozen=True)
class HttpsServer:
    """Serves the repositories below `root`: `ports` by certificate, `authority` is what clients trust.

    Doors: `git` wants the password and lets write, `open` lets anybody write, `read` lets anybody read,
    `write-denied` refuses writing as hosting sites do, `status/NNN` answers with that number, `moved` sends
    to another host, `garbage` is no git at all.
    """

    ports: Mapping[str, int]
    root: Path
    authority: Path

    def url(self, repository: Path, door: str = "open", port: int = 0, certificate: str = "good") -> str:
        """The address of a repository through a door; with `port` through a proxy there."""
        where = repository.relative_to(self.root)
        return f"https://127.0.0.1:{port or self.ports[certificate]}/{door}/{where}"

    def client(self, password: str = "") -> str:
        """Lines for a `.gitconfig` that trust the server and may know a password for it."""
        helper = f'!f() {{ test $1 != get || printf "username={USER}\\\\npassword={password}\\\\n"; }}; f'
        quoted = helper.replace('"', '\\"')
        known = f'[credential]\n\thelper = "{quoted}"\n' if password else ""
        return f"[http]\n\tsslCAInfo = {self.authority}\n{known}"


@contextmanager
def https_server(folder: Path, root: Path) -> Iterator[HttpsServer]:
    """nginx and fcgiwrap, each of its own process group, ended at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    _certify(folder)
    hashed = subprocess.run(
        ["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True
    )
    (folder / "passwords").write_text(f"{USER}:{hashed.stdout.strip()}\n")
    ports = {name: free_port() for name in (*CERTIFICATES, "stranger")}
    (folder / "nginx.conf").write_text(_config(folder, root, ports))
    log = folder / "log"
    env = {"PATH": PLACES, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    nginx = [place_of("nginx"), "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", str(log)]
    backend = [place_of("fcgiwrap"), "-c", "8", "-s", f"unix:{folder}/fcgi"]
    with running(backend, log, env), running(nginx, log, env):
        for port in ports.values():
            wait_for_port(port, log)
        yield HttpsServer(ports, root, folder / "authority.pem")


def _certify(folder: Path) -> None:
    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=tests")
    for name in ("authority", "stranger"):
        named = ("-addext", "subjectAltName=IP:127.0.0.1") if name == "stranger" else ()
        openssl("req", "-x509", *key, "-days", "2", *named, "-keyout", f"{name}.key", "-out", f"{name}.pem")
    for name, subject in CERTIFICATES.items():
        (folder / "names").write_text(f"subjectAltName={subject}\n")
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr")
        signed = ("-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-extfile", "names")
        days = "-1" if name == "expired" else "2"
        openssl("x509", "-req", "-in", f"{name}.csr", *signed, "-days", days, "-out", f"{name}.pem")


def _config(folder: Path, root: Path, ports: Mapping[str, int]) -> str:
    user = "user root;" if os.getuid() == 0 else ""
    servers = "\n".join(
        f"server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {folder}/{name}.pem;"
        f" ssl_certificate_key {folder}/{name}.key; {_doors(folder, root)} }}"
        for name, port in ports.items()
    )
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "fastcgi", "proxy", "scgi", "uwsgi")
    )
    return f"""{user} daemon off; master_process off; pid {folder}/pid; error_log {folder}/log;
events {{ worker_connections 512; }}
http {{ access_log {folder}/access; client_max_body_size 0; keepalive_timeout 1; {temporary}
{servers} }}"""


def _doors(folder: Path, root: Path) -> str:
    def door(name: str, user: str, more: str = "") -> str:
        return f"""location ~ ^/{name}(?<where>/.*)$ {{ {more} fastcgi_pass unix:{folder}/fcgi;
  fastcgi_param SCRIPT_FILENAME {_BACKEND}; fastcgi_param GIT_HTTP_EXPORT_ALL 1;
  fastcgi_param GIT_PROJECT_ROOT {root}; fastcgi_param PATH_INFO $where; fastcgi_param REMOTE_USER {user};
  fastcgi_param REQUEST_METHOD $request_method; fastcgi_param QUERY_STRING $query_string;
  fastcgi_param CONTENT_TYPE $content_type; fastcgi_param CONTENT_LENGTH $content_length;
  fastcgi_param GIT_PROTOCOL $http_git_protocol; fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding;
  fastcgi_param REMOTE_ADDR $remote_addr; }}"""

    password = f"auth_basic git; auth_basic_user_file {folder}/passwords;"
    denied = "if ($request_uri ~ receive-pack) { return 403; }"
    numbers = "".join(
        f"location /status/{n} {{ return {n}; }}\n" for n in (400, 401, 403, 404, 429, 500, 502, 503, 504)
    )
    return f"""{door("git", "$remote_user", password)} {door("open", "anybody")} {door("read", '""')}
{door("write-denied", "anybody", denied)} {numbers}
location ~ ^/moved(/.*)$ {{ return 301 https://localhost:$server_port/open$1$is_args$args; }}
location /garbage {{ return 200 "<html>please log in</html>"; }}"""
