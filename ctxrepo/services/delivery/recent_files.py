"""The files of each project that agents touched last: they go from the access log into the cache."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from ctxrepo.agents import only_reads
from ctxrepo.domain.tape.focus import MOST_FILES, Touch, focus, ranked
from ctxrepo.storage.cache.rows import digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.accesslog import AccessLog
from ctxrepo.storage.state.compiled import CompiledCheckout, read_checkouts

MOST_ACCESSES = 4000
"""How many of the newest lines of the log count."""

_LOOKED_AT = 100
"""Files of a project of which it is asked whether they are still there."""


def update_recent_files(memory: Memory) -> bool:
    """Update the cache's list of recently touched files from the access log. False where nothing has changed
    since the last time."""
    may_doubt = memory.settings.project.trust == "open"
    known = read_checkouts(memory.places.state)
    checkouts = [c for c in known if c.project and (may_doubt or not c.claim)]
    log = AccessLog(memory.state.access)
    stamp = f"{log.stamp} {digest_of(repr([(c.top, c.project) for c in checkouts]))}"
    if memory.cache.recent_stamp == stamp:
        return False
    touches = _touches(log)
    real = _real(memory, touches, [c.top for c in checkouts])
    found = _by_project(touches, checkouts, os.path.realpath(memory.root), real)
    memory.cache.set_recent({project: _files(tops) for project, tops in found.items()}, stamp)
    return True


def _touches(log: AccessLog) -> list[Touch]:
    """What was done to files, the oldest first."""
    newest = islice(log.newest(), MOST_ACCESSES)
    found = [Touch(a.at, a.path, not only_reads(a.agent, a.tool), a.ranges) for a in newest]
    return found[::-1]


def _real(memory: Memory, touches: Sequence[Touch], tops: Sequence[str]) -> dict[str, str]:
    """path -> the path without links of each file that is still there; a folder that hangs has none."""

    def folder(path: str) -> Path:
        return next((Path(top) for top in tops if _is_below(path, top)), Path(path).parent)

    found = memory.outside.ask_each(dict.fromkeys(touch.path for touch in touches), _found, folder)
    return {path: real for path, real in found if real}


def _found(path: str) -> str:
    return os.path.realpath(path) if os.path.isfile(path) else ""


def _by_project(
    touches: Sequence[Touch], checkouts: Sequence[CompiledCheckout], memory: str, real: Mapping[str, str]
) -> Mapping[str, dict[tuple[str, str], list[Touch]]]:
    """Project -> (top of a checkout, path below it) -> what was done to that file, oldest first."""
    projects = {c.top: c.project for c in checkouts}
    homes: dict[str, tuple[str, str]] = {}
    found: dict[str, dict[tuple[str, str], list[Touch]]] = {}
    for touch in (touch for touch in touches if touch.path in real):
        if touch.path not in homes:
            file = real[touch.path]
            top = "" if _is_below(file, memory) else _top_of(file, projects)
            homes[touch.path] = (top, os.path.relpath(file, top) if top else "")
        place = homes[touch.path]
        if place[0]:
            found.setdefault(projects[place[0]], {}).setdefault(place, []).append(touch)
    return found


def _top_of(path: str, projects: Mapping[str, str]) -> str:
    """The nearest checkout that `path` is in, or ''."""
    while (parent := os.path.dirname(path)) != path:
        path = parent
        if path in projects:
            return path
    return ""


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _files(touched: Mapping[tuple[str, str], Sequence[Touch]]) -> list[tuple[str, str]]:
    """(path below the checkout's top, lines) of the files; of one that several checkouts have the one that
    matters most."""
    keys = {f"{top}/{path}": (top, path) for top, path in touched}
    touches = [
        Touch(touch.at, name, touch.is_edit) for name, place in keys.items() for touch in touched[place]
    ]
    found: dict[str, str] = {}
    for name in ranked(touches)[:_LOOKED_AT]:
        place = keys[name]
        if len(found) < MOST_FILES and place[1] not in found:
            found[place[1]] = ", ".join(focus(touched[place]))
    return list(found.items())
