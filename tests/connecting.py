"""Builders for tests of `setup`: settings files as people have them, and the ways there and back."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from machines import Machine as Desk

from ctxrepo.agents.hook_line import is_ours
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine

SETTINGS = Path(__file__).parent / "fixtures/claude-settings"


def fixture(name: str) -> bytes:
    """The settings file of this name."""
    return (SETTINGS / f"{name}.json").read_bytes()


def named(prefix: str = "") -> list[str]:
    """The settings files whose names begin so; without a prefix, those that are anybody's but ours."""
    names = sorted(p.name.removesuffix(".json") for p in SETTINGS.glob(f"{prefix}*.json"))
    return [n for n in names if "." not in n and (prefix or not n.startswith(("ours-", "refused-")))]


BLANK: dict[str, bytes | None] = {
    "absent": None,
    "empty": b"",
    "blank": b" \n\n",
    "empty object": b"{}",
    "empty object on two lines": b"{\n}\n",
    "only a byte order mark": b"\xef\xbb\xbf",
    "empty hooks": b'{\n    "hooks": {},\n    "model": "opus"\n}\n',
    "empty list": b'{"hooks": {"Stop": [ ]}}\n',
}
"""Settings that say next to nothing."""

FILES: dict[str, bytes | None] = {**BLANK, **{name: fixture(name) for name in named()}}


def put(path: Path, data: bytes | None, mode: int = 0o644) -> None:
    """Make the file, and the folders above it; None makes only these."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if data is not None:
        path.write_bytes(data)
        path.chmod(mode)


def workplace(machine: Desk, **env: str) -> Machine:
    """What a face knows of the machine of a person."""
    return Machine(machine.places, {**machine.env, **env}, Path(sys.executable))


def connect(machine: Machine) -> None:
    setup.apply(setup.plan("claude", machine))


def disconnect(machine: Machine) -> None:
    setup.apply(setup.removal("claude", machine))


def loaded(data: bytes | None) -> dict[str, Any]:
    """What these bytes say to an agent."""
    settings: dict[str, Any] = json.loads((data or b"").decode("utf-8-sig").strip() or "{}")
    return settings


def theirs(data: bytes | None) -> dict[str, Any]:
    """What they say beside our hooks: a group that held nothing else is left out, and so are empty lists."""
    settings = loaded(data)
    hooks = settings.pop("hooks", {})
    lists = {
        event: [g for g in map(_without_ours, groups or ()) if g != {}] for event, groups in hooks.items()
    }
    return {**settings, "hooks": {event: groups for event, groups in lists.items() if groups}}


def ours(data: bytes | None) -> dict[str, list[Any]]:
    """Our hooks in them, by event."""
    hooks: dict[str, list[Any]] = {}
    for event, groups in loaded(data).get("hooks", {}).items():
        for group in groups or ():
            for hook in _hooks(group):
                if _is_ours(hook):
                    hooks.setdefault(event, []).append(hook)
    return hooks


def everything(home: Path) -> dict[str, bytes | None]:
    """Every file and folder below the home but the config folder itself."""
    files = {str(p.relative_to(home)): p.read_bytes() if p.is_file() else None for p in home.rglob("*")}
    return {p: data for p, data in files.items() if p not in (".config", ".config/ctxrepo")}


def _without_ours(group: Any) -> Any:
    if not any(_is_ours(hook) for hook in _hooks(group)):
        return group
    left = [hook for hook in _hooks(group) if not _is_ours(hook)]
    return {**group, "hooks": left} if left else {}


def _hooks(group: Any) -> Iterator[Any]:
    inner = group.get("hooks") if isinstance(group, dict) else None
    yield from inner if isinstance(inner, list) else ()


def _is_ours(hook: Any) -> bool:
    words = [hook.get("command"), *hook.get("args", [])] if isinstance(hook, dict) else []
    return is_ours(" ".join(map(str, words)), "claude")
