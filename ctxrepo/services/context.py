"""context: exactly what a session start would deliver now."""

from __future__ import annotations

from contextlib import closing, nullcontext

from ctxrepo.hot.cache import open_cache
from ctxrepo.hot.compiled import open_hooks, settings_of
from ctxrepo.hot.start import render
from ctxrepo.services.project import Project
from ctxrepo.storage.memory import Memory


def context(memory: Memory, project: Project | None) -> str:
    """The block a session in this project would start with, '' when there is nothing to say.

    The cache must be up to date: call `commit` first, as the worker does.
    """
    hooks = open_hooks(str(memory.places.state))
    if hooks is None:
        return ""
    with closing(hooks):
        settings = settings_of(hooks, str(memory.places.state))
    if settings is None:
        return ""
    place = (project.id, project.folder if project.is_registered else "", True) if project else ("", "", True)
    cache = open_cache(str(memory.state.cache))
    with closing(cache) if cache else nullcontext():
        return render(cache, settings, place)[0]
