"""The access log: which files agents read and edited, by their own tools or by a command of ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record, render, text_of
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.hooks.moments.tool import ACCESS_BYTES
from ctxrepo.hooks.own_files import append_rolling, lines_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.recent import written

MEMORY_WRITE = "memory_write"
"""The name under which a change of a note by a command of ours is noted."""

MOST_RANGES = 100
"""The most ranges of one access; the hook writes one more at most."""


@dataclass(frozen=True)
class Access:
    """A tool of an agent read or edited a file."""

    at: float
    """In seconds since 1970."""
    agent: str
    session: str
    tool: str
    path: str
    """Absolute."""
    ranges: tuple[tuple[int, int], ...] = ()
    """The first and last lines of what was read or edited; none stands for the whole file."""

    @classmethod
    def of(cls, fields: Mapping[str, Any] | None) -> Access | None:
        """What a line of the log says; None where nothing can be made of it."""
        if fields is None:
            return None
        at, path = fields.get("at"), text_of(fields, "path")
        if not isinstance(at, int | float) or not path.startswith("/") or "\0" in path:
            return None
        agent, session, tool = (text_of(fields, name) for name in ("agent", "session", "tool"))
        return cls(float(at), agent, session, tool, path, _ranges(fields.get("ranges")))

    def shows(self, first: int, last: int) -> bool:
        """Whether one of these lines is among what was read or edited."""
        return not self.ranges or any(a <= last and first <= b for a, b in self.ranges)


@dataclass(frozen=True)
class AccessLog:
    """`access.jsonl`, and the full one before it. The hook of a tool writes it (`hooks/moments/tool.py`)."""

    path: Path

    @property
    def stamp(self) -> str:
        """Changes when the log does."""
        return " ".join(map(stamp_of, self._files))

    @property
    def written(self) -> float:
        """When it was written to last, in seconds since 1970: no access is later than that."""
        return max(map(written, map(Path, self._files)))

    @property
    def lines(self) -> list[str]:
        """As they stand in the files, the oldest first."""
        return [line for file in self._files for line in lines_of(file, ACCESS_BYTES) if line]

    def newest(self) -> Iterator[Access]:
        """What can be read of it, the newest first."""
        yield from (access for line in reversed(self.lines) if (access := Access.of(record(line))))

    def add(self, access: Access) -> None:
        """Note an access that no hook sees. It is given up where the log can't be written."""
        fields = {
            "at": access.at,
            "agent": access.agent,
            "session": access.session,
            "tool": access.tool,
            "path": access.path,
            **({"ranges": access.ranges} if access.ranges else {}),
        }
        append_rolling(str(self.path), render(fields) + "\n", ACCESS_BYTES)

    @property
    def _files(self) -> tuple[str, str]:
        return f"{self.path}.1", str(self.path)


def _ranges(said: object) -> tuple[tuple[int, int], ...]:
    pairs = said[:MOST_RANGES] if isinstance(said, list) else []
    return tuple((pair[0], pair[1]) for pair in pairs if _is_range(pair))


def _is_range(said: object) -> bool:
    match said:
        case [int(first), int(last)]:
            return 0 < first <= last
    return False
