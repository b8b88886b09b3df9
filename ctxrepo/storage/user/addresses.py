"""Where an address of git's leads on this machine, by what its user told git and ssh; no network is asked."""

import re
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.lazy import lazy_pattern

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
    from ctxrepo.storage.isolated.owngit import configurations

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
        done = subprocess.run(
            command, env=known, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return address
    lines = (line.partition(" ") for line in done.stdout.decode("utf-8", "replace").splitlines())
    said = {key: value for key, _, value in lines}
    name = said.get("hostname", host)
    if name.lower() == host.lower() or not _NAME.fullmatch(name):
        return address
    return f"ssh://{name}:{said.get('port', '22')}/{path}"
