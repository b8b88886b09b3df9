"""A session in the agent's own transcript, whatever kind of file that is: its two ends, or as much of its end
as is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.storage.disk.recent import end_of, ends_of, ends_of_rows

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts


def ends_of_session(
    transcripts: Transcripts, path: Path, session: str, most: int
) -> tuple[list[str], list[str]]:
    """The lines within the first and within the last `most` bytes; of a shorter transcript both times all.
    What can't be read is as empty."""
    if transcripts.QUERY:
        return ends_of_rows(path, transcripts.QUERY, session, most)
    return ends_of(path, most)


def end_of_session(transcripts: Transcripts, path: Path, session: str, most: int) -> tuple[list[str], bool]:
    """The lines within the last `most` bytes, and whether these are all."""
    if transcripts.QUERY:
        head, tail = ends_of_rows(path, transcripts.QUERY, session, most)
        return tail, len(head) == len(tail)
    return end_of(path, most)
