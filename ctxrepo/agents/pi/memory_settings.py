"""What pi's settings say of memory in its sessions: pi-memory-md's keys, aliases and defaults.

A value of a kind that it has no reading for counts as not set. In a session `enabled` and `delivery` are read
by dialect.py, which is light."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.documents import table
from ctxrepo.agents.pi.dialect import ENABLED, MESSAGE, PROJECT_FILE
from ctxrepo.domain.formats.jsonl import text_of, texts_in
from ctxrepo.domain.project.layout import GLOBAL, expanded
from ctxrepo.domain.settings.values import OwnHooks, OwnMemory, TapeSettings

PROGRAM = "pi-memory-md"

KEY = PROGRAM
"""The key of pi's settings.json that all of it is under."""

SILENCE = (PROJECT_FILE, ENABLED)

WRITES_ANCHORS_FILE = True
OFFERS_TAPE_TOOLS = True
ANCHOR_COMMAND = "/memory-anchor"

DEFAULT_PATH = "~/.pi/memory-md"

BRIDGE = "sessionBridge"
"""Its action that tells a session of the one before it."""

_REDIRECTING = ("repoUrl", "localPath", "memoryDir", "hooks", "autoSync")

MOMENTS: Mapping[str, tuple[str, ...]] = {
    "sessionStart": ("pull",),
    "sessionEnd": ("push",),
    "beforeAgentStart": (BRIDGE,),
}
"""Its moments of a session, with those of its actions that ctxrepo does then too."""

BRIDGE_SECONDS = 60
"""Its session bridge has no setting for this."""

_NEVER = (
    *("/proc", "/sys", "/dev", "/run", "/nix/store", "/snap", "/System"),
    *("C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)", "C:\\ProgramData"),
)
"""Folders that it leaves alone on Linux, macOS and Windows, whatever `excludeDirs` says."""


