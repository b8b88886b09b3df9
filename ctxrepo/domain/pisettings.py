"""What pi-memory-md's settings say: its keys, their aliases and defaults, as that program reads them.

A value of a kind that it has no reading for counts as not set.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

SECTION = "pi-memory-md"
"""The key of pi's settings.json that all of it is under."""

DEFAULT_PATH = "~/.pi/memory-md"
GLOBAL_FOLDER = "global"
SCAN_HOURS = (72, 168)

_BUILT_IN_EXCLUDES = {
    "linux": ("/proc", "/sys", "/dev", "/run", "/nix/store", "/snap"),
    "darwin": ("/System",),
    "win32": ("C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)", "C:\\ProgramData"),
}
_REDIRECTING = ("repoUrl", "localPath", "memoryDir", "hooks", "autoSync")


@dataclass(frozen=True)
class PiTape:
    """The tape's settings; `path` '' is the folder TAPE of the memory repository."""

    enabled: bool = False
    only_git: bool = True
    exclude_dirs: tuple[str, ...] = ()
    strategy: str = "smart"
    file_limit: int = 10
    scan_hours: tuple[int, int] = SCAN_HOURS
    whitelist: tuple[str, ...] = ()
    blacklist: tuple[str, ...] = ()
    anchor_mode: Literal["auto", "manual"] = "auto"
    label_prefix: str = "⚓ "
    global_keywords: tuple[str, ...] = ()
    project_keywords: tuple[str, ...] = ()
    path: str = ""


@dataclass(frozen=True)
class PiHooks:
    """Names of actions at each moment. `is_explicit`: somebody chose them, under the new name or the old."""

    session_start: tuple[str, ...] = ("pull",)
    session_end: tuple[str, ...] = ()
    before_agent_start: tuple[str, ...] = ()
    is_explicit: bool = False


@dataclass(frozen=True)
class PiSettings:
    """Paths are absolute as far as they were so written; `global_folder` '' is no global memory.

    `names_path`: the folder was chosen and is not the default.
    """

    enabled: bool = True
    repo_url: str = ""
    local_path: str = ""
    names_path: bool = False
    global_folder: str = ""
    delivery: str = "message-append"
    hooks: PiHooks = field(default_factory=PiHooks)
    tape: PiTape = field(default_factory=PiTape)


def pi_settings(section: Mapping[str, Any], home: str, platform: str) -> PiSettings:
    """The settings in `section`; `home` is what `~` stands for, `platform` as `sys.platform` spells it."""
    folder = _table(section.get("memoryDir"))
    path = _text(section.get("localPath")) or _text(folder.get("localPath"))
    # An empty text is a choice here, as it is for the program itself.
    delivery = next((v for k in ("delivery", "injection") if isinstance(v := section.get(k), str)), None)
    return PiSettings(
        enabled=bool(section.get("enabled", True)),
        repo_url=_text(section.get("repoUrl")) or _text(folder.get("repoUrl")),
        local_path=expanded(path or DEFAULT_PATH, home),
        names_path=bool(path),
        global_folder=global_folder(folder.get("globalMemory")),
        delivery="message-append" if delivery is None else delivery,
        hooks=_hooks(section.get("hooks"), section.get("autoSync")),
        tape=_tape(section.get("tape"), home, platform),
    )


def narrowed(settings: PiSettings, section: Mapping[str, Any], home: str) -> PiSettings:
    """`settings` in a project whose own file holds `section`: it can take away and never add."""
    tape = _table(section.get("tape"))
    context = _table(tape.get("context"))
    known = settings.tape
    limit = _number(context.get("fileLimit"))
    return replace(
        settings,
        enabled=settings.enabled and bool(section.get("enabled", True)),
        tape=replace(
            known,
            enabled=known.enabled and tape.get("enabled") is not False,
            only_git=known.only_git or tape.get("onlyGit") is True,
            exclude_dirs=_unique([*known.exclude_dirs, *_absolute(tape.get("excludeDirs"), home)]),
            file_limit=known.file_limit if limit is None else min(known.file_limit, limit),
            blacklist=_unique([*known.blacklist, *_texts(context.get("blacklist"))]),
        ),
    )


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
    return last if last.strip(".") else GLOBAL_FOLDER


def expanded(path: str, home: str) -> str:
    """`path` with a leading `~` as the home folder; nothing else in it stands for anything."""
    return posixpath.normpath(f"{home}/{path[1:]}") if path.startswith("~") else path


def _hooks(hooks: object, legacy: object) -> PiHooks:
    if hooks is not None:
        found = _table(hooks)
        return PiHooks(
            session_start=_actions(found.get("sessionStart"), ("pull",)),
            session_end=_actions(found.get("sessionEnd"), ()),
            before_agent_start=_actions(found.get("beforeAgentStart"), ()),
            is_explicit=bool(found),
        )
    if isinstance(legacy, dict):
        return PiHooks(() if legacy.get("onSessionStart") is False else ("pull",), is_explicit=True)
    return PiHooks()


def _actions(value: object, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(v.strip() for v in _texts(value)) if isinstance(value, list) else default


def _tape(value: object, home: str, platform: str) -> PiTape:
    found = _table(value)
    context, anchor = _table(found.get("context")), _table(found.get("anchor"))
    keywords = _table(anchor.get("keywords"))
    strategy, limit = context.get("strategy"), _number(context.get("fileLimit"))
    label = _text(anchor.get("labelPrefix"))
    built_in = _BUILT_IN_EXCLUDES.get(platform, ())
    return PiTape(
        enabled=bool(value or value == {}) and found.get("enabled") is not False,
        only_git=found.get("onlyGit") is not False,
        exclude_dirs=_unique([*built_in, *_absolute(found.get("excludeDirs"), home)]),
        strategy=strategy if strategy == "recent-only" else "smart",
        file_limit=10 if limit is None else limit,
        scan_hours=_scan_hours(context.get("memoryScan")),
        whitelist=_unique([*_texts(context.get("alwaysInclude")), *_texts(context.get("whitelist"))]),
        blacklist=_unique(_texts(context.get("blacklist"))),
        anchor_mode="manual" if anchor.get("mode") == "manual" else "auto",
        label_prefix=label if label.strip() else "⚓ ",
        global_keywords=_unique(_lower(keywords.get("global"))),
        project_keywords=_unique(_lower(keywords.get("project"))),
        path=expanded(_text(found.get("tapePath")), home),
    )


def _scan_hours(value: object) -> tuple[int, int]:
    first, last = (_number(v) for v in [*(value if isinstance(value, list) else []), None, None][:2])
    start = first or SCAN_HOURS[0]
    return start, max(start, last or SCAN_HOURS[1])


def _number(value: object) -> int | None:
    """A number above 0, its fraction cut off; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return math.floor(value) if math.isfinite(value) and value > 0 else None


def _absolute(value: object, home: str) -> list[str]:
    paths = [expanded(path, home) for path in _texts(value)]
    return [path for path in paths if path.startswith("/") or path[1:3] in (":\\", ":/")]


def _texts(value: object) -> list[str]:
    found = [v.strip() for v in value if isinstance(v, str)] if isinstance(value, list) else []
    return [v for v in found if v]


def _lower(value: object) -> list[str]:
    return [text.lower() for text in _texts(value)]


def _unique(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
