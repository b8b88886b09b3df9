"""A log of the faults that sessions were told: when each began, and when it was over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.domain.formats.jsonl import record, render, text_of
from ctxrepo.domain.formats.moment import second
from ctxrepo.hooks.own_files import LOG_BYTES, append_rolling, lines_of
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class FaultRecord:
    """A fault, the moment it was first told, and the moment it was over ('' while it stands)."""

    fault: str
    since: str
    until: str = ""


@dataclass(frozen=True)
class FaultLog:
    """A file in the state, one JSON line for each fault that came or went. A full one becomes `….1`."""

    file: Path

    def note(self, faults: Iterable[str], now: float) -> None:
        """From now on these are the faults that stand; a log that can't be written only lacks lines."""
        standing = {one.fault for one in self.read() if not one.until}
        wanted = list(dict.fromkeys(faults))
        at = second(datetime.fromtimestamp(now, UTC))
        for fault in sorted(standing.difference(wanted)):
            self._append(at, fault, is_over=True)
        for fault in wanted:
            if fault not in standing:
                self._append(at, fault, is_over=False)

    def read(self) -> list[FaultRecord]:
        """Every fault the log knows of, the one that began last at the end."""
        found: list[FaultRecord] = []
        standing: dict[str, int] = {}
        for at, fault, is_over in self._lines():
            if is_over and fault in standing:
                place = standing.pop(fault)
                found[place] = replace(found[place], until=at)
            elif not is_over and fault not in standing:
                standing[fault] = len(found)
                found.append(FaultRecord(fault, at))
        return found

    def _lines(self) -> Iterator[tuple[str, str, bool]]:
        for file in (f"{self.file}.1", str(self.file)):
            for line in lines_of(file, LOG_BYTES):
                fields = record(line)
                if fields and text_of(fields, "fault"):
                    yield text_of(fields, "at"), text_of(fields, "fault"), bool(fields.get("over"))

    def _append(self, at: str, fault: str, *, is_over: bool) -> None:
        line = render({"at": at, "fault": fault, "over": is_over})
        append_rolling(str(self.file), line + "\n", LOG_BYTES)
