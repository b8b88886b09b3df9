"""What changes of notes come to, entry by entry: each entry once, as it was before and as it is after all."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field

from ctxrepo.domain.guard.bounds import FILE_BYTES
from ctxrepo.domain.merge.tree.moves import moves_between
from ctxrepo.domain.note.entry import Entry, entries_of, normalised, same_texts
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import is_conflict_copy, is_note
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import CommitSummary
from ctxrepo.services.saving.describe import entry_pairs, words_said

Files = Mapping[str, tuple[bytes | None, bytes | None]]
"""path -> what the file was and what it became; None for no file."""


@dataclass(frozen=True)
class NetChange:
    """What became of an entry of a note: '' for the text of `before` it came or `after` it went; `former` is
    the note that it came from. `deed` is the commit that left it so, None for none. `ids` are the entry's."""

    before: str
    after: str
    former: str = ""
    deed: CommitSummary | None = None
    ids: frozenset[str] = frozenset()
    id: str = ""
    """The last of them."""

    @property
    def mark(self) -> str:
        """`+` for an entry that came, `~` for an edited one, `>` for a moved one, `-` for one that went."""
        if not self.after:
            return "-"
        return ">" if self.former else "~" if self.before else "+"


@dataclass(frozen=True)
class ChangedFile:
    """A note with the changes of its entries, or another file. `kind` is new, changed, removed or renamed,
    then from `former`. A note without changes of entries was changed in its frontmatter or headings."""

    path: str
    kind: str
    former: str = ""
    changes: Sequence[NetChange] = ()
    sizes: tuple[int | None, int | None] = (None, None)
    """In bytes, before and after."""
    deed: CommitSummary | None = None
    """The commit that changed it last."""
    is_waiting: bool = False
    """Whether something of it is in no commit yet."""


@dataclass
class _Life:
    """An entry from its first text, None where it is new, to its last."""

    first: Entry | None
    last: Entry
    deed: CommitSummary | None
    ids: set[str] = field(default_factory=set)


@dataclass
class _File:
    """A file from before to after: None where it wasn't or isn't there."""

    former: str
    parts: list[tuple[bytes | None, bytes | None]]
    """Of a file that others changed in between, each part of the way from before to after."""
    deed: CommitSummary | None

    @property
    def before(self) -> bytes | None:
        return self.parts[0][0]

    @property
    def after(self) -> bytes | None:
        return self.parts[-1][1]


