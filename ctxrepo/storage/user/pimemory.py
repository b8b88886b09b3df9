"""Reads pi-memory-md's settings where pi keeps them; a file that can't be read is told, and is as empty."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxrepo.domain.settings.pi import SECTION, PiSettings, pi_settings, redirecting
from ctxrepo.hooks.known.pi_switch import project_file
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read_object
from ctxrepo.storage.user.places import Places, pi_settings_file


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
    found = read_object(file)
    section = (found.fields or {}).get(SECTION)
    return (section if isinstance(section, dict) else None), found.trouble
