"""The one way to change the memory: drafted, guarded, put on disk and in the write log, acknowledged."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.guard.write import check_file, refuse
from ctxrepo.domain.merge import copy_as_file, merge_file
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.note import decode_exactly, encode, utf16
from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.domain.project.paths import is_note
from ctxrepo.domain.project.registry import parse, with_alias, with_project
from ctxrepo.errors import Busy, Refused
from ctxrepo.hooks.session.session import Session
from ctxrepo.services.locate.project import Project
from ctxrepo.storage.cache.rows import hash_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.writelog import Write
from ctxrepo.storage.worktree.worktree import FileUpdate

_MOVES = frozenset({"move", "rename", "link", "unlink"})
"""Operations that leave what notes say as it is."""

_ROUNDS = 5
"""How often a file is looked at anew that somebody keeps changing while it is being written."""


@dataclass
class Draft:
    """Files being changed under the write lock; nothing is on disk before all of it has passed the guard."""

    memory: Memory
    session: str = ""
    before: dict[str, str | None] = field(default_factory=dict)
    after: dict[str, str | None] = field(default_factory=dict)
    """None for a file that goes."""
    saying: str = ""
    """One line for the commit: what was written."""
    spoken_of: set[str] = field(default_factory=set)
    """Notes of whose entries something is said, whether their text changes or not."""

    def there(self, path: str) -> str | None:
        """The file as it is, or as this draft has it by now; None when there is none."""
        return self.after[path] if path in self.after else self._found(path)

    def text(self, path: str) -> str | None:
        """What is there, to be written to.

        Refused for what is no UTF-8 text: what is added to it would be spelt differently from the rest.
        """
        found = self.there(path)
        if found is not None and utf16(encode(found)):
            raise Refused(f"{path} is UTF-16", "`ctxrepo check --fix` saves it as UTF-8.")
        return found

    def put(self, path: str, text: str) -> None:
        self._found(path)
        self.after[path] = text

    def put_again(self, path: str, text: str) -> None:
        """`put` what is there already, left by a run that was killed before it was acknowledged."""
        self.before[path] = None
        self.after[path] = text

    def remove(self, path: str) -> None:
        self._found(path)
        self.after[path] = None

    def append_line(self, path: str, line: str) -> None:
        """Add one line to a JSONL file, never onto a torn one."""
        text = self.text(path) or ""
        self.put(path, text + ("" if not text or text.endswith("\n") else "\n") + line + "\n")

    def register(self, project: Project | None) -> None:
        """Give the project its folder, now that something is written for it.

        Busy when somebody gave it another one since we looked.
        """
        if project is None or not project.id:
            return
        text = self.text(REGISTRY) or ""
        known = parse(text).folder_of(project.id)
        if known not in ("", project.folder):
            raise Busy(f"the project's folder has just become {known}/", "Run the command again.")
        registered = text if known else with_project(text, project.id, project.folder)
        if project.also:
            registered = with_alias(registered, project.also, project.id)
        if registered != text:
            self.put(REGISTRY, registered)

    def _found(self, path: str) -> str | None:
        """The file as it was when this draft first looked at it."""
        if path not in self.before:
            data = self.memory.worktree.read_saved(path)
            if data is None and self.memory.worktree.exists(path):
                raise Refused(
                    f"{path} is there but is no readable file",
                    "A link, a folder or a huge file is in the way.",
                )
            self.before[path] = None if data is None else decode_exactly(data)
        return self.before[path]


@contextmanager
def drafting(memory: Memory, op: str, origin: Origin, now: datetime) -> Iterator[Draft]:
    """Hold the write lock over a Draft and acknowledge it at the end.

    When the block is left without an error every byte, or that a file has gone, is fsynced in the worktree
    and in the write log. Refused (nothing written) when the write guard says no; Busy when too much waits.
    """
    with memory.writing():
        memory.writes.require_room()
        draft = Draft(memory, origin.session)
        yield draft
        _acknowledge(draft, op, origin, now)


def _acknowledge(draft: Draft, op: str, origin: Origin, now: datetime) -> None:
    changed = [path for path, text in draft.after.items() if text != draft.before.get(path)]
    if not changed:
        return
    come = {path: encode(text) for path in changed if (text := draft.after[path]) is not None}
    allow = draft.memory.settings.secrets.allow_secret
    refuse([r for path, data in come.items() for r in check_file(path, data, allow)])
    changed += _put(draft, come)
    # Last: a kill before this leaves a file too many, which can be removed again, and never one too few.
    _remove(draft, [path for path in changed if draft.after[path] is None])
    write_id = secrets.token_hex(8)
    draft.memory.writes.append(
        [
            Write(
                op=op,
                id=write_id,
                ts=stamp(now),
                path=path,
                before=draft.before.get(path),
                after=draft.after[path],
                session=origin.session,
                agent=origin.agent,
                project=origin.project,
                note=draft.saying,
            )
            for path in changed
        ]
    )
    if not origin.session:
        return
    session = Session(str(draft.memory.state.root), origin.agent, origin.session)
    for path in changed:
        session.wrote(path, come.get(path), is_move=op in _MOVES)
    if spoken_of := draft.spoken_of.difference(changed):
        _passed_over(draft.memory, session, spoken_of)
    for path in come:
        _own(session, path, draft.before[path], draft.after[path])
    session.save()


def _passed_over(memory: Memory, session: Session, paths: Iterable[str]) -> None:
    """Note that the session knows these notes, of which something was said and whose text stayed: as it knows
    them they are no news to it, and as somebody else has made them since they are."""
    seen = session.record.generation
    generation = memory.cache.generation if seen is None else seen
    for path in sorted(paths):
        if digest := memory.cache.hash_since(path, generation):
            session.knows(path, digest)


def _own(session: Session, path: str, before: str | None, after: str | None) -> None:
    """Note the entries that are new in a note: the session wrote them, and needn't be given them."""
    if not is_note(path):
        return
    known = {entry.id for entry in entries_of(path, before or "")}
    for entry in entries_of(path, after or ""):
        if entry.id not in known:
            session.added(entry.id, hash_of(entry))


