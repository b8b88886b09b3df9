"""Addresses of remotes: which are allowed, which carry a password, and which are local."""

from ctxrepo.domain.secrets import redact, scan
from ctxrepo.errors import UsageError
from ctxrepo.lazy import lazy_pattern

_PASSWORD = lazy_pattern(r"[^/:@]*:(?!\d+(/|$)).*@")  # a password may hold any sign itself, `/` and `@` too


def check_url(url: str) -> None:
    """UsageError for a URL that could run a program or carries a password."""
    scheme, colon, _ = url.partition("://")
    if url.startswith("-") or "::" in url.split("/", 1)[0] or any(ord(c) < 32 for c in url):
        raise UsageError(f"{redact(url)[:60]!r} is not the address of a git repository")
    if colon and scheme.lower() not in ("https", "ssh", "file"):
        raise UsageError(f"{scheme}:// is not supported", "Use https, ssh or a path.")
    if carries_password(url):
        raise UsageError(
            "the address carries a password or token", "Leave it out and let git's credential helper know it."
        )


def carries_password(url: str) -> bool:
    """Whether the address contains a password or a token."""
    _, colon, rest = url.partition("://")
    return bool(colon and _PASSWORD.match(rest)) or bool(scan(url))


def is_local(remote: str) -> bool:
    """Whether a remote is a path on this machine rather than another host."""
    return remote.startswith(("/", "file://", "./", "../", "~"))
