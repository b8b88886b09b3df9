"""What single pieces of a hook's work take in a process in which all of it is warm."""

from __future__ import annotations

import _sqlite3
import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from statistics import median

from checkout import PAYLOADS

from bench.corpus import PER_PROJECT, Author
from bench.hooks import PROJECT, code_of
from bench.person import Person
from ctxrepo.agents.claude.dialect import DIALECT as CLAUDE
from ctxrepo.hooks.dialect import Event, TouchedFile, extract_fields, object_text
from ctxrepo.hooks.known.cached import faults_of, open_cache
from ctxrepo.hooks.known.freshness import news
from ctxrepo.hooks.known.locate import SessionFolder, folders_of, place_of
from ctxrepo.hooks.known.world import Repo, open_hooks, world_of
from ctxrepo.hooks.own_files import append
from ctxrepo.hooks.packet.packet import render
from ctxrepo.hooks.recall.prompt_query import find
from ctxrepo.hooks.saves import names_in, save, version_of
from ctxrepo.hooks.wakeup import spool, start_worker

_TIMES = 60
_TRUE = "/bin/true"
"""In place of a worker."""


def pieces(person: Person) -> Iterator[str]:
    """Lines of a table: a piece, its CPU time and its wall time in bare starts."""
    state, bare = str(person.state), _bare_start()
    yield _line("two databases opened, read, closed", lambda: _databases(state), bare)
    db = open_hooks(state)
    world = world_of(db, state) if db else None
    notes = open_cache(f"{world.repo.state}/cache.db") if world else None
    assert db is not None
    assert world is not None
    assert notes is not None
    raw = (PAYLOADS / "UserPromptSubmit.json").read_bytes()
    fields = extract_fields(db, object_text(raw), CLAUDE.fields)
    event = Event("claude", "Stop", fields)
    code = str(code_of(person))
    place = place_of(db, world, SessionFolder(code))
    first = PROJECT * PER_PROJECT
    prompts = cycle([Author().prompt(first + number) for number in range(1, _TIMES)])
    scratch = str(person.home / "scratch")
    os.makedirs(scratch)
    aside = Repo("", "", scratch)
    saved = Repo("", "", f"{scratch}/saved")
    os.makedirs(saved.state)

    measured: dict[str, Callable[[], object]] = {
        "the event's JSON": lambda: extract_fields(db, object_text(raw), CLAUDE.fields),
        "an answer's JSON": lambda: CLAUDE.reply(db, "UserPromptSubmit", "x" * 2500),
        "a line of the spool": lambda: spool(db, aside, "stop", event),
        "a line that the disk has": lambda: append(f"{scratch}/x", "x\n", 1 << 20, durable=True),
        "a version that the disk has": lambda: _save(db, saved, event),
        "which project": lambda: place_of(db, world, SessionFolder(code)),
        "whether memory was changed by hand": lambda: news(world, notes, place.scopes),
        "a prompt searched": lambda: find(notes, next(prompts), folders_of(place.scopes), 4),
        "a packet rendered": lambda: render(notes, world, place, world.packet_budget),
        "a worker started": lambda: start_worker(_TRUE, scratch, world.repo.state),
    }
    for name, act in measured.items():
        yield _line(name, act, bare)
    notes.close()
    db.close()


def _databases(state: str) -> None:
    """As a tool hook has them, which nobody else has open."""
    db = open_hooks(state)
    world = world_of(db, state) if db else None
    notes = open_cache(f"{world.repo.state}/cache.db") if world else None
    assert db is not None
    assert notes is not None
    faults_of(notes)
    notes.close()
    db.close()


def _save(db: _sqlite3.Connection, repo: Repo, event: Event) -> None:
    """Put this file into the journal as a version, and forget the one before: few wait for a commit."""
    version = version_of(repo, TouchedFile(__file__, "[]", ""), "shop/a.md")
    assert version is not None
    assert save(db, repo, event, version) == ""
    *before, _ = names_in(f"{repo.state}/journal")
    for name in before:
        os.unlink(f"{repo.state}/journal/{name}")


def _line(name: str, act: Callable[[], object], bare: float) -> str:
    cpu, wall = _took(act)
    return f"| {name} | {cpu / bare:.3f} | {wall / bare:.3f} |"


def _took(act: Callable[[], object]) -> tuple[float, float]:
    """(CPU seconds of this process, wall seconds), medians."""
    rows = []
    for _ in range(_TIMES):
        cpu, wall = time.process_time(), time.perf_counter()
        act()
        rows.append((time.process_time() - cpu, time.perf_counter() - wall))
    return median(row[0] for row in rows), median(row[1] for row in rows)


def _bare_start() -> float:
    """CPU seconds of `python -c pass`."""
    took = []
    for _ in range(20):
        child = os.posix_spawn(sys.executable, [sys.executable, "-c", "pass"], dict(os.environ))
        used = os.wait4(child, 0)[2]
        took.append(used.ru_utime + used.ru_stime)
    return median(took)