def file(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where pi keeps its settings for all projects: in PI_CODING_AGENT_DIR, else in the home."""
    path = environment.get("PI_CODING_AGENT_DIR", "")
    is_below_home = path == "~" or path.startswith("~/")
    folder = user_home / path[2:] if is_below_home else Path(path)
    return (folder if path else user_home / ".pi" / "agent") / "settings.json"


def read(fields: Mapping[str, Any], user_home: Path) -> OwnMemory | None:
    """What these settings say of memory; None where they say nothing. `user_home` is what `~` stands for."""
    section = fields.get(KEY)
    return memory_of(section, str(user_home)) if isinstance(section, dict) else None


def memory_of(section: Mapping[str, Any], home: str) -> OwnMemory:
    """What `section` says; `home` is what `~` stands for."""
    folder = table(section, "memoryDir")
    path = text_of(section, "localPath") or text_of(folder, "localPath")
    enabled = section.get("enabled", True) not in (None, False, 0, "")  # what JavaScript takes for false
    bridges = BRIDGE in _actions(table(section, "hooks").get("beforeAgentStart"), ())
    ways = (section.get(key) for key in ("delivery", "injection"))  # the new name, and the old one
    delivery = next((way for way in ways if isinstance(way, str)), "")
    tape = tape_settings(section, bridges)
    return OwnMemory(
        enabled=enabled,
        repo_url=text_of(section, "repoUrl") or text_of(folder, "repoUrl"),
        local_path=expanded(path or DEFAULT_PATH, home),
        names_path=bool(path),
        global_folder=global_folder(folder.get("globalMemory")),
        is_in_system_prompt=delivery not in ("", MESSAGE),
        hooks=_hooks(section),
        has_tape=enabled and tape.enabled and not text_of(table(section, "tape"), "tapePath"),
        tape=tape if section.get("tape") is not None else None,
        odd=tuple(_odd(section)),
    )


def redirecting(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys in a project's own settings by which it would decide where memory is or what runs."""
    section = table(fields, KEY)
    keys = [key for key in _REDIRECTING if section.get(key) is not None]
    return (*keys, "tape.tapePath") if table(section, "tape").get("tapePath") is not None else tuple(keys)


def global_folder(name: object) -> str:
    """The folder that a value of `memoryDir.globalMemory` means, '' for none: always one part of a path."""
    if not isinstance(name, str) or not name:
        return ""
    last = posixpath.basename(name.strip().rstrip("/"))
    return last if last.strip(".") else GLOBAL


def _hooks(section: Mapping[str, Any]) -> OwnHooks:
    if section.get("hooks") is not None:
        moments = table(section, "hooks")
        if "onSessionStart" in moments:
            return _hooks({"autoSync": moments})
        return OwnHooks(
            session_start=_actions(moments.get("sessionStart"), ("pull",)),
            session_end=_actions(moments.get("sessionEnd"), ()),
            is_explicit=bool(moments),
        )
    if isinstance(legacy := section.get("autoSync"), dict):
        return OwnHooks(() if legacy.get("onSessionStart") is False else ("pull",), is_explicit=True)
    return OwnHooks()


def _odd(section: Mapping[str, Any]) -> Iterator[str]:
    if text_of(table(section, "tape"), "tapePath"):
        yield "tape.tapePath names another place; ctxrepo keeps its anchors in the memory"
    hooks = table(section, "hooks")
    for moment, known in MOMENTS.items():
        for action in _actions(hooks.get(moment), ()):
            if action not in known:
                yield f"hooks.{moment} names {action!r}, and ctxrepo knows only {known[0]!r} there"
    for moment in hooks.keys() - MOMENTS.keys() - {"onSessionStart"}:
        yield f"hooks has {moment!r}, which is no moment that ctxrepo knows"


def _actions(value: object, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_texts(value)) if isinstance(value, list) else default


def tape_settings(section: Mapping[str, Any], bridges: bool) -> TapeSettings:
    """pi-memory-md's settings of the tape: on where `tape` doesn't say `enabled: false`. A value that it has
    no reading for counts as not set; `bridges` says that its hooks name the bridge."""
    tape, block = section.get("tape"), table(section, "tape")
    context, anchor = table(block, "context"), table(block, "anchor")
    keywords, label = table(anchor, "keywords"), text_of(anchor, "labelPrefix")
    default = TapeSettings()
    first, most = _scan(context.get("memoryScan"), (default.scan_hours, default.scan_hours_max))
    folders = [p for p in _texts(block.get("excludeDirs")) if p.startswith("/") or p[1:3] in (":\\", ":/")]
    return replace(
        default,
        enabled=bool(tape or tape == {}) and block.get("enabled") is not False,
        mode="manual" if anchor.get("mode") == "manual" else "auto",
        keywords=_distinct(w.lower() for k in ("global", "project") for w in _texts(keywords.get(k))),
        strategy="recent" if context.get("strategy") == "recent-only" else "smart",
        file_limit=_positive(context.get("fileLimit"), default.file_limit),
        scan_hours=first,
        scan_hours_max=most,
        whitelist=_distinct(p for k in ("alwaysInclude", "whitelist") for p in _texts(context.get(k))),
        blacklist=_distinct(_texts(context.get("blacklist"))),
        only_git=block.get("onlyGit") is not False,
        exclude_dirs=_distinct((*_NEVER, *folders)),
        bridge_seconds=BRIDGE_SECONDS if bridges else 0,
        tools=True,
        label_prefix=label if label.strip() else default.label_prefix,
    )


def _scan(value: object, default: tuple[int, int]) -> tuple[int, int]:
    pair = value if isinstance(value, list) and len(value) == 2 else default
    first, most = (_positive(hours, usual) for hours, usual in zip(pair, default, strict=True))
    return first, max(first, most)


def _positive(value: object, default: int) -> int:
    """Rounded down, as it does."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value < 1e9:
        return default
    return int(value)


def _texts(value: object) -> Iterable[str]:
    return filter(None, map(str.strip, texts_in(value)))


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
