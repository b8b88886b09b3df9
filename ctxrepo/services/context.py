"""context: exactly what a session start would deliver now."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

from ctxrepo.errors import UsageError
from ctxrepo.hot.cache import faults_of, open_cache
from ctxrepo.hot.compiled import open_hooks, settings_of
from ctxrepo.hot.quiet import is_quiet
from ctxrepo.hot.start import render
from ctxrepo.services.preset_md import preset_md
from ctxrepo.services.project import Project
from ctxrepo.storage.memory import Memory

PRESETS: dict[str, Callable[[Memory, Project | None], str]] = {"md": preset_md}
"""What can be delivered instead of our own block."""


def context(
    memory: Memory, project: Project | None, folder: Path, preset: str = "", *, with_faults: bool = True
) -> str:
    """The block a session in this project would start with, '' when there is nothing to say.

    `folder` is where the session would be, which can ask for silence. UsageError when there is no such
    preset. The cache must be up to date: call `commit` first, as the worker does.
    """
    if preset not in ("", *PRESETS):
        raise UsageError(f"there is no preset {preset!r}", f"There is {' and '.join(PRESETS)}.")
    hooks = open_hooks(str(memory.places.state))
    if hooks is None:
        return ""
    with closing(hooks):
        if is_quiet(hooks, str(folder)):
            return ""
        settings = settings_of(hooks, str(memory.places.state))
    if settings is None:
        return ""
    if preset:
        return PRESETS[preset](memory, project)
    place = (project.id, project.folder if project.is_registered else "", True) if project else ("", "", True)
    cache = open_cache(str(memory.state.cache))
    with closing(cache) if cache else nullcontext():
        hidden = [] if with_faults or cache is None else faults_of(cache)
        return render(cache, settings, place, frozenset(key for key, _ in hidden))[0]
