"""faults: what every session is told once about the memory itself, since when, and what helps."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ctxrepo.storage.faultlog import FaultLog, Told
from ctxrepo.storage.memory import Memory

_GOES_ON = "until that is mended its earlier settings hold, and nothing is exchanged with the remote"


@dataclass(frozen=True)
class Fault:
    """One fault that stands: its words, since when in ISO form ('' where nobody knows), and what helps."""

    fault: str
    since: str
    remedy: str


def tell(memory: Memory, lines: Iterable[str]) -> None:
    """From now on sessions are told these lines, each session each line once."""
    faults = list(lines)
    if memory.cache.set_faults(faults):
        FaultLog(memory.state.faults).note(faults, time.time())


def of_settings(memory: Memory) -> list[str]:
    """The line about a config.toml that can't be read, if it can't."""
    return [f"{memory.broken.message}; {_GOES_ON}"] if memory.broken else []


def tell_of_settings(memory: Memory) -> None:
    """Bring only that line up to date: who edits config.toml gives no other cause to look for faults."""
    others = [line for line in memory.cache.faults() if not line.endswith(_GOES_ON)]
    tell(memory, [*of_settings(memory), *others])


def standing(memory: Memory) -> list[Fault]:
    """The faults that sessions are told now."""
    since = {one.fault: one.since for one in history(memory) if not one.until}
    return [Fault(line, since.get(line, ""), _remedy(memory, line)) for line in memory.cache.faults()]


def history(memory: Memory) -> Sequence[Told]:
    """The faults of the last time on this machine, those that are over too."""
    return FaultLog(memory.state.faults).read()


def _remedy(memory: Memory, line: str) -> str:
    if line.endswith(_GOES_ON):
        return f"Mend {memory.places.config_file}; {memory.places.config_before} is how it was before."
    if line == memory.remote_trouble():
        return "`ctxrepo sync` tries again."
    return "`ctxrepo check` shows the places."