class NetChanges:
    """Collects the changes of one commit after the other, the oldest first."""

    def __init__(self) -> None:
        self._lives: dict[str, _Life] = {}
        self._gone: list[tuple[Entry, CommitSummary | None, set[str]]] = []
        self._files: dict[str, _File] = {}

    def add(self, files: Files, deed: CommitSummary | None = None) -> None:
        """Take in what a commit did to these files; a note that moved is one that goes and one that comes."""
        gone = {p: was for p, (was, now) in files.items() if was is not None and now is None}
        come = {p: now for p, (was, now) in files.items() if was is None and now is not None}
        moves = {new: old for old, new in moves_between(gone, come).items()}
        notes: list[tuple[list[Entry], list[Entry]]] = []
        for path, (was, now) in files.items():
            if path in moves.values():
                continue
            former = moves.get(path, path)
            was = files[former][0]
            self._follow(former, path, was, now, deed)
            if _has_entries(path, was, now):
                notes.append((_entries(former, was), _entries(path, now)))
        self._take(_pairs(notes), deed)

    def _follow(
        self, former: str, path: str, was: bytes | None, now: bytes | None, deed: CommitSummary | None
    ) -> None:
        known = self._files.pop(former, None)
        parts = known.parts if known else []
        if parts and parts[-1][1] == was:
            was, _ = parts.pop()
        self._files[path] = _File(known.former if known else former, [*parts, (was, now)], deed)

    def _take(self, pairs: Sequence[tuple[Entry | None, Entry | None]], deed: CommitSummary | None) -> None:
        for before, after in pairs:
            life = self._lives.pop(before.id, None) if before else None
            first, ids = (life.first, life.ids) if life else (before, set[str]())
            ids |= {entry.id for entry in (before, after) if entry}
            if after is not None:
                is_same = life and _same(life.last, after)
                self._lives[after.id] = _Life(first, after, life.deed if life and is_same else deed, ids)
            elif first is not None:
                self._gone.append((first, deed, ids))

    def files(self) -> list[ChangedFile]:
        """All that is different after it, by path, the changes in the order of the note."""
        changes: dict[str, list[tuple[int, NetChange]]] = {}
        renamed = {path: file.former for path, file in self._files.items() if file.former != path}
        come = [life for life in self._lives.values() if life.first is None]
        back: dict[str, list[_Life]] = {}
        for life in come:
            back.setdefault(normalised(life.last.text), []).append(life)
        for entry, deed, ids in self._gone:
            if same := back.get(normalised(entry.text)):  # it came back later, here or elsewhere
                life = same.pop()
                life.first, life.ids = entry, life.ids | ids
            else:
                change = NetChange(_line(entry), "", "", deed, frozenset(ids), entry.id)
                changes.setdefault(entry.path, []).append((entry.first_line, change))
        for life in self._lives.values():
            first, last = life.first, life.last
            stays = first is not None and first.path == renamed.get(last.path, last.path)
            if first is not None and stays and _same(first, last):
                continue
            before, after = _texts(first, last)
            former = "" if first is None or stays else first.path
            change = NetChange(before, after, former, life.deed, frozenset(life.ids), last.id)
            changes.setdefault(last.path, []).append((last.first_line, change))
        paths = sorted(changes.keys() | self._files.keys())
        in_order = {path: sorted(own, key=lambda pair: pair[0]) for path, own in changes.items()}
        files = (self._file(path, [change for _, change in in_order.get(path, ())]) for path in paths)
        return [file for file in files if file]

    def _file(self, path: str, changes: Sequence[NetChange]) -> ChangedFile | None:
        file = self._files.get(path) or _File(path, [(b"", b"")], None)
        if file.before == file.after and file.former == path and not changes:
            return None
        if file.before is None and file.after is None:
            return None
        kind = "new" if file.before is None else "removed" if file.after is None else "changed"
        kind = "renamed" if file.former != path else kind
        before, after = (None if data is None else len(data) for data in (file.before, file.after))
        former = file.former if file.former != path else ""
        return ChangedFile(path, kind, former, changes, (before, after), file.deed)

    def contents(self) -> Iterable[tuple[str, str, bytes | None, bytes | None]]:
        """(former path, path, bytes before, bytes after) of each file that is different, part by part."""
        for path, file in sorted(self._files.items()):
            for before, after in file.parts:
                if before != after or file.former != path:
                    yield file.former, path, before, after


def _pairs(notes: Sequence[tuple[list[Entry], list[Entry]]]) -> list[tuple[Entry | None, Entry | None]]:
    """(before, after) of each entry that came, changed or went. What went from one note and came to another
    with the same words is one entry, and no edit of its neighbours there."""
    there = [{e.id for e in side} | {normalised(e.text) for e in side} for note in notes for side in note]
    went = [e for n, (olds, _) in enumerate(notes) for e in olds if not _stays(e, there[2 * n + 1])]
    came = [e for n, (_, news) in enumerate(notes) for e in news if not _stays(e, there[2 * n])]
    moves = list(same_texts(went, came))
    elsewhere = {id(entry) for move in moves for entry in move}
    rest = ([[e for e in side if id(e) not in elsewhere] for side in note] for note in notes)
    return [*moves, *(pair for olds, news in rest for pair in entry_pairs(olds, news))]


def _stays(entry: Entry, there: Set[str]) -> bool:
    return entry.id in there or normalised(entry.text) in there


def _has_entries(path: str, *versions: bytes | None) -> bool:
    is_large = any(data is not None and len(data) > FILE_BYTES.most for data in versions)
    return is_note(path) and not is_conflict_copy(path) and not is_large


def _entries(path: str, data: bytes | None) -> list[Entry]:
    return entries_of(path, decode(data or b"")) if is_note(path) else []


def _same(first: Entry, last: Entry) -> bool:
    return first.text.split() == last.text.split()


def _line(entry: Entry) -> str:
    return normalised(entry.text)


def _texts(first: Entry | None, last: Entry) -> tuple[str, str]:
    """Both texts in a line; with their boxes where only these differ."""
    if first is None:
        return "", _line(last)
    if _line(first) == _line(last) and not _same(first, last):
        return words_said(first), words_said(last)
    return _line(first), _line(last)
