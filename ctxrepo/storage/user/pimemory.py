"""Reads pi-memory-md's settings where pi keeps them; a file that can't be read is told, and is as empty."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.settings.pi import SECTION, PiSettings, pi_settings, redirecting
from ctxrepo.errors import Unreadable
from ctxrepo.hooks.known.pi_switch import project_file
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk import outside
from ctxrepo.storage.user.places import Places, pi_settings_file

MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class PiMemory:
    """`settings` is None where pi's settings say nothing of pi-memory-md; `file` is where they are."""

    file: Path
    settings: PiSettings | None
    warnings: tuple[str, ...] = ()


def read_pi(places: Places, env: Mapping[str, str]) -> PiMemory:
    """What pi's own settings, those for all projects, say of pi-memory-md."""
    file = pi_settings_file(env, places.user_home)
    section, warning = _section(file)
    settings = None if section is None else pi_settings(section, str(places.user_home))
    return PiMemory(file, settings, (warning,) if warning else ())


def keeps_tape(places: Places, env: Mapping[str, str], root: Path) -> bool:
    """Whether pi-memory-md, as it is set up on this machine, keeps its anchors in the clone at `root`."""
    pi = read_pi(places, env).settings
    return pi is not None and pi.has_tape and os.path.realpath(pi.local_path) == os.path.realpath(root)


def redirections(folder: Path) -> tuple[str, ...]:
    """Warnings about what the settings of the project in `folder`, which is not searched upwards, ask for.

    Whoever is cloned can write that file: it decides neither where memory is nor what runs.
    """
    file = Path(project_file(str(folder)))
    section, warning = _section(file)
    warnings = [warning] if warning else []
    if keys := redirecting(section or {}):
        warnings.append(f"{file} says {', '.join(keys)}: a project can't decide that, and it is ignored")
    return tuple(warnings)


def _section(file: Path) -> tuple[dict[str, Any] | None, str]:
    """What is under pi-memory-md's key, None when there is no such key; and a warning or ''."""
    try:
        data = outside.read(file, MAX_BYTES)
        text = "" if data is None else data.decode("utf-8")
    except Unreadable as error:
        return None, f"{error.message}; it counts as empty"
    except UnicodeDecodeError as error:
        return None, f"{outside.shown(file)} can't be read and counts as empty: {error}"
    if data is None:
        return None, ""
    found = record(text)
    if found is None:
        return None, f"{file} isn't a JSON object and counts as empty"
    section = found.get(SECTION)
    return (section if isinstance(section, dict) else None), ""
