"""fix: what `check` finds and needs no decision of a person is mended, file by file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff

from ctxrepo.domain.fixes import fixed
from ctxrepo.domain.guard import check_file
from ctxrepo.domain.markdown import lines_of
from ctxrepo.domain.merge.aside import CONFLICTS
from ctxrepo.domain.note import decode, decode_exactly
from ctxrepo.domain.origin import Origin
from ctxrepo.domain.paths import is_note
from ctxrepo.errors import Unreadable
from ctxrepo.services.write import drafting
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Fixed:
    """What is mended in a note, a line for each deed, and the bytes before and after."""

    path: str
    deeds: tuple[str, ...]
    before: bytes
    after: bytes

    @property
    def diff(self) -> str:
        """As `diff -u` shows it; '' when it is spelt differently and says the same."""
        before, after = (lines_of(decode(side)) for side in (self.before, self.after))
        diff = unified_diff(before, after, self.path, self.path, n=2)
        return "\n".join(line.rstrip("\n") for line in diff)


def fixable(memory: Memory) -> list[Fixed]:
    """What `fix` would do, by path. Nothing is changed."""
    paths = sorted(memory.worktree.scan().files)
    return [one for path in paths if (one := _mended(memory, path))]


def fix(memory: Memory, origin: Origin, now: datetime) -> Sequence[Fixed]:
    """Do it; when this returns it survives a power cut."""
    due = fixable(memory)
    with drafting(memory, "fix", origin, now) as draft:
        done = [again for one in due if (again := _mended(memory, one.path))]
        draft.saying = ", ".join(dict.fromkeys(deed for one in done for deed in one.deeds))
        for one in done:
            draft.put(one.path, decode_exactly(one.after))
    return done


def _mended(memory: Memory, path: str) -> Fixed | None:
    """None for a note that is fine, or that can't be mended, or that the write guard refuses all the same.

    A version that was kept aside is read back to the byte: nobody mends it.
    """
    if not is_note(path) or path.startswith(CONFLICTS):
        return None
    try:
        data = memory.worktree.read(path)
    except Unreadable:
        return None
    after, deeds = fixed(path, data) if data else (b"", ())
    if data is None or not deeds or check_file(path, after, memory.settings.secrets.allow_secret):
        return None
    return Fixed(path, deeds, data, after)
