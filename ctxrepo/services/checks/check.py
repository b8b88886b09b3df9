"""Everything in the notes that is not as it was meant, file by file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record, trouble
from ctxrepo.domain.git.gitfiles import ATTRIBUTES_FILE, is_marked
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.merge.resolve import is_marker
from ctxrepo.domain.note.entry import explicit_id
from ctxrepo.domain.note.note import Note, decode, utf16
from ctxrepo.domain.project.layout import MEMORY, REGISTRY, archived_tape_folder, is_note
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.text import size
from ctxrepo.errors import Unreadable
from ctxrepo.hooks.packet.lane import DEFAULT
from ctxrepo.hooks.packet.note_lanes import MEMORY_LANE
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.checks.check_entries import between_entries
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.storage.memory import Memory

_UNMARK = (
    "`ctxrepo check --fix` keeps both sides where it can tell them apart; else keep what holds and remove "
    "the marker lines."
)
_MARKER = lazy_pattern(r"^(<{7} |>{7} |={7}$)", re.MULTILINE)


_SHOWN = MEMORY_LANE.bounds[DEFAULT].cap
"""Bytes of a scope's MEMORY.md that a session is given at most."""


_TOLD = 100
"""Files after which who waits is told how far it is."""


@dataclass(frozen=True)
class NoteFinding:
    """What is wrong, where (`line` 0: the whole file), and what helps."""

    path: str
    line: int
    problem: str
    remedy: str


def check(memory: Memory) -> list[NoteFinding]:
    """All findings, by path and line. Nothing is changed."""
    scan = memory.worktree.scan()
    found = [NoteFinding(p, 0, f"it {reason}", "Rename or move it.") for p, reason in scan.skipped.items()]
    ids: dict[str, str] = {}
    notes = []
    for number, path in enumerate(sorted(scan.files)):
        if memory.progress and number % _TOLD == 0:
            memory.progress(f"looking through the notes: {number} of {len(scan.files)} files")
        try:
            data = memory.worktree.read(path)
        except Unreadable as error:
            found.append(NoteFinding(path, 0, error.message, error.hint))
            continue
        if data is not None:
            found += findings_of(path, data, memory.settings.secrets.allow_secret, ids)
            if is_note(path) and "/" in path:
                notes.append(Note(path, decode(data)))
    if memory.progress:
        memory.progress("comparing the entries")
    for entry, wrong, does in between_entries(notes, evidence_now(memory)):
        found.append(NoteFinding(entry.path, entry.first_line, wrong, does))
    if memory.is_reviewed and not is_marked(_text(memory, ATTRIBUTES_FILE)):
        remedy = "`ctxrepo check --fix` marks it as generated."
        said = "forges show reviewers what ctxrepo keeps beside the notes"
        found.append(NoteFinding(ATTRIBUTES_FILE, 0, said, remedy))
    if problem := read_registry(memory).problem:
        problem = problem.removeprefix(f"{REGISTRY}: ")
        found.append(NoteFinding(REGISTRY, 0, problem, "Mend the file; until then no project is known."))
    return sorted(found, key=lambda f: (f.path, f.line))


def _text(memory: Memory, path: str) -> str:
    try:
        return decode(memory.worktree.read(path) or b"")
    except Unreadable:
        return ""


def findings_of(path: str, data: bytes, allow: Collection[str], ids: dict[str, str]) -> Iterator[NoteFinding]:
    """What is wrong in one file; `ids` has the place of each explicit id met before, and is added to."""
    refusals = check_file(path, data, allow)
    for refusal in refusals:
        yield NoteFinding(mask(path), refusal.line, refusal.message, "It is held back until that is gone.")
    if any(refusal.rule == "size" for refusal in refusals):
        return
    text = decode(data)
    if utf16(data):
        does = "`ctxrepo check --fix` saves it as UTF-8." if is_note(path) else "Save it as UTF-8."
        yield NoteFinding(path, 1, "it is UTF-16, not UTF-8", does)
    elif "\ufffd" in text and b"\xef\xbf\xbd" not in data:
        line = text[: text.index("\ufffd")].count("\n") + 1
        yield NoteFinding(path, line, "bytes that are not UTF-8", "Save the file as UTF-8.")
    if path.lower().endswith(".jsonl"):
        yield from _of_lines(path, text)
    elif is_note(path):
        yield from _of_note(Note(path, text), ids)


def _of_lines(path: str, text: str) -> Iterator[NoteFinding]:
    may_be_twice = bool(archived_tape_folder(path))  # what was archived, brought back, and archived again
    seen: dict[object, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        fields = record(line)
        if fields is None and is_marker(line):
            yield NoteFinding(path, number, "a conflict marker", _UNMARK)
        elif fields is None:
            yield NoteFinding(path, number, f"a line that {trouble(line)}", "It is kept, and read by nobody.")
        if fields is None:
            continue
        name = fields.get("id", "")
        if not isinstance(name, str | int):
            yield NoteFinding(
                path, number, "an id that isn't text", "It is kept; merges go by the whole line."
            )
        elif (
            name and TOMBSTONE not in fields and not may_be_twice and seen.setdefault(name, number) != number
        ):
            said = f"line {seen[name]} has the id {name} too"
            yield NoteFinding(path, number, said, "Both are kept; give one of them another id.")


def _of_note(note: Note, ids: dict[str, str]) -> Iterator[NoteFinding]:
    """`ids` has the place of each explicit id that was met before."""
    for problem in note.head.problems:
        yield NoteFinding(note.path, problem.line, problem.message, problem.remedy)
    if marker := _MARKER.search(note.text):
        line = note.text[: marker.start()].count("\n") + 1
        yield NoteFinding(note.path, line, "a conflict marker", _UNMARK)
    if "\r" in note.text and "\n" not in note.text:
        remedy = "`ctxrepo check --fix` ends its lines as all others end."
        yield NoteFinding(note.path, 1, "its lines end in carriage returns alone", remedy)
    if note.text.startswith("\ufeff") and not note.head.lines:
        remedy = "`ctxrepo check --fix` takes it away."
        yield NoteFinding(note.path, 1, "a byte order mark hides what the first line is", remedy)
    _, _, rest = note.path.partition("/")
    if rest == MEMORY and (whole := size(note.body.strip("\n"))) > _SHOWN:
        remedy = "Move what isn't always needed into topics/, and leave a line with the gist and the path."
        said = f"of its {whole:,} bytes a session is shown the first {_SHOWN:,} at most"
        yield NoteFinding(note.path, 0, said, remedy)
    for entry in note.entries:
        if explicit_id(entry.text) and ids.setdefault(entry.id, entry.at) != entry.at:
            remedy = (
                "`ctxrepo check --fix` gives the second of one note a new one; change it by hand elsewhere."
            )
            said = f"{ids[entry.id]} has the id {entry.id} too"
            yield NoteFinding(note.path, entry.first_line, said, remedy)
