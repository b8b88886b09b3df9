"""The done log: the last operations that commits hold, kept so that they can be taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.records.save import Save
from ctxrepo.hooks.own_files import append_rolling, lines_of
from ctxrepo.lazy import dataclass

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
    """The writes of one command, which have one id. `commit` holds them.

    `writes` is empty when they were too large to be kept here.
    """

    id: str
    op: str
    commit: str
    session: str = ""
    note: str = ""
    writes: tuple[PastWrite, ...] = ()


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
            first, *_ = mine
            fields = {"id": operation, "op": first.op, "commit": commit, "session": first.by.session}
            record = fields | {"note": first.note, "writes": [asdict(_write(save)) for save in mine]}
            line = json.dumps(record)
            if len(line) >= MAX_BYTES:
                line = json.dumps(record | {"writes": []})
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
