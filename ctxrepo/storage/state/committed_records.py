"""What commits leave behind: operations that they hold, what was kept out of them, and measurements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.records.save import Save
from ctxrepo.errors import Unreadable
from ctxrepo.hooks.own_files import append_rolling, lines_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read
from ctxrepo.storage.disk.private import put

if TYPE_CHECKING:
    from ctxrepo.domain.guard.refusals import Refusal

_MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class HeldBack:
    """Why a file is held back, and the moment in ISO form since when it is for this reason."""

    refusal: Refusal
    since: str


@dataclass(frozen=True)
class HeldBackFile:
    """`held.json`, which whoever commits writes. It may be deleted: the next commit finds what is held back
    again, and knows no more since when."""

    file: Path

    def read(self) -> list[HeldBack]:
        """What is held back now; empty where the file is missing or can't be read."""
        from ctxrepo.domain.guard.refusals import Refusal  # most commands don't ask

        try:
            found = json.loads(read(self.file, _MAX_BYTES, follow=False) or b"[]")
            return [HeldBack(Refusal(**one["refusal"]), str(one["since"])) for one in found]
        except (Unreadable, ValueError, TypeError, KeyError, RecursionError):
            return []

    def note(self, refusals: Sequence[Refusal], now: datetime) -> None:
        """From now on these are held back."""
        before = self.read()
        since = {_key(one.refusal): one.since for one in before}
        at = second(now.astimezone(UTC))
        held = [HeldBack(refusal, since.get(_key(refusal), at)) for refusal in refusals]
        if held != before:
            put(self.file, json.dumps([asdict(one) for one in held]))


@dataclass(frozen=True)
class PastDeletion:
    """A commit of what somebody deleted by hand, when it was made (unix seconds), and a line about it."""

    commit: str
    at: float
    words: str


@dataclass(frozen=True)
class DeletedFile:
    """`deleted.json`, the last deletions by hand; it may be deleted, and then nobody is told of them."""

    file: Path

    def read(self) -> list[PastDeletion]:
        try:
            return [
                PastDeletion(**one) for one in json.loads(read(self.file, _MAX_BYTES, follow=False) or b"[]")
            ]
        except (Unreadable, ValueError, TypeError, RecursionError):
            return []

    def add(self, deletion: PastDeletion) -> None:
        put(self.file, json.dumps([asdict(one) for one in [*self.read(), deletion][-_KEPT:]]))


def _key(refusal: Refusal) -> tuple[str, str, str]:
    """The same for one thing wrong, also when it moves to another line."""
    return refusal.path, refusal.rule, refusal.fingerprint


_T = TypeVar("_T")

_KEPT = 16
"""Commits of each kind that are remembered: the newest ones are asked for."""


@dataclass(frozen=True)
class Verdicts:
    """Ids of commits. `within` -> how many commits their history has at most, `beyond` -> the sentence that
    says why; `own` were made here, on top of what was within; `left` -> when (unix seconds) it was left at
    the remote, because git came up against its limits, and the sentence for that."""

    within: Mapping[str, int] = field(default_factory=dict)
    beyond: Mapping[str, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    left: Mapping[str, tuple[float, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class VerdictFile:
    """A file in the state; one that can't be read, or written, costs no more than a walk."""

    file: Path

    def read(self) -> Verdicts:
        with suppress(OSError, ValueError, TypeError, AttributeError):
            fields = json.loads(self.file.read_text("utf-8"))
            within = {str(commit): int(count) for commit, count in fields["within"].items()}
            beyond = {str(commit): str(words) for commit, words in fields["beyond"].items()}
            left = {str(commit): (float(at), str(words)) for commit, (at, words) in fields["left"].items()}
            return Verdicts(within, beyond, tuple(map(str, fields["own"])), left)
        return Verdicts()

    def add(
        self,
        within: Mapping[str, int] | None = None,
        beyond: Mapping[str, str] | None = None,
        own: str = "",
        left: Mapping[str, tuple[float, str]] | None = None,
    ) -> None:
        known = self.read()
        fields = {
            "within": _newest({**known.within, **(within or {})}),
            "beyond": _newest({**known.beyond, **(beyond or {})}),
            "own": [*(one for one in known.own if one != own), *filter(None, [own])][-_KEPT:],
            "left": _newest({**known.left, **(left or {})}),
        }
        with suppress(OSError):
            self.file.write_text(json.dumps(fields), "utf-8")


def _newest(known: Mapping[str, _T]) -> dict[str, _T]:
    return dict([*known.items()][-_KEPT:])


MAX_BYTES = 8 * 1024 * 1024
"""The most bytes of the log; the one before it is kept as well."""


@dataclass(frozen=True)
class PastWrite:
    """What a command made of a file: its text `before` and `after` (None: no file)."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Operation:
    """The writes of one command, with one id, in `commit`; none when they were too large to be stored. A tape
    that stays on this machine is written without a commit."""

    id: str
    op: str
    commit: str
    session: str = ""
    note: str = ""
    writes: tuple[PastWrite, ...] = ()
    undoes: str = ""
    """The id of the operation or commit that it took back."""


@dataclass(frozen=True)
class DoneLog:
    """`writes.done`. It is written under the write lock and may be deleted at any time."""

    path: Path

    def add(self, saves: Iterable[Save], commit: str) -> None:
        """Keep the operations of commands among these saves, which `commit` holds."""
        operations: dict[str, list[Save]] = {}
        for save in saves:
            if save.is_command:
                operations.setdefault(save.id, []).append(save)
        for operation, mine in operations.items():
            first, writes = mine[0], tuple(map(_write, mine))
            about = (first.op, commit, first.by.session, first.note)
            self.note(Operation(operation, *about, writes, first.undoes))

    def note(self, operation: Operation) -> None:
        """Keep one operation."""
        line = json.dumps(asdict(operation))
        if len(line) >= MAX_BYTES:
            line = json.dumps(asdict(replace(operation, writes=())))
        append_rolling(str(self.path), f"{line}\n", MAX_BYTES)

    def newest(self) -> Iterator[Operation]:
        """The operations it has, the newest first."""
        files = (str(self.path), f"{self.path}.1")
        lines = chain.from_iterable(reversed(lines_of(file, MAX_BYTES)) for file in files)
        yield from (found for line in lines if line and (found := _parse(line)))


def _write(save: Save) -> PastWrite:
    """What is kept of a save: without what the file held before, where it only added lines of JSON."""
    before, after = (None if data is None else decode_exactly(data) for data in (save.base, save.after))
    if save.path.endswith(".jsonl") and before and after and after.startswith(before):
        return PastWrite(save.path, "", after[len(before) :])
    return PastWrite(save.path, before, after)


def _parse(line: str) -> Operation | None:
    try:
        fields = json.loads(line)
        writes = tuple(PastWrite(one["path"], one["before"], one["after"]) for one in fields["writes"])
        return Operation(**fields | {"writes": writes})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
