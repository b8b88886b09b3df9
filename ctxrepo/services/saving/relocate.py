"""A project's files go to another folder within one write, and what names them goes along."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from ctxrepo.domain.guard.refusals import Refusal, check_file
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note.entry import entries_of, moved
from ctxrepo.domain.note.links import Moves
from ctxrepo.domain.note.note import decode_exactly, encode, utf16
from ctxrepo.domain.project.layout import TAPES, fold, is_conflict_copy, is_note, moved_path
from ctxrepo.domain.project.registry import rename_links
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.errors import Refused, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.reading.find import note_paths
from ctxrepo.services.reading.marks import named_in_evidence
from ctxrepo.services.saving.evidence import record
from ctxrepo.services.saving.write import Draft
from ctxrepo.storage.memory import Memory


def moves_of(memory: Memory, to: Mapping[str, str]) -> Moves:
    """What becomes of the links when notes get the paths that `to` gives them; to be asked before they do."""
    return Moves(to, frozenset(note_paths(memory)), memory.global_folder)


def follow_links(draft: Draft, moves: Moves, also: Callable[[str], str] = lambda text: text) -> list[str]:
    """Let the links of all notes that stay lead to the notes that move, doing `also` more; returns the paths
    of those changed. A note that the write guard would refuse stays as it is."""
    allow = draft.memory.settings.secrets.allow_secret
    paths = []
    for path in sorted(moves.notes):
        if path in moves.to or is_conflict_copy(path):
            continue
        text = _text(draft, path)
        new_text = also(moves.rewrite(path, text))
        if new_text != text and not check_file(path, encode(new_text), allow):
            draft.put(path, new_text)
            paths.append(path)
    return paths


def _text(draft: Draft, path: str) -> str:
    """A note that may have links in it, or ''."""
    if path in draft.after or path in draft.held:
        return draft.there(path) or ""
    try:
        data = draft.memory.worktree.read(path) or b""
    except Unreadable:
        return ""
    may_link = b"[[" in data or b".md" in data.lower()
    return decode_exactly(data) if may_link and not utf16(data) else ""


@dataclass(frozen=True)
class Relocation:
    """How many files moved, how many other notes had links into it, and what lost where two files met."""

    files: int
    linking: int
    conflict_copies: tuple[ConflictCopy, ...]


def require_nothing_held_back(refusals: Iterable[Refusal], folder: str) -> None:
    """Refused while something in a folder is held back: in another place it would look as if it was meant."""
    for refusal in refusals:
        if moved_path(refusal.path, folder, f"{folder}-"):
            hint = "`ctxrepo status` says how it is settled."
            raise Refused(f"{refusal.at} is held back: {refusal.message}", hint)


def relocate(draft: Draft, old: str, new: str, now: datetime) -> Relocation:
    """Move the notes, other files and tapes of the folder `old` to the folder `new`, merging with a file that
    is there. Links lead to the new one, and evidence follows the entries whose ids change with their
    place."""
    memory = draft.memory
    scans = [draft.memory.worktree.scan(folder) for folder in (old, TAPES)]
    paths = sorted(path for scan in scans for path in scan.files)
    files = {path: to for path in paths if (to := moved_path(path, old, new))}
    # Two names that differ only in case are one file on other machines.
    twins = {fold(path): path for path in memory.worktree.scan(new).files}
    files = {p: to if memory.worktree.exists(to) else twins.get(fold(to), to) for p, to in files.items()}
    draft.require_kept(files)
    moves = moves_of(memory, {path: to for path, to in files.items() if is_note(path)})
    copies: list[ConflictCopy] = []
    for path, to in files.items():
        text = draft.there(path) or ""
        copies += _put(
            draft, to, rename_links(moves.rewrite(path, text), old, new) if is_note(path) else text
        )
        draft.remove(path)
        before = entries_of(path, text) if is_note(path) else []
        named = named_in_evidence(memory, (entry.id for entry in before))
        before = [entry for entry in before if entry.id in named]
        after = entries_of(to, draft.there(to) or "") if before else []
        for was, entry in moved(before, after):
            record(draft, "moved", was.id, to, now, entry.id)
    linking = follow_links(draft, moves, lambda text: rename_links(text, old, new))
    return Relocation(len(files), len(linking), tuple(copies))


def _put(draft: Draft, path: str, text: str) -> tuple[ConflictCopy, ...]:
    there = draft.there(path)
    if there is None:
        draft.put(path, text)
        return ()
    merged = merge_file(path, None, encode(there), encode(text))
    draft.put(path, decode_exactly(merged.data or b""))
    for file, data in map(copy_as_file, merged.conflict_copies):
        draft.put(file, decode_exactly(data))
    return merged.conflict_copies
