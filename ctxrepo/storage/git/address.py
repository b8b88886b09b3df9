"""Addresses of remotes: which are allowed, which carry a password, which are local; and where one leads
on this machine, by what its user told git and ssh, with no network asked."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ctxrepo.domain.secrets import redact, scan
from ctxrepo.errors import UsageError
from ctxrepo.hooks.own_files import bytes_of
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


_SYSTEM = ("/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")


def configurations(env: Mapping[str, str]) -> Iterator[Path | str]:
    """The configurations of the system and of the user, whether they exist or not."""
    yield from _SYSTEM
    if home := env.get("HOME"):
        yield Path(home) / ".gitconfig"
        yield Path(env.get("XDG_CONFIG_HOME") or f"{home}/.config") / "git" / "config"


_REWRITES = lazy_pattern(rb"(?i)insteadof|\[\s*include")
_SSH = lazy_pattern(
    r"(?:(?:git\+)?ssh(?:\+git)?://(?:[^/@]*@)?([\w.-]+)(?::(\d+))?/|(?:[^/:@]*@)?([\w.-]+):(?!//))(.+)",
    re.IGNORECASE,
)
_NAME = lazy_pattern(r"(?i)(?=.*[a-z])[a-z0-9-]+(\.[a-z0-9-]+)+")
"""A host that has the same name everywhere: no number and no short name."""

_MOST = 1024 * 1024
_TIMEOUT = 3.0


def real_address(address: str, env: Mapping[str, str]) -> str:
    """The address with `url.*.insteadOf` of the user's git and a Host of their ssh put in."""
    return _at_host(_rewritten(address, env), env)


def _rewritten(address: str, env: Mapping[str, str]) -> str:
    texts = (bytes_of(str(file), _MOST, follow=True) for file in configurations(env))
    if address.startswith("-") or not any(_REWRITES.search(text or b"") for text in texts):
        return address
    from ctxrepo.storage.git.git import nowhere

    answer = nowhere(env).run("ls-remote", "--get-url", "--", address, timeout=_TIMEOUT)
    return answer.out.strip() if answer.ok and answer.out.strip() else address


def _at_host(address: str, env: Mapping[str, str]) -> str:
    config = Path(env.get("HOME", "/"), ".ssh", "config")
    match = _SSH.fullmatch(address)
    if not match or b"host" not in (bytes_of(str(config), _MOST, follow=True) or b"").lower():
        return address
    host, port, path = match[1] or match[3], match[2], match[4].lstrip("/")
    command = ("ssh", "-G", "-T", "-F", str(config), *(("-p", port) if port else ()), "--", host)
    known = {name: env[name] for name in ("HOME", "PATH", "USER") if name in env}
    import subprocess  # most commands ask nobody

    try:
        run = subprocess.run(
            command, env=known, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return address
    lines = (line.partition(" ") for line in run.stdout.decode("utf-8", "replace").splitlines())
    options = {key: value for key, _, value in lines}
    name = options.get("hostname", host)
    if name.lower() == host.lower() or not _NAME.fullmatch(name):
        return address
    return f"ssh://{name}:{options.get('port', '22')}/{path}"
