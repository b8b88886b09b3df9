"""The done log: the last operations that commits hold, kept so that they can be taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from ctxrepo.hooks.files.logs import append_rolling, lines_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.state.writelog import Write

MAX_BYTES = 8 * 1024 * 1024
"""The most bytes of the log; the one before it is kept as well."""


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
    writes: tuple[Write, ...] = ()


@dataclass(frozen=True)
class DoneLog:
    """`writes.done`. It is written under the write lock and may be deleted at any time."""

    path: Path

    def add(self, writes: Sequence[Write], commit: str) -> None:
        """Keep these operations, which `commit` holds."""
        operations: dict[str, list[Write]] = {}
        for write in writes:
            operations.setdefault(write.id, []).append(write)
        for write_id, mine in operations.items():
            fields = {"id": write_id, "op": mine[0].op, "commit": commit, "session": mine[0].session}
            record = fields | {"note": mine[0].note, "writes": [asdict(_shortened(w)) for w in mine]}
            line = json.dumps(record)
            if len(line) >= MAX_BYTES:
                line = json.dumps(record | {"writes": []})
            append_rolling(str(self.path), f"{line}\n", MAX_BYTES)

    def newest(self) -> Iterator[Operation]:
        """The operations it has, the newest first."""
        files = (str(self.path), f"{self.path}.1")
        lines = chain.from_iterable(reversed(lines_of(file, MAX_BYTES)) for file in files)
        yield from (found for line in lines if line and (found := _parse(line)))


def _shortened(write: Write) -> Write:
    """A write without what the file held before, where it only added lines of JSON."""
    if not (write.path.endswith(".jsonl") and write.before and (write.after or "").startswith(write.before)):
        return write
    return Write(**asdict(write) | {"before": "", "after": (write.after or "")[len(write.before) :]})


def _parse(line: str) -> Operation | None:
    try:
        fields = json.loads(line)
        return Operation(**fields | {"writes": tuple(Write(**write) for write in fields["writes"])})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
