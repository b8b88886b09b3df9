"""check: everything in the notes that is not as it was meant, file by file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ctxrepo.domain.guard import check_file
from ctxrepo.domain.jsonl import record
from ctxrepo.domain.note import Note, decode
from ctxrepo.domain.paths import is_note
from ctxrepo.domain.registry import REGISTRY_FILE
from ctxrepo.errors import Unreadable
from ctxrepo.services.project import read_registry
from ctxrepo.storage.memory import Memory

_MARKER = re.compile(r"^(<{7} |>{7} |={7}$)", re.MULTILINE)


@dataclass(frozen=True)
class Finding:
    """What is wrong, where (`line` 0: the whole file), and what helps."""

    path: str
    line: int
    problem: str
    remedy: str


def check(memory: Memory) -> list[Finding]:
    """All findings, by path and line. Nothing is changed."""
    scan = memory.worktree.scan()
    found = [Finding(p, 0, f"it {reason}", "Rename or move it.") for p, reason in scan.skipped.items()]
    for path in scan.files:
        try:
            data = memory.worktree.read(path)
        except Unreadable as error:
            found.append(Finding(path, 0, error.message, error.hint))
            continue
        if data is not None:
            found += _of_file(path, data, memory.settings.secrets.allow_secret)
    if problem := read_registry(memory).problem:
        problem = problem.removeprefix(f"{REGISTRY_FILE}: ")
        found.append(Finding(REGISTRY_FILE, 0, problem, "Mend the file; until then no project is known."))
    return sorted(found, key=lambda f: (f.path, f.line))


def _of_file(path: str, data: bytes, allow: tuple[str, ...]) -> Iterator[Finding]:
    refusals = check_file(path, data, allow)
    for refusal in refusals:
        yield Finding(path, refusal.line, refusal.message, "It is held back until that is gone.")
    if any(refusal.rule == "size" for refusal in refusals):
        return
    text = decode(data)
    if "\ufffd" in text and b"\xef\xbf\xbd" not in data:
        line = text[: text.index("\ufffd")].count("\n") + 1
        yield Finding(path, line, "bytes that are not UTF-8", "Save the file as UTF-8.")
    if path.endswith(".jsonl"):
        yield from _of_lines(path, text)
    elif is_note(path):
        yield from _of_note(Note(path, text))


def _of_lines(path: str, text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and record(line) is None:
            yield Finding(path, number, "a line that is no JSON object", "It is kept, and read by nobody.")


def _of_note(note: Note) -> Iterator[Finding]:
    if note.head.problem:
        yield Finding(note.path, 1, note.head.problem, "Until then its body alone is delivered.")
    if marker := _MARKER.search(note.text):
        line = note.text[: marker.start()].count("\n") + 1
        yield Finding(note.path, line, "a conflict marker", "Keep what holds and remove the marker lines.")
    ids = Counter(e.id for e in note.entries)
    for entry in note.entries:
        if ids.pop(entry.id, 0) > 1:
            yield Finding(note.path, entry.first_line, f"two entries have the id {entry.id}", "Change one.")
