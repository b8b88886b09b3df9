"""doctor: everything around the notes that keeps the memory from working, with what helps."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from ctxrepo.domain.paths import shown
from ctxrepo.domain.registry import REGISTRY_FILE
from ctxrepo.errors import CtxrepoError, Damaged, GitFailed
from ctxrepo.services.blocks import standings
from ctxrepo.services.connected import check
from ctxrepo.services.connection import Machine
from ctxrepo.services.damage import damage
from ctxrepo.services.project import read_registry
from ctxrepo.services.ready import EMBED, readiness
from ctxrepo.services.setup import present
from ctxrepo.services.unseen import unseen
from ctxrepo.storage.database import aside_of, is_sound
from ctxrepo.storage.git import committer, redact
from ctxrepo.storage.lock import is_held
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.runner import fallback, place
from ctxrepo.storage.stale import old_locks

FIX = "`ctxrepo doctor --fix`"

_OLDEST_GIT = (2, 30)

_MANY = 200
"""Files of one kind that are listed one by one."""
_LONGEST = 400
"""Characters of a log's line that are shown."""
_PATIENCE = 15.0
"""Seconds for looking through all objects."""


@dataclass(frozen=True)
class Finding:
    """A problem, and the command or deed that helps."""

    problem: str
    remedy: str


def doctor(memory: Memory, machine: Machine) -> list[Finding]:
    """All findings; nothing is changed and no network is asked."""
    around = (
        _git(memory),
        _clone(memory),
        _damage(memory),
        _unseen(memory),
        _state(memory),
        _meanings(memory),
        _blocks(memory),
    )
    return [finding for findings in (*around, _agents(machine)) for finding in findings]


def _git(memory: Memory) -> Iterator[Finding]:
    try:
        words, who = memory.git.ask("version"), committer(memory.git)
    except GitFailed:  # which the first question about the clone tells too
        return
    found = re.search(r"(\d+)\.(\d+)", words)
    if found and (int(found[1]), int(found[2])) < _OLDEST_GIT:
        yield Finding(f"{words.strip()} is old", "Install git 2.30 or newer.")
    if not who.name:
        yield Finding("git doesn't know your name", "Set user.name and user.email; commits bear them.")


def _clone(memory: Memory) -> Iterator[Finding]:
    try:
        memory.clone.require_ready()
    except Damaged:
        pass  # told below, with all that is damaged
    except CtxrepoError as error:
        yield Finding(error.message, error.hint)
    try:
        keys = memory.clone.foreign_keys(memory.git)
        there = memory.git.run("config", "--local", "remote.origin.url", timeout=10).out.strip()
    except GitFailed as error:
        yield Finding(error.message, error.hint or f"Look at {memory.clone.git_dir / 'config'}.")
        return
    for key in keys:
        yield Finding(
            f"the clone's configuration sets {key}; nothing is sent or received while it does",
            f"Look at it in {memory.clone.git_dir / 'config'}; {FIX} takes it out and keeps a copy.",
        )
    if there != memory.repository.remote:
        yield Finding(
            f"the clone's remote is {redact(there) or 'none'}, config.toml says "
            f"{redact(memory.repository.remote) or 'none'}",
            f"Make {memory.places.config_file} and the clone agree.",
        )


def _damage(memory: Memory) -> Iterator[Finding]:
    """What is spoiled in the git folder, or missing from it or from the folder it keeps."""
    for lock in old_locks(memory.clone):
        yield Finding(
            f"a git that is gone left {lock}", f"Unless one is at work there, {FIX} moves it aside."
        )
    try:
        for what in damage(memory, time.monotonic() + _PATIENCE):
            yield Finding(what, f"{FIX} mends it; nothing is deleted.")
    except TimeoutError:
        yield Finding(
            f"not all objects were looked at in {_PATIENCE:.0f} s", "`git fsck` there looks at all."
        )
    except CtxrepoError as error:
        yield Finding(error.message, error.hint)


