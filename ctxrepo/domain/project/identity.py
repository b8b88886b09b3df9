"""Which project a checkout is: a name for it that is the same on every machine and holds no credential."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import unquote

from ctxrepo.domain.text.digest import blake2b
from ctxrepo.lazy import lazy_pattern

_DEFAULT_PORTS = {
    "ssh": "22",
    "git+ssh": "22",
    "ssh+git": "22",
    "git": "9418",
    "http": "80",
    "https": "443",
    "ftp": "21",
    "ftps": "990",
}
# Where forges answer ssh for those whose network lets only 443 through.
_SAME_HOST = {
    "ssh.github.com:443": "github.com",
    "altssh.gitlab.com:443": "gitlab.com",
    "altssh.bitbucket.org:443": "bitbucket.org",
}

_URL = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)")
_ANY_HOST = r"\[[0-9A-Fa-f:.%\w]+\]|[\w][\w.-]*"
_AUTHORITY = lazy_pattern(rf"({_ANY_HOST})(?::([0-9]*))?")
# What git reads as user@host:path; a number behind the colon is a port to those who leave the user out.
_SCP = lazy_pattern(rf"({_ANY_HOST}):(?!:)(.*)", re.DOTALL)
_WITH_PORT = lazy_pattern(rf"({_ANY_HOST}):([0-9]{{1,5}})(/.*)", re.DOTALL)
_DRIVE = lazy_pattern(r"[A-Za-z]:[\\/]")
_HEX = lazy_pattern(r"[0-9a-f]{12,64}\Z")
_ROOT, _FOLDER = "root:", "dir:"


def normalise_remote(url: str) -> str:
    """The one form of all spellings of a remote: `host/owner/name`, `host:8443/owner/name`, `file/abs/path`.

    Scheme, user, password, query, default port and `.git` are dropped and the case of the host is folded; the
    path is kept as it is. A normalised name stays itself. '' for what names no place that another
    checkout could share: a relative path, a word, a transport helper.
    """
    text = unicodedata.normalize("NFC", url.strip())
    if not text or not text.isprintable():
        return ""
    if match := _URL.match(text):
        scheme, authority, path = match[1].lower(), match[2], unquote(match[3])
        if scheme == "file":
            return _joined("file", path)
        return _joined(_host(authority.rpartition("@")[2], _DEFAULT_PORTS.get(scheme, "")), path)
    if text.startswith("/") or _DRIVE.match(text):
        return _joined("file", text.replace("\\", "/"))
    return _without_scheme(text)


def named_id(explicit: str, remotes: Mapping[str, str]) -> str:
    """The identity by what the user set or by a remote, origin before others; '' when there is neither."""
    if explicit.strip():
        return _explicit(explicit.strip())
    for remote in sorted(remotes, key=lambda name: (name != "origin", name)):
        if found := normalise_remote(remotes[remote]):
            return found
    return ""


def bare_id(root_commit: str, name: str, place: str = "") -> str:
    """The identity of a checkout that nothing names: by its first commit, else by where it is.

    `root_commit` is the hex id of that commit, `name` the name of the top folder, `place` whatever tells it
    from other folders of that name: machine and path.
    """
    folder = "".join(c for c in name.rstrip("/").rpartition("/")[2] if c.isprintable()).strip() or "unnamed"
    root = root_commit.strip().lower()
    if _HEX.match(root):
        return f"{_ROOT}{root[:12]}/{folder}"
    digest = blake2b(place.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{_FOLDER}{digest}/{folder}"


def is_bare(identity: str) -> bool:
    """Whether nothing but the checkout itself stands behind an identity."""
    return identity.startswith((_ROOT, _FOLDER))


def is_rooted(identity: str, name: str) -> bool:
    """Whether an identity tells a checkout of this name by its first commit."""
    return identity.startswith(_ROOT) and identity.endswith(f"/{name}")


def _explicit(text: str) -> str:
    """As the user wrote it; a URL as its normal form, so that a token pasted with it goes nowhere."""
    before, at, after = text.rpartition("@")
    if "://" not in text and not (at and "/" not in before):
        return text
    return normalise_remote(text) or (after if ":" in before else text)


def _without_scheme(text: str) -> str:
    first, slash, rest = text.partition("/")
    _user, at, place = first.rpartition("@")
    place += slash + rest
    if not at and (match := _WITH_PORT.fullmatch(place)) and int(match[2]) < 65536:
        return _joined(_host(f"{match[1]}:{match[2]}", ""), match[3])
    if match := _SCP.fullmatch(place):
        return _joined(_host(match[1], ""), unquote(match[2]))
    return _joined(_host(place.split("/", 1)[0], ""), rest) if slash else ""


def _host(authority: str, default_port: str) -> str:
    """`host` or `host:port` in its one spelling, '' when it is none."""
    match = _AUTHORITY.fullmatch(authority)
    if not match:
        return ""
    host = match[1].lower().rstrip(".")
    port = (match[2] or "").lstrip("0")
    full = f"{host}:{port}" if port and port != default_port else host
    return _SAME_HOST.get(f"{host}:{port}", full)


def _joined(host: str, path: str) -> str:
    if not host or not path.isprintable():
        return ""
    before, path = "", unicodedata.normalize("NFC", path)
    while path != before:
        before = path
        # From the root, so that no `..` climbs out of it.
        path = posixpath.normpath("/" + "/".join(part.strip() for part in path.split("/"))).strip("/")
        path = path.removesuffix(".git")
    return f"{host}/{path}" if path else ""