def _remove(draft: Draft, paths: Iterable[str]) -> None:
    """Remove the files; one that an editor wrote to since it was read stays: for the commit, too, an edit
    stands against a removal."""
    before = {path: _encoded(draft.before[path]) for path in paths}
    wanted = {path: FileUpdate(blob_id(data), None) for path, data in before.items() if data is not None}
    draft.memory.worktree.adopt(wanted)


def _put(draft: Draft, come: Mapping[str, bytes]) -> list[str]:
    """Bring the files to these bytes; what an editor, who knows no lock, wrote since they were read stays.

    Where both changed the same thing, what loses is drafted and written too: the paths of the files that
    keep it.
    """
    worktree = draft.memory.worktree
    copies: dict[str, bytes] = {}
    seen = {path: _encoded(draft.before.get(path)) for path in come}
    due = {path: (seen[path], data) for path, data in come.items()}
    for _ in range(_ROUNDS):
        wanted = {path: FileUpdate(_id(old), new) for path, (old, new) in due.items()}
        due = {}
        for path in worktree.adopt(wanted):
            now = worktree.read(path)
            merged = merge_file(path, seen[path], come[path], now)
            due[path] = now, merged.data or come[path]
            copies |= map(copy_as_file, merged.conflict_copies)
        if copies:  # what loses is safe before what wins is in its place
            worktree.write_all(copies)
        if not due:
            break
    if due:
        last = {path: data for path, (_, data) in due.items()}
        worktree.write_all(last, {path: _id(old) for path, (old, _) in due.items()})
    draft.before |= dict.fromkeys(copies)
    draft.after |= {path: decode_exactly(data) for path, data in copies.items()}
    return [*copies]


def _id(data: bytes | None) -> str | None:
    return None if data is None else blob_id(data)


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else encode(text)
