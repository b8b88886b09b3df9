"""Blocks in files that a person named hold the packet and follow the memory; nothing else in them changes.
Also, which settings keep the packet from every session."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from ctxrepo.agents import dialect_of
from ctxrepo.agents.known import AGENTS
from ctxrepo.domain.text import SHORT_OVERHEAD
from ctxrepo.domain.working.managed import MarkersDamaged, cut, has_block, put
from ctxrepo.errors import Busy, CtxrepoError, NotFound, Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.delivery.start_packet import Start, context
from ctxrepo.services.faults.finding import Finding
from ctxrepo.services.locate.identify import Project, project_by_now, read_registry
from ctxrepo.services.locate.look import checkout_at, find_project
from ctxrepo.services.setup.setup import diff_of
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.state.compiled import read_checkouts
from ctxrepo.storage.user.code import Tracking, tracking
from ctxrepo.storage.user.receipt import BlockFile, Blocks, FileBlock

MAX_BYTES = 1024 * 1024
"""No agent reads a larger file as its instructions."""

_LOCK_SECONDS = 5.0

State = Literal["current", "stale", "damaged", "without", "missing", "unusable", "busy"]


@dataclass(frozen=True)
class BlockState:
    """A block and how it stands in its file; `why` says what is wrong where it is `damaged` or `unusable`."""

    block: FileBlock
    state: State
    why: str = ""


@dataclass(frozen=True)
class AddResult:
    """The block, the `diff` of its file, '' where it stood there already, and whether git tracks the file."""

    block: FileBlock
    diff: str
    tracking: Tracking


def default_file(memory: Memory, folder: Path, name: str) -> Path:
    """The file of this name at the top of the checkout that `folder` is in."""
    code = checkout_at(memory, folder, "share")
    if code is None:
        raise UsageError("the current folder is in no checkout", "Name the file: `ctxrepo file add PATH`.")
    return code.top / name


def add(memory: Memory, path: Path, env: Mapping[str, str], *, is_trial: bool = False) -> AddResult:
    """Put the block into the file at `path`, which may be new; a trial writes nothing. Refused for a file
    that isn't the user's to hold one. The cache must be up to date."""
    path = _target(memory, path)
    project = find_project(memory, path.parent, env)
    with _blocks_locked(memory) as file:
        blocks = file.read()
        known = blocks.at(path)
        data = _data(memory, path)
        had_block = _has_block(path, data)
        placed = put(data or b"", _text(memory, project, path))
        glue, is_new = (known.glue, known.is_new) if known and had_block else (placed.glue, data is None)
        identity, own = (project.id, project.checkout_id) if project else ("", "")
        block = FileBlock(path, identity, glue, is_new, own=own)
        change = Change(path, data, placed.data)
        if not is_trial:
            file.write(blocks.with_(block))  # first the way back: what a crash leaves then can be removed
            try:
                if change.after != change.before:
                    _apply(memory, change)
            except CtxrepoError:
                file.write(blocks)
                raise
    track = memory.outside.ask(path.parent, partial(tracking, path, memory.env))
    return AddResult(block, diff_of(change) if placed.data != data else "", track)


def remove(memory: Memory, path: Path) -> bool:
    """Take the block out of a file, and remove a file that was made for it and holds nothing else; returns
    whether there was one. NotFound for a file that neither holds one nor is recorded to."""
    literal, path = Path(os.path.normpath(path)), Path(os.path.realpath(path))
    with _blocks_locked(memory) as file:
        blocks = file.read()
        if literal != path and blocks.at(literal):  # a link has come in its place, and the block went
            file.write(blocks.without(literal))
            return False
        known = blocks.at(path)
        data = _data(memory, path)
        had_block = _has_block(path, data)
        if not known and not had_block:
            raise NotFound(f"{path} holds no block of ctxrepo's", "`ctxrepo file list` shows those that do.")
        if data is not None and had_block:
            rest = cut(data, known.glue if known else b"")
            was_made_for_it = bool(known and known.is_new and not rest)
            _apply(memory, Change(path, data, None if was_made_for_it else rest))
        file.write(blocks.without(path))
    return had_block


def states_of_blocks(memory: Memory) -> list[BlockState]:
    """The state of each block; nothing is changed."""
    return [_state(memory, block)[0] for block in _file(memory).read().known]


def renew(memory: Memory, now: datetime, *, always: bool = False) -> list[BlockState]:
    """Bring all blocks up to date with the cache; returns how they stood before: a renewed one is `stale`.
    Unless `always`, nothing is done while memory, settings and day are those of the last time."""
    if not _file(memory).file.exists() or memory.cache.head != memory.head:
        return []
    # What the text depends on: the memory, the settings, and the day here and in UTC.
    days = f"{now:%Y-%m-%d} {now.astimezone():%Y-%m-%d}"
    blocks, stamp = _file(memory).read(), f"{memory.cache.head} {memory.settings_stamp} {days}"
    if not blocks.known or (blocks.seen == stamp and not always):
        return []
    # No lock is held here: the files are other people's, and their folders may hang.
    states = {block: _renewed(memory, block) for block in blocks.known}
    with _blocks_locked(memory) as file:
        # A block that came or changed meanwhile has seen nothing yet.
        blocks = file.read()
        known = [
            replace(states[b].block, trouble=_trouble(states[b])) if b in states else b for b in blocks.known
        ]
        is_done = all(block in states and states[block].state != "busy" for block in blocks.known)
        file.write(Blocks(tuple(known), stamp if is_done else ""))
    return list(states.values())


def _renewed(memory: Memory, block: FileBlock) -> BlockState:
    state, change = _state(memory, block)
    if change is not None:
        try:
            _apply(memory, change)
        except Busy:  # a person is at it, whose edit stays; the next round looks again
            return BlockState(block, "busy")
        except CtxrepoError as error:
            return BlockState(block, "unusable", error.message)
    return state


def _state(memory: Memory, block: FileBlock) -> tuple[BlockState, Change | None]:
    """How a block stands, and the change that would bring it up to date, if one can."""
    path = block.path
    try:
        if memory.outside.ask(path.parent, partial(os.path.realpath, path)) != str(path):
            return BlockState(block, "unusable", "there is a link on the way to it now"), None
        data = _data(memory, path)
        if data is None:
            return BlockState(block, "missing"), None
        if not has_block(data):
            return BlockState(block, "without"), None
        registry, block = read_registry(memory), _of_checkout(memory, block)
        project = project_by_now(memory, registry, block.own, block.project) if block.project else None
        block = replace(block, project=project.id if project else "")
        after = put(data, _text(memory, project, path)).data
    except MarkersDamaged as error:
        return BlockState(block, "damaged", str(error)), None
    except CtxrepoError as error:
        return BlockState(block, "unusable", error.message), None
    if after == data:
        return BlockState(block, "current"), None
    return BlockState(block, "stale"), Change(path, data, after)


def _of_checkout(memory: Memory, block: FileBlock) -> FileBlock:
    """The block with the project that its checkout was last found to be: with another address it is another
    project, whose file must not show the memory of the former one."""
    rows = [row for row in read_checkouts(memory.places.state) if block.path.is_relative_to(row.top)]
    row = max(rows, key=lambda row: len(row.top), default=None)
    if row is None or row.own in ("", block.own):
        return block
    return replace(block, own=row.own, project="" if row.claim else row.project)


_DEFAULTS = "`ctxrepo config unset {}` gives them what is usual."


def settings_that_withhold(memory: Memory, folder: Path) -> Iterator[Finding]:
    """A finding for each setting that keeps from sessions what they would be given; `folder` is where one
    starts."""
    delivery, recall = memory.settings.delivery, memory.settings.recall
    if context(memory, None, Start(folder)).is_too_small:
        most = delivery.budget_bytes
        what = f"delivery.budget_bytes is {most}, into which nothing fits, so no session is given a block"
        yield Finding(what, _DEFAULTS.format("delivery.budget_bytes"), "warning")
    if delivery.mode == "file" and not states_of_blocks(memory):
        what = "delivery.mode is file and no file holds the block, so sessions start with nothing"
        yield Finding(what, "`ctxrepo file add` puts it into one that your agent reads.", "warning")
    if delivery.mode == "system":
        dialects = {agent.title: dialect_of(name) for name, agent in AGENTS.items()}
        able = [title for title, dialect in dialects.items() if dialect and "system" in dialect.own_modes]
        only = f"which only {' and '.join(able)} carries out by itself"
        what = f"delivery.mode is system, {only}: others start with nothing"
        yield Finding(what, "Start them with what `ctxrepo context` prints in the system prompt.", "note")
    if delivery.mode == "pull" and not delivery.preamble:
        what = "delivery.mode is pull, which gives the rules alone, and delivery.preamble leaves those out"
        yield Finding(what, _DEFAULTS.format("delivery.preamble"), "warning")
    if recall.enabled and (not recall.limit or recall.budget_bytes <= SHORT_OVERHEAD):
        key = "recall.budget_bytes" if recall.limit else "recall.limit"
        what = f"{key} lets no entry through, so prompts are given none"
        yield Finding(what, _DEFAULTS.format(key), "warning")


def _trouble(state: BlockState) -> str:
    """What a fault says of a block that can't be renewed; '' for any other."""
    path = state.block.path
    if state.state == "damaged":
        return (
            f"{path} is left as it is, for the markers of its block are damaged: {state.why}. "
            "Take out what is left of them, then `ctxrepo file add` with its path"
        )
    return f"the block in {path} stays as it was: {state.why}" if state.state == "unusable" else ""


