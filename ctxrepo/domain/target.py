"""What a person names on the command line: `[SCOPE:]PATH` for a note, `^ID` for an entry."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctxrepo.domain.paths import note_path
from ctxrepo.errors import UsageError

GLOBAL = "global"
PROJECT = "project"

_ID = re.compile(r"\^([0-9a-z][0-9a-z_-]{0,63})\Z")


@dataclass(frozen=True)
class Target:
    """Either `entry_id`, or `path` relative to its scope; `scope` is '' when none was named."""

    scope: str = ""
    path: str = ""
    entry_id: str = ""


def parse_target(text: str) -> Target:
    """Read a TARGET; UsageError says which part can't be one."""
    if text.startswith("^"):
        return Target(entry_id=parse_id(text))
    scope, colon, path = text.rpartition(":")
    if colon and not scope:
        raise UsageError(f"{text!r} names no scope before its colon", "Write SCOPE:PATH or just PATH.")
    return Target(scope=scope, path=note_path(path))


def parse_destination(text: str) -> Target:
    """Read where something is to go; its path may be '' (`global:`) or end in `/` (`archive/`)."""
    if not text.endswith((":", "/")):
        return parse_target(text)
    stand_in = parse_target(f"{text}_.md")
    return Target(stand_in.scope, stand_in.path.removesuffix("_.md"))


def parse_id(text: str) -> str:
    """The id in `^id` or `id`."""
    match = _ID.match(text if text.startswith("^") else f"^{text}")
    if not match:
        raise UsageError(f"{text!r} is no entry id", "An id is ^ and 12 hex digits, as `remember` prints it.")
    return match[1]
