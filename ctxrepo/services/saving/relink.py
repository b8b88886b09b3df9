"""Links in all notes follow the notes that a command moves, within its write."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.note.links import Moves
from ctxrepo.domain.note.note import decode_exactly, encode, utf16
from ctxrepo.domain.project.layout import is_conflict_copy
from ctxrepo.errors import Unreadable
from ctxrepo.services.reading.find import note_paths
from ctxrepo.services.saving.write import Draft
from ctxrepo.storage.memory import Memory


def moves_of(memory: Memory, to: Mapping[str, str]) -> Moves:
    """What becomes of the links when notes get the paths that `to` gives them; to be asked before they do."""
    return Moves(to, frozenset(note_paths(memory)), memory.global_folder)


def follow_links(draft: Draft, moves: Moves, also: Callable[[str], str] = lambda text: text) -> list[str]:
    """Let the links of all notes that stay lead to the notes that move; returns the paths of those changed.

    `also` does more to a note's text. A note that the write guard would refuse is left as it is.
    """
    allow = draft.memory.settings.secrets.allow_secret
    done = []
    for path in sorted(moves.notes):
        if path in moves.to or is_conflict_copy(path):
            continue
        text = _text(draft, path)
        changed = also(moves.rewrite(path, text))
        if changed != text and not check_file(path, encode(changed), allow):
            draft.put(path, changed)
            done.append(path)
    return done


def _text(draft: Draft, path: str) -> str:
    """A note that may have links in it, or ''."""
    if path in draft.after:
        return draft.there(path) or ""
    try:
        data = draft.memory.worktree.read(path) or b""
    except Unreadable:
        return ""
    may_link = b"[[" in data or b".md" in data.lower()
    return decode_exactly(data) if may_link and not utf16(data) else ""