def _unseen(memory: Memory) -> Iterator[Finding]:
    try:
        found = list(unseen(memory))
    except GitFailed:  # which was told by those who looked before
        return
    for path, why in found[:_MANY]:
        yield Finding(f"{shown(path)} is in the memory and not written here: {why}", "Remove it with git.")
    if len(found) > _MANY:
        yield Finding(
            f"{len(found) - _MANY} more files are not written here", "`git ls-tree -r HEAD` has all."
        )


def _state(memory: Memory) -> Iterator[Finding]:
    if problem := read_registry(memory).problem:
        yield Finding(problem, f"Mend {memory.root / REGISTRY_FILE}.")
    for warning in memory.settings.warnings:
        yield Finding(warning, "Mend config.toml.")
    for fault in memory.cache.faults():
        is_remote = fault == memory.remote_trouble()
        yield Finding(
            fault, "`ctxrepo sync` tries again." if is_remote else "`ctxrepo check` shows the places."
        )
    if not is_sound(memory.state.cache):
        yield Finding(f"{memory.state.cache} is torn", f"{FIX} makes it anew.")
    for file in memory.state.files:
        if file.exists() and not file.is_file():
            yield Finding(f"{file} is no file, and ctxrepo keeps one there", "Move it away.")
    for file in (memory.places.hooks_db, memory.state.cache, memory.state.vectors, memory.state.stamps):
        if aside_of(file).exists():
            yield Finding(
                f"a folder was where {file} belongs, and was moved aside", f"Look at {aside_of(file)}."
            )
    if memory.state.root.stat().st_mode & 0o077:
        yield Finding(f"{memory.state.root} can be read by others", f"`chmod 700 {memory.state.root}`")
    for file, what in ((memory.places.state / "hook-errors.log", "a hook"), (memory.state.log, "the worker")):
        if file.is_file() and (lines := file.read_text("utf-8", "replace").splitlines()):
            yield Finding(
                f"{what} met a problem: {lines[-1][:_LONGEST]}",
                f"All of them are in {file}; remove it when they are settled.",
            )


def _meanings(memory: Memory) -> Iterator[Finding]:
    now = readiness(memory)
    if now.missing:
        yield Finding(f"{now.missing}; prompts are answered by words alone", now.remedy)
    if now.behind and not is_held(memory.state.lock("warm")):  # else somebody is at it
        yield Finding(
            f"{now.behind} of {now.texts} texts of entries have no vectors yet",
            f"They get them in the background after the next commit or prompt; {EMBED} does it now.",
        )


def _blocks(memory: Memory) -> Iterator[Finding]:
    """Files that hold the packet and don't follow the memory."""
    again = "`ctxrepo file add` with its path puts the packet there again, `ctxrepo file remove` forgets it."
    for one in standings(memory):
        path = shown(str(one.block.path))
        if one.state == "stale":
            yield Finding(f"the packet in {path} is older than the memory", "`ctxrepo file refresh`")
        elif one.state == "damaged":
            remedy = "Take out what is left of them, then `ctxrepo file add` with its path."
            yield Finding(f"the markers of the packet in {path} are damaged: {one.why}", remedy)
        elif one.state == "missing":
            yield Finding(f"{path} held the packet and is gone", again)
        elif one.state == "without":
            yield Finding(f"somebody took the packet out of {path}", again)
        elif one.state == "unusable":
            yield Finding(f"the packet in {path} can't be brought up to date: {one.why}", again)


def _agents(machine: Machine) -> Iterator[Finding]:
    state = machine.places.state
    if fallback(state, machine.environment) is None:
        yield Finding(
            f"hooks have nothing to fall back to: {place(state)} is missing, or nothing it knows is there",
            f"Any command makes it anew; {state} must be writable for that.",
        )
    for name in present(machine):
        standing = check(name, machine)
        if standing.state == "absent":
            yield Finding(f"{name} is here and not connected", f"`ctxrepo setup {name}`")
        for finding in standing.findings:
            yield Finding(finding.problem, finding.remedy)