def _text(memory: Memory, project: Project | None, path: Path) -> str:
    """The text of the block, without anything that changes while the memory doesn't."""
    return context(memory, project, Start(path.parent), lasting=True).text


def _target(memory: Memory, path: Path) -> Path:
    """The real path of the file. Refused for a link out of the checkout, and for a file in the memory, in
    `.git`, or outside of checkouts and the home folder."""
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}", "Make it, or name another file.")
    real, folder = Path(os.path.realpath(path)), path.parent.resolve()
    code = checkout_at(memory, folder, "share")
    if not real.is_relative_to(code.top.resolve() if code else folder):
        raise Refused(f"{path} is a link that leads out of the checkout", "Name the file that it leads to.")
    if code is None and not real.is_relative_to(memory.places.user_home.resolve()):
        # A slip of the finger as root, and a file of the system holds the packet.
        raise Refused(
            f"{path} is neither in a checkout nor in your home folder", "Name a file that an agent reads."
        )
    if real.is_relative_to(memory.root.resolve()):
        raise Refused(f"{path} is in the memory repository", "The packet is made of what is there.")
    if ".git" in real.parts:
        raise Refused(f"{path} is git's own", "Name a file that an agent reads.")
    return real


def _apply(memory: Memory, change: Change) -> None:
    memory.outside.ask(change.path.parent, partial(foreign.apply, [change]))


def _data(memory: Memory, path: Path) -> bytes | None:
    data = memory.outside.ask(path.parent, partial(foreign.read, path))
    if data is not None and (len(data) > MAX_BYTES or b"\0" in data):
        raise Refused(f"{path} isn't text that an agent reads as its instructions")
    return data


def _has_block(path: Path, data: bytes | None) -> bool:
    """Whether the file holds a block; Refused where its markers are damaged."""
    try:
        return data is not None and has_block(data)
    except MarkersDamaged as error:
        raise Refused(
            f"{path}: the markers of its block are damaged: {error}",
            "Take out what is left of them by hand, then run the command again.",
        ) from None


def _file(memory: Memory) -> BlockFile:
    return BlockFile(memory.state.blocks)


@contextmanager
def _blocks_locked(memory: Memory) -> Iterator[BlockFile]:
    with locked(memory.state.lock("blocks"), _LOCK_SECONDS):
        yield _file(memory)
