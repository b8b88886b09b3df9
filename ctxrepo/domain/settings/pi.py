"""What pi-memory-md's settings say, as far as ctxrepo follows them: its keys, their aliases and defaults.

A value of a kind that it has no reading for counts as not set. In a session `enabled` and `delivery` are read
by agents/pi/own_settings.py, which is light.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from ctxrepo.domain.project.layout import GLOBAL
from ctxrepo.domain.settings.pi_tape import pi_tape
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.lazy import dataclass

SECTION = "pi-memory-md"
"""The key of pi's settings.json that all of it is under."""

AGENT = "pi"
"""The agent whose sessions they are about."""

DEFAULT_PATH = "~/.pi/memory-md"

MESSAGE = "message-append"
"""The delivery in which memory comes as a message; every other one stands for the system prompt."""

BRIDGE = "sessionBridge"
"""Its action that tells a session of the one before it."""

_REDIRECTING = ("repoUrl", "localPath", "memoryDir", "hooks", "autoSync")

MOMENTS: Mapping[str, tuple[str, ...]] = {
    "sessionStart": ("pull",),
    "sessionEnd": ("push",),
    "beforeAgentStart": (BRIDGE,),
}
"""Its moments of a session, with those of its actions that ctxrepo does then too."""


@dataclass(frozen=True)
class PiHooks:
    """Names of actions at each moment. `is_explicit`: somebody chose them, under the new name or the old."""

    session_start: tuple[str, ...] = ("pull",)
    session_end: tuple[str, ...] = ()
    is_explicit: bool = False


@dataclass(frozen=True)
class PiSettings:
    """Paths are absolute as far as they were so written; `global_folder` '' is no global memory.

    `names_path`: the folder was chosen and is not the default. `is_in_system_prompt`: what is delivered is to
    stand there. `has_tape`: anchors are kept, in the memory repository itself. `tape` is None where nothing
    is said of it. `odd` tells what ctxrepo doesn't do as it is said there, a sentence each.
    """

    enabled: bool = True
    repo_url: str = ""
    local_path: str = ""
    names_path: bool = False
    global_folder: str = ""
    is_in_system_prompt: bool = False
    hooks: PiHooks = field(default_factory=PiHooks)
    has_tape: bool = False
    tape: TapeSettings | None = None
    odd: tuple[str, ...] = ()


def pi_settings(section: Mapping[str, Any], home: str) -> PiSettings:
    """The settings in `section`; `home` is what `~` stands for."""
    folder, tape = _table(section.get("memoryDir")), section.get("tape")
    path = _text(section.get("localPath")) or _text(folder.get("localPath"))
    enabled = section.get("enabled", True) not in (None, False, 0, "")  # what JavaScript takes for false
    keeps_tape = bool(tape or tape == {}) and _table(tape).get("enabled") is not False
    return PiSettings(
        enabled=enabled,
        repo_url=_text(section.get("repoUrl")) or _text(folder.get("repoUrl")),
        local_path=expanded(path or DEFAULT_PATH, home),
        names_path=bool(path),
        global_folder=global_folder(folder.get("globalMemory")),
        is_in_system_prompt=_delivery(section) not in ("", MESSAGE),
        hooks=_hooks(section.get("hooks"), section.get("autoSync")),
        has_tape=enabled and keeps_tape and not _text(_table(tape).get("tapePath")),
        tape=pi_tape(section, _bridges(section)) if tape is not None else None,
        odd=tuple(_odd(section)),
    )


def _delivery(section: Mapping[str, Any]) -> str:
    """The way of delivery by its new name or its old one, '' where nobody chose one."""
    return next((v for k in ("delivery", "injection") if isinstance(v := section.get(k), str)), "")


def redirecting(section: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of a project's own `section` by which it would decide where memory is or what runs."""
    tape = _table(section.get("tape"))
    found = [key for key in _REDIRECTING if section.get(key) is not None]
    return (*found, "tape.tapePath") if tape.get("tapePath") is not None else tuple(found)


def global_folder(name: object) -> str:
    """The folder that a value of `memoryDir.globalMemory` means, '' for none: always one part of a path."""
    if not isinstance(name, str) or not name:
        return ""
    last = posixpath.basename(name.strip().rstrip("/"))
    return last if last.strip(".") else GLOBAL


def expanded(path: str, home: str) -> str:
    """`path` with a leading `~` as the home folder; nothing else in it stands for anything."""
    return posixpath.normpath(f"{home}/{path[1:]}") if path.startswith("~") else path


def _hooks(hooks: object, legacy: object) -> PiHooks:
    if hooks is not None:
        found = _table(hooks)
        if "onSessionStart" in found:
            return _hooks(None, found)
        return PiHooks(
            session_start=_actions(found.get("sessionStart"), ("pull",)),
            session_end=_actions(found.get("sessionEnd"), ()),
            is_explicit=bool(found),
        )
    if isinstance(legacy, dict):
        return PiHooks(() if legacy.get("onSessionStart") is False else ("pull",), is_explicit=True)
    return PiHooks()


def _bridges(section: Mapping[str, Any]) -> bool:
    return BRIDGE in _actions(_table(section.get("hooks")).get("beforeAgentStart"), ())


def _odd(section: Mapping[str, Any]) -> Iterator[str]:
    if _text(_table(section.get("tape")).get("tapePath")):
        yield "tape.tapePath names another place; ctxrepo keeps its anchors in the memory"
    hooks = _table(section.get("hooks"))
    for moment, known in MOMENTS.items():
        for action in _actions(hooks.get(moment), ()):
            if action not in known:
                yield f"hooks.{moment} names {action!r}, and ctxrepo knows only {known[0]!r} there"
    for moment in hooks.keys() - MOMENTS.keys() - {"onSessionStart"}:
        yield f"hooks has {moment!r}, which is no moment that ctxrepo knows"


def _actions(value: object, default: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(value, list):
        return default
    return tuple(stripped for v in value if isinstance(v, str) and (stripped := v.strip()))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
