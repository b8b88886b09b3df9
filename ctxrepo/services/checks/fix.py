"""What `check` finds and needs no decision of a person is mended, file by file."""

from collections.abc import Sequence
from datetime import datetime
from difflib import unified_diff

from ctxrepo.domain.git.gitfiles import ATTRIBUTES_FILE, marked
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.merge.resolve import resolve_markers
from ctxrepo.domain.note.compose import fixed
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.note.note import decode, decode_exactly, encode
from ctxrepo.domain.project.layout import is_conflict_copy, is_note
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.reading.find import read_data
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory

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
    return [one for path in paths if (one := _mended(memory, path))]


def fix(memory: Memory, origin: Origin, now: datetime) -> Sequence[FileFix]:
    """Do it; when this returns it survives a power cut."""
    due = fixable(memory)
    with drafting(memory, "fix", origin, now) as draft:
        done = [again for one in due if (again := _mended(memory, one.path))]
        draft.saying = ", ".join(dict.fromkeys(deed for one in done for deed in one.deeds))
        for one in done:
            draft.put(one.path, decode_exactly(one.after))
            for path, data in map(copy_as_file, one.conflict_copies):
                draft.put(path, decode_exactly(data))
    return done


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
    after, deeds, copies = _without_markers(path, data)
    if is_note(path):
        after, more = fixed(path, after)
        deeds += more
    kept = {path: after} | dict(map(copy_as_file, copies))
    allow = memory.settings.secrets.allow_secret
    if not deeds or any(check_file(name, kept[name], allow) for name in kept):
        return None
    return FileFix(path, deeds, data, after, copies)


def _without_markers(path: str, data: bytes) -> tuple[bytes, tuple[str, ...], tuple[ConflictCopy, ...]]:
    """The file with both sides of its conflicts, and what is to be said of it."""
    found = resolve_markers(path, decode_exactly(data))
    if found is None:
        return data, (), ()
    text, copies = found
    lost = [f"of two edits of one thing the other one is in {copy_as_file(one)[0]}" for one in copies]
    return encode(text), ("its conflict markers are gone, and both sides are kept", *lost), copies


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
