"""What the last commits did to notes, one change at a time, with who did it and how the text differs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import unified_diff
from itertools import islice

from ctxrepo.domain.git.commit import Writers, writers_of
from ctxrepo.domain.merge.tree.moves import moves_between
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import is_conflict_copy, is_note
from ctxrepo.domain.secrets import mask
from ctxrepo.lazy import dataclass
from ctxrepo.services.saving.describe import lines_of_change
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key

Deed = str
"""new, edited, moved or gone."""

_MOST_FILES = 200
"""Notes of one commit whose entries are compared: an import of thousands says how many, not which words."""

_MOST_CHANGES = 3000
"""So many are enough; those of the commit that comes to them are told all the same."""

_LONGEST = 1000
"""Characters of a line."""

_MOST_LINES = 12
_MOST_DIFF = 60
"""Lines of one diff."""


@dataclass(frozen=True)
class NoteChange:
    """What one commit did to one note; `came`, `changed` and `went` count its entries.

    `now` is the path of the note by now, which later commits may have moved. `lines` tell of entries as
    `history` does; `diff` is empty where others took the room. Secrets are masked."""

    commit: str
    when: datetime
    author: str
    writers: Writers
    path: str
    now: str
    deed: Deed
    former: str = ""
    came: int = 0
    changed: int = 0
    went: int = 0
    lines: tuple[str, ...] = ()
    diff: tuple[str, ...] = ()

    @property
    def who(self) -> str:
        """The machine, or git's author where a hand committed."""
        return ", ".join(self.writers.hosts) or self.author


@dataclass(frozen=True)
class RecentChanges:
    """Changes, the newest first, and whether no commit lies before them."""

    changes: Sequence[NoteChange]
    is_all: bool


def recent_changes(memory: Memory, commits: int, diffs: int, diffs_of_note: int) -> RecentChanges:
    """The changes of the last `commits` commits; at most `diffs` have their diff, and of one note
    `diffs_of_note`. A merge counts with what neither of its sides had."""
    objects, tip = memory.objects, memory.head
    names: dict[str, str] = {}
    diff_counts, changes = Counter[str](), list[NoteChange]()
    walk = objects.walk(tip) if tip else iter(())
    for commit, _, parents in islice(walk, commits):
        all_files = objects.changed_by(commit, parents)
        files = {p: keys for p, keys in all_files.items() if is_note(p) and not is_conflict_copy(p)}
        is_small = len(files) <= _MOST_FILES
        former = {new: old for old, new in _moves(objects, files).items()} if is_small else {}
        for new, old in former.items():
            names[old] = names.get(new, new)
        header = objects.header_of(commit)
        for path in sorted(files.keys() - {*former.values()}):
            was, now = former.get(path, ""), names.get(path, path)
            before, after = files[was or path][0], files[path][1]
            texts = [objects.file_or_none(key) if is_small else None for key in (before, after)]
            lines = lines_of_change(path, *texts) if is_small else []
            has_diff = is_small and diff_counts.total() < diffs and diff_counts[now] < diffs_of_note
            diff_counts[now] += has_diff
            marks = Counter(line[0] for line in lines)
            changes.append(
                NoteChange(
                    commit=commit,
                    when=header.when,
                    author=header.author,
                    writers=writers_of(header.message),
                    path=path,
                    now=now,
                    deed="moved" if was else "new" if before is None else "edited" if after else "gone",
                    former=was,
                    came=marks["+"],
                    changed=marks["~"],
                    went=marks["-"],
                    lines=tuple(mask(line[:_LONGEST]) for line in lines[:_MOST_LINES]),
                    diff=diff_lines(*(mask(decode(data or b"")) for data in texts)) if has_diff else (),
                )
            )
        if len(changes) >= _MOST_CHANGES:
            break
    return RecentChanges(changes, next(walk, None) is None)


def _moves(objects: Objects, files: Mapping[str, tuple[Key | None, Key | None]]) -> dict[str, str]:
    """old path -> new path of the notes that a commit moved."""
    gone = {path: old for path, (old, new) in files.items() if old and new is None}
    come = {path: new for path, (old, new) in files.items() if new and old is None}
    if not gone or not come:
        return {}
    texts = ({path: objects.file_or_none(key) or b"" for path, key in side.items()} for side in (gone, come))
    return dict(moves_between(*texts))


def diff_lines(before: str, after: str) -> tuple[str, ...]:
    """The first lines of the unified diff of two texts, without the names of files."""
    diff = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    lines = [line[:_LONGEST] for line in islice(diff, 2, _MOST_DIFF + 3)]
    return (*lines[:_MOST_DIFF], *(["…"] if len(lines) > _MOST_DIFF else []))
