"""Everything in the notes that is not as it was meant, and mending what of it needs no decision."""

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from datetime import datetime
from difflib import unified_diff
from time import time

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record, trouble
from ctxrepo.domain.git.gitfiles import ATTRIBUTES_FILE, is_marked, marked
from ctxrepo.domain.guard.refusals import RULE, WAYS, check_file
from ctxrepo.domain.merge.resolve import is_marker, resolve_markers
from ctxrepo.domain.note.compose import fixed
from ctxrepo.domain.note.entry import Entry, explicit_id, gist, normalised
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.note.note import UNMARK, Note, decode, decode_exactly, decode_note, encode, utf16
from ctxrepo.domain.project.layout import (
    DAILY,
    GLOBAL,
    PROJECT,
    REGISTRY,
    archived_tape_folder,
    fold,
    is_archived,
    is_conflict_copy,
    is_note,
    scope_of,
    shown,
)
from ctxrepo.domain.project.policy import scopes_in
from ctxrepo.domain.project.registry import is_folder_name
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.evidence import Evidence, fate, marks
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.tape.anchors import anchor_of, in_order
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.finding import Level
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.reading.find import OF_NO_PROJECT, read_data, too_large_to_show
from ctxrepo.services.reading.marks import evidence_now, keys_in
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.committed_records import KeptOutFile

_TOLD = 100
"""Files after which who waits is told how far it is."""


@dataclass(frozen=True)
class NoteFinding:
    """What is wrong, where (`line` 0: the whole file), and what helps."""

    path: str
    line: int
    problem: str
    remedy: str
    level: Level = "error"


def check(memory: Memory) -> list[NoteFinding]:
    """All findings, by path and line. Nothing is changed."""
    scan = memory.worktree.scan()
    findings = [NoteFinding(p, 0, f"it {reason}", "Rename or move it.") for p, reason in scan.skipped.items()]
    findings += _twins(filter(is_note, scan.files))
    ids: dict[str, str] = {}
    notes = []
    for number, path in enumerate(sorted(scan.files)):
        if memory.progress and number % _TOLD == 0:
            memory.progress(f"looking through the notes: {number} of {len(scan.files)} files")
        try:
            data = memory.worktree.read(path)
        except Unreadable as error:
            findings.append(NoteFinding(path, 0, error.message, error.hint))
            continue
        if data is not None:
            findings += findings_of(path, data, memory.settings.secrets.allow_secret, ids)
            if is_note(path) and "/" in path:
                notes.append(Note(path, decode(data)))
    refusals = KeptOutFile(memory.state.held).read().by(RULE)
    findings += [NoteFinding(refusal.path, 0, f"held back: {refusal.message}", WAYS) for refusal in refusals]
    if memory.progress:
        memory.progress("comparing the entries")
    findings += between_entries(notes, evidence_now(memory))
    if memory.is_reviewed and not is_marked(text(memory.root / ATTRIBUTES_FILE)):
        remedy = "`ctxrepo check --fix` marks it as generated."
        problem = "forges show reviewers what ctxrepo keeps beside the notes"
        findings.append(NoteFinding(ATTRIBUTES_FILE, 0, problem, remedy, "note"))
    words = "it is in no folder, so no session is given it and `ctxrepo search` leaves it out"
    top = sorted(path for path in scan.files if "/" not in path and is_note(path) and path not in _ON_FORGES)
    findings += [NoteFinding(path, 0, words, "Move it to a folder if it is a note.", "note") for path in top]
    registry = read_registry(memory)
    if not registry.problem:  # of which the guard has told above
        loose = {note.scope_folder for note in notes} - {*registry.projects.values(), memory.global_folder}
        problem = "no project has this folder, so no session is given what is in it"
        folders = (name for name in loose if is_folder_name(name) or name == GLOBAL)
        findings += [NoteFinding(f"{name}/", 0, problem, OF_NO_PROJECT, "warning") for name in folders]
        scopes = {"*", GLOBAL, PROJECT, memory.global_folder, *registry.projects.values()}
        for name in scopes_in(registry.policy) - scopes:
            problem = f"[policy] has a rule for {name}, which is no project's folder"
            remedy = "Until it is one, the rule is for nothing: mend its name."
            findings.append(NoteFinding(REGISTRY, 0, problem, remedy, "warning"))
    return sorted(findings, key=lambda f: (f.path, f.line))


_ON_FORGES = ("README.md", "PULL_REQUEST_TEMPLATE.md")
"""What forges show of a repository; no notes."""
_NEW_ID = "`ctxrepo check --fix` gives the second of one note a new one; change it by hand elsewhere."


def _twins(paths: Iterable[str]) -> Iterator[NoteFinding]:
    first: dict[str, str] = {}
    for path in sorted(paths):
        if (other := first.setdefault(fold(path), path)) != path:
            remedy = "A Mac can have only one of them: `ctxrepo move` the entries of one to the other."
            problem = f"its name differs from {other} only in case or spelling"
            yield NoteFinding(path, 0, problem, remedy, "warning")


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
    if path.lower().endswith(".jsonl"):
        yield from _of_lines(path, text)
    elif is_note(path):
        yield from _of_note(Note(path, decode_note(data)), ids)


