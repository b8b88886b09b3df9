"""status: where the memory stands, without asking the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.errors import CtxrepoError
from ctxrepo.services.find import note_paths
from ctxrepo.services.project import Project
from ctxrepo.services.ready import readiness
from ctxrepo.services.review import declined, declined_entries, open_review
from ctxrepo.storage.git import redact
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Struck:
    """What reviewers struck out: under which local ref it is kept, since when, and its entries."""

    ref: str
    date: str
    entries: Sequence[str]


@dataclass(frozen=True)
class Status:
    """`waiting` counts acknowledged writes no commit holds yet, `ahead` and `behind` commits against what
    the remote was last seen to have, `fetched` is unix seconds (0: never)."""

    root: Path
    remote: str
    branch: str
    checked_out: str
    """The branch that the clone is on, '' when a person left it on none; else the same as `branch`."""
    project: Project | None
    notes: int
    waiting: int
    ahead: int
    behind: int
    fetched: float
    faults: Sequence[str]
    obstacle: str
    review: str = ""
    """The branch that waits for people to look at it."""
    declined: Sequence[Struck] = ()
    embedded: tuple[int, int] | None = None
    """How many of the texts of entries have vectors, and how many there are; None while words are enough."""


def status(memory: Memory, project: Project | None) -> Status:
    """What a person wants to know at a glance."""
    objects, clone = memory.objects, memory.clone
    here, there = objects.ref(clone.branch_ref), objects.ref(clone.upstream_ref)
    ahead, behind = objects.ahead_behind(here, there) if here and there else (0, 0)
    if here and not there and memory.has_remote:
        ahead = len(list(objects.new_commits(here, None)))
    try:
        clone.require_ready()
        obstacle = ""
    except CtxrepoError as error:
        obstacle = f"{error.message}. {error.hint}"
    current = open_review(memory)
    meaning = readiness(memory)
    struck = [Struck(d.ref, d.date, declined_entries(memory, d)) for d in declined(memory)]
    return Status(
        root=memory.root,
        remote=redact(memory.repository.remote),
        branch=clone.branch,
        checked_out=clone.checked_out(),
        project=project,
        notes=len(note_paths(memory)),
        waiting=len({write.id for write in memory.writes.read()}),
        ahead=ahead,
        behind=behind,
        fetched=memory.state.fetched.stat().st_mtime if memory.state.fetched.exists() else 0.0,
        faults=memory.cache.faults(),
        obstacle=obstacle,
        review=current.branch if current else "",
        declined=struck,
        embedded=(meaning.texts - meaning.behind, meaning.texts) if meaning.texts else None,
    )
