"""Finds the project of a folder: from what is recorded, if that is certain, else by asking git."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ctxrepo.errors import Refused
from ctxrepo.services.locate.project import Location, Project
from ctxrepo.services.locate.recorded import recorded_location
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.folder_facts import FolderFacts, folder_facts


def find_location(
    memory: Memory, cwd: Path, env: Mapping[str, str], around: Callable[[], FolderFacts] | None = None
) -> Location:
    """What `cwd` is in, as `locate_with_git` would tell it. NoAnswer where `cwd` hangs.

    `around` gives the facts about `cwd`, if the caller has them already.
    """
    if not env.get("CTXREPO_PROJECT", "").strip():
        seen = around() if around else memory.outside.ask(cwd, lambda: folder_facts(cwd))
        if sure := recorded_location(memory, seen):
            return sure
    from ctxrepo.services.locate.look import locate_with_git  # asking git takes as long as a start of Python

    return locate_with_git(memory, cwd, env)


def find_project(
    memory: Memory, cwd: Path, env: Mapping[str, str], around: Callable[[], FolderFacts] | None = None
) -> Project | None:
    """The project `cwd` belongs to; None outside git, in the home folder's repository and in the clone.
    NoAnswer where `cwd` hangs.

    `env` may name it (CTXREPO_PROJECT). What is found is recorded for the hooks, which ask git nothing.
    Refused in a checkout that its user has to trust first.
    """
    here = find_location(memory, cwd, env, around)
    if here.is_withheld:
        raise Refused(here.claim, "If it is yours: `ctxrepo project trust`, in a terminal of your own.")
    return here.project