def _of_lines(path: str, text: str) -> Iterator[NoteFinding]:
    may_be_twice = bool(archived_tape_folder(path))  # what was archived, brought back, and archived again
    seen: dict[object, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        fields = record(line)
        if fields is None and is_marker(line):
            yield NoteFinding(path, number, "a conflict marker", UNMARK)
        elif fields is None:
            yield NoteFinding(path, number, f"a line that {trouble(line)}", "It is kept, and read by nobody.")
        if fields is None:
            continue
        if (anchor := anchor_of(fields)) and not in_order([anchor], time())[0].moment:
            problem = f"the anchor {mask(anchor.name)} has a timestamp that is no time, or lies ahead"
            remedy = "It counts as the oldest; `ctxrepo tape delete` removes it."
            yield NoteFinding(path, number, problem, remedy, "warning")
        name = fields.get("id", "")
        if not isinstance(name, str | int):
            problem = "an id that isn't text"
            yield NoteFinding(path, number, problem, "It is kept; merges go by the whole line.")
        elif (
            name and TOMBSTONE not in fields and not may_be_twice and seen.setdefault(name, number) != number
        ):
            problem = f"line {seen[name]} has the id {name} too"
            yield NoteFinding(path, number, problem, "Both are kept; give one of them another id.")


def _of_note(note: Note, ids: dict[str, str]) -> Iterator[NoteFinding]:
    """`ids` has the place of each explicit id that was met before."""
    for problem in note.problems:
        yield NoteFinding(note.path, problem.line, problem.message, problem.remedy)
    if excess := too_large_to_show(note.path, note.body):
        remedy = "Move what isn't always needed into topics/, and leave a line with the gist and the path."
        yield NoteFinding(note.path, 0, excess, remedy, "warning")
    for entry in () if is_conflict_copy(note.path) else note.entries:  # which has versions of entries
        if explicit_id(entry.text) and ids.setdefault(entry.id, entry.at) != entry.at:
            message = f"{ids[entry.id]} has the id {entry.id} too"
            yield NoteFinding(note.path, entry.first_line, message, _NEW_ID)


_NAMED = 60
"""Characters of an entry that are quoted."""

_TELLING = 4
"""Words from which on it is no accident that two notes say the same."""


def between_entries(notes: Sequence[Note], evidence: Sequence[Evidence]) -> Iterator[NoteFinding]:
    """What is wrong in the notes of a memory; those of the archive and those kept aside need no care."""
    notes = [note for note in notes if not is_conflict_copy(note.path)]
    live = [note for note in notes if not is_archived(note.path)]
    copies = list(_copies(live))
    yield from copies
    # What happened twice is logged twice.
    lasting = [note for note in live if note.path.split("/")[1] != DAILY]
    for note in lasting:
        yield from _twice(note)
    copied = {finding.path for finding in copies}
    struck = marks(evidence).struck
    yield from _rivals(live, evidence, struck)
    yield from _elsewhere([note for note in lasting if note.path not in copied], struck)
    if struck:
        there = {entry.id for note in notes for entry in note.entries} - struck
        yield from _without_value(live, evidence, struck, there)


def _copies(notes: Iterable[Note]) -> Iterator[NoteFinding]:
    """Notes of one scope that say the same, whatever their heads say."""
    first: dict[tuple[str, str], Note] = {}
    for note in notes:
        other = first.setdefault((note.scope_folder, note.body.strip()), note)
        if other is not note and note.entries:
            remedy = "Keep one of them: `ctxrepo archive` takes the other one out of view."
            yield _of_entry(note.entries[0], f"the note says the same as {other.path}", remedy, "warning")


def _twice(note: Note) -> Iterator[NoteFinding]:
    """Entries under one heading that differ at most in case, tags and signs."""
    same: dict[tuple[tuple[str, ...], str], list[Entry]] = {}
    for entry in note.entries:
        same.setdefault((entry.heading, gist(entry.text)), []).append(entry)
    for first, *others in same.values():
        if others:
            more = f" and {len(others) - 1} more below" if len(others) > 1 else ""
            problem = f"it says the same as line {first.first_line}{more}"
            remedy = "Keep one of them, or say what tells them apart."
            yield _of_entry(others[0], problem, remedy, "warning")


def _rivals(notes: Iterable[Note], evidence: Iterable[Evidence], struck: Set[str]) -> Iterator[NoteFinding]:
    """Entries with a key that a command gave and that an entry before them in the scope has, too."""
    keys = keys_in(evidence)
    first: dict[tuple[str, str], Entry] = {}
    for entry in (entry for note in notes for entry in note.entries if entry.id not in struck):
        place = scope_of(entry.path), entry.key.casefold()
        if place[1] in keys.get(place[0], ()) and (other := first.setdefault(place, entry)) is not entry:
            remedy = f"`ctxrepo forget` one, or say what holds: `ctxrepo remember TEXT --key {other.key}`."
            yield _of_entry(entry, f"{other.at} is a value of the key {entry.key} as well", remedy)


def _elsewhere(notes: Iterable[Note], struck: Set[str]) -> Iterator[NoteFinding]:
    """Entries that another note of the scope has as well, whatever their case, tags and signs."""
    first: dict[tuple[str, str], Entry] = {}
    for note in notes:
        for entry in note.entries:
            text = gist(entry.text)
            if len(text.split()) < _TELLING or entry.id in struck:
                continue
            other = first.setdefault((note.scope_folder, text), entry)
            if other.path != entry.path:
                remedy = "Keep it in one of the two notes."
                yield _of_entry(entry, f"it says the same as {other.at}", remedy, "warning")


def _without_value(
    notes: Iterable[Note], evidence: Sequence[Evidence], struck: Set[str], there: Set[str]
) -> Iterator[NoteFinding]:
    """Keys of which the entry that was stated last is struck, and what superseded it isn't there."""
    times = {e.entry: e.ts for e in sorted(evidence, key=lambda e: e.ts) if e.kind == "stated"}
    last: dict[tuple[str, str], Entry] = {}
    for entry in (entry for note in notes for entry in note.entries):
        if key := entry.key.casefold():
            place = entry.path.partition("/")[0], key
            if place not in last or times.get(entry.id, "") >= times.get(last[place].id, ""):
                last[place] = entry
    for entry in last.values():
        if entry.id in struck and fate(evidence, entry.id)[1] not in there:
            text = shown(mask(normalised(entry.text)), _NAMED)
            remedy = f"If it holds, say it again: `ctxrepo remember TEXT --key {entry.key}`."
            yield _of_entry(entry, f'"{text}" is superseded, and what superseded it is gone', remedy)


def _of_entry(entry: Entry, problem: str, remedy: str, level: Level = "error") -> NoteFinding:
    return NoteFinding(entry.path, entry.first_line, problem, remedy, level)


GENERATED = "marks what ctxrepo keeps beside the notes as generated"


@dataclass(frozen=True)
class FileFix:
    """What is mended in a file: a line for each deed, the bytes before and after, what a conflict lost."""

    path: str
    deeds: tuple[str, ...]
    before: bytes
    after: bytes
    conflict_copies: tuple[ConflictCopy, ...] = ()

    @property
    def diff(self) -> str:
        """As `diff -u` shows it; '' when it is spelt differently and says the same."""
        before, after = (lines_of(decode(side)) for side in (self.before, self.after))
        diff = unified_diff(before, after, self.path, self.path, n=2)
        return "\n".join(line.rstrip("\n") for line in diff)


def fixable(memory: Memory) -> list[FileFix]:
    """What `fix` would do, by path. Nothing is changed."""
    paths = sorted({*memory.worktree.scan().files, ATTRIBUTES_FILE})
    return [file_fix for path in paths if (file_fix := _mended(memory, path))]


def fix(memory: Memory, origin: Origin, now: datetime) -> Sequence[FileFix]:
    """Do it; when this returns it survives a power cut."""
    due = fixable(memory)
    with drafting(memory, "fix", origin, now) as draft:
        fixes = [again for file_fix in due if (again := _mended(memory, file_fix.path))]
        draft.saying = ", ".join(dict.fromkeys(deed for file_fix in fixes for deed in file_fix.deeds))
        for file_fix in fixes:
            draft.put(file_fix.path, decode_exactly(file_fix.after))
            for path, data in map(copy_as_file, file_fix.conflict_copies):
                draft.put(path, decode_exactly(data))
    return fixes


def _mended(memory: Memory, path: str) -> FileFix | None:
    """None for a file that is fine, can't be mended, or is refused all the same; or that was kept aside:
    nobody mends it."""
    if path == ATTRIBUTES_FILE:
        return _marked(memory)
    if not (is_note(path) or path.lower().endswith(".jsonl")) or is_conflict_copy(path):
        return None
    try:
        data = read_data(memory, path)
    except Unreadable:
        return None
    if not data:
        return None
    after = data
    deeds: tuple[str, ...] = ()
    copies: tuple[ConflictCopy, ...] = ()
    if settled := resolve_markers(path, decode_exactly(data)):
        text, copies = settled
        lines = [f"of two edits of one thing the other one is in {copy_as_file(copy)[0]}" for copy in copies]
        after, deeds = encode(text), ("its conflict markers are gone, and both sides are kept", *lines)
    if is_note(path):
        after, more = fixed(path, after)
        deeds += more
    files = {path: after} | dict(map(copy_as_file, copies))
    allow = memory.settings.secrets.allow_secret
    if not deeds or any(check_file(name, files[name], allow) for name in files):
        return None
    return FileFix(path, deeds, data, after, copies)


def _marked(memory: Memory) -> FileFix | None:
    """Only where people review: in any other memory nobody looks at differences on a forge."""
    if not memory.is_reviewed:
        return None
    try:
        before = memory.worktree.read(ATTRIBUTES_FILE) or b""
    except Unreadable:
        return None
    after = encode(marked(decode_exactly(before)))
    return FileFix(ATTRIBUTES_FILE, (GENERATED,), before, after) if after != before else None
