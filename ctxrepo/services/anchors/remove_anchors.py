"""Anchors are taken off a tape: some of them by a tombstone, or all of them into the archive."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record, render
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.project.layout import anchors_file, tape_archive, tapes_of
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.anchors import Anchor, Tape, anchor_of, to_line
from ctxrepo.errors import NoMatch, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.leave_anchor import append_to_tape, tell_newest
from ctxrepo.services.reading.tape_files import tape_files, tape_here
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape

DELETE, RESET = "tape delete", "tape reset"


@dataclass(frozen=True)
class Reset:
    """How many anchors were archived, and the files that they are in now; those `of_here` stood on this
    machine only, and are in the file `aside`."""

    archived: int
    paths: tuple[str, ...]
    of_here: int = 0
    aside: str = ""


def delete_anchors(
    memory: Memory, folder: str, ids: Sequence[str], origin: Origin, now: datetime
) -> list[Anchor]:
    """Take these anchors off the tape of a scope, on every machine; each is named by its id, or by a name
    that no other has. NoMatch, and nothing done, where one isn't meant."""
    if not ids:
        raise UsageError("no anchor is named", "`ctxrepo tape list` shows their ids.")
    with drafting(memory, DELETE, origin, now) as draft:
        tape = tape_here(memory, folder)
        anchors = {anchor.id: anchor for anchor in [_meant(tape, name) for name in ids]}
        draft.saying = f"delete {', '.join(anchor.name for anchor in anchors.values())}"
        _take_off(draft, folder, anchors, now)
        if of_here := [to_line(anchor) for anchor in anchors.values() if anchor.project]:
            LocalTape(memory.state).take_out(anchors.keys())
            memory.done_log.note_here(DELETE, origin, draft.saying, of_here, [])
            tell_newest(memory, folder)
    return list(anchors.values())


def reset_tape(memory: Memory, folder: str, session: str, origin: Origin, now: datetime) -> Reset:
    """Move the anchors of a scope, or of one session of it, to its archive. What another machine leaves
    meanwhile stays on the tape."""
    with drafting(memory, RESET, origin, now) as draft:
        tape = tape_here(memory, folder)
        anchors = (tape.of_session(session) if session else tape).anchors
        draft.saying = f"reset the tape of {folder}"
        lines = _take_off(draft, folder, {anchor.id: anchor for anchor in anchors}, now)
        paths = append_to_tape(draft, tape_archive(folder), lines, now)
    local = LocalTape(memory.state)
    of_here = local.archive({anchor.id for anchor in anchors})
    if of_here:
        tell_newest(memory, folder)
    return Reset(len(anchors), tuple(paths), of_here, str(local.aside) if of_here else "")


def _meant(tape: Tape, name: str) -> Anchor:
    if anchor := tape.with_id(name):
        return anchor
    called = [anchor for anchor in tape.anchors if anchor.name == name]
    if len(called) == 1:
        return called[0]
    ids = ", ".join(f"^{tape.short_ids[anchor.id]}" for anchor in called)
    what = f"{len(called)} anchors are called {name!r}: {ids}" if called else f"no anchor is called {name!r}"
    raise NoMatch(what, "Nothing is deleted. `ctxrepo tape list` shows names and ids.")


def _take_off(draft: Draft, folder: str, anchors: Mapping[str, Anchor], now: datetime) -> list[str]:
    """Put tombstones in place of these anchors in the files of a tape; returns their lines as our own tapes
    have them. Another machine's change of the same file meets the tombstone where its anchor stood. The
    anchors file may hold no tombstones: what stood there alone gets one on our tape."""
    theirs = anchors_file(folder)
    lines: dict[str, str] = {}
    for path in sorted(tape_files(draft.memory, folder), key=lambda path: (path == theirs, path)):
        text = draft.text(path) or ""
        rest, removed = _parted(text, anchors.keys())
        new = [name for name in removed if name not in lines]
        lines |= {name: removed[name] for name in new}
        if not removed:
            continue
        if path == theirs:
            draft.put(path, rest)
            append_to_tape(draft, tapes_of(folder), [_tombstone(anchors[name], now) for name in new], now)
        else:
            draft.put(path, rest + "".join(f"{_tombstone(anchors[name], now)}\n" for name in removed))
    return list(lines.values())


def _parted(text: str, ids: Collection[str]) -> tuple[str, dict[str, str]]:
    """A tape's text without the anchors with these ids, and their lines by id."""
    rest, removed = [], {}
    for line in text.split("\n"):
        fields: dict[str, Any] = record(line) or {}
        anchor = None if TOMBSTONE in fields else anchor_of(fields)
        if anchor is not None and anchor.id in ids:
            removed[anchor.id] = line if anchor.host else to_line(anchor)
        elif line.strip():
            rest.append(f"{line}\n")
    return "".join(rest), removed


def _tombstone(anchor: Anchor, now: datetime) -> str:
    return render({"id": anchor.id, TOMBSTONE: stamp(now), "name": anchor.name})
