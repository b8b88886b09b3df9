"""Merges two trees over their base: project folders, moved files, each file, then clashing names."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from ctxrepo.domain.merge.file import MAX_BYTES
from ctxrepo.domain.merge.tree.clashes import Renames, Versions, kept_apart, with_own_folders
from ctxrepo.domain.merge.tree.keys import settle_keys
from ctxrepo.domain.merge.tree.surroundings import (
    Blobs,
    Content,
    Contents,
    NamesIn,
    Surroundings,
    is_plain,
    nothing_else,
)
from ctxrepo.domain.note.entry import SIMILAR, similarity
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import fold
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.lazy import dataclass

Tree = Mapping[str, str]
"""path -> blob key, of the paths that differ between the base and at least one side."""


@dataclass(frozen=True)
class TreeMerge:
    """`changes` turns ours into the merged tree, `conflict_copies` and all: path -> key taken from a side,
    new bytes, or None to remove it. `renames` are project folders that had to make way."""

    changes: Mapping[str, Content | None]
    conflict_copies: tuple[ConflictCopy, ...] = ()
    renames: Renames = ()


def merge_trees(
    base: Tree,
    ours: Tree,
    theirs: Tree,
    read: Callable[[str], bytes],
    names_in: NamesIn = nothing_else,
    evidence: Callable[[], Iterable[Evidence]] = tuple,
) -> TreeMerge:
    """The changes that make `ours` hold both sides, whichever is called ours; `read` gives the bytes of a
    key. `names_in`, the paths that differ nowhere, is asked only where a new name could clash with one,
    `evidence` of both sides only where both edited an entry."""
    blobs = Blobs(read, evidence)
    around = Surroundings(names_in, base.keys() | ours.keys() | theirs.keys())
    claimed = with_own_folders(base, ours, theirs, blobs, around.names)
    was, us, them = claimed.base, claimed.ours, claimed.theirs
    met = around.files_like((us.keys() | them.keys()) - was.keys())
    versions = Versions({**met, **was}, {**met, **us}, {**met, **them}, around)
    merged, copies = _file_by_file(versions, blobs)
    copies |= dict.fromkeys((*settle_keys(merged, was, us, them, blobs), *claimed.conflict_copies))
    merged = _placed(merged, copies, versions, blobs)
    before = {**ours, **met}
    changes = {path: merged.get(path) for path in sorted(merged.keys() | before.keys())}
    changes = {path: content for path, content in changes.items() if content != before.get(path)}
    return TreeMerge(changes, tuple(copies), claimed.renames)


def _file_by_file(versions: Versions, blobs: Blobs) -> tuple[dict[str, Content], dict[ConflictCopy, None]]:
    merged: dict[str, Content] = {}
    copies: dict[ConflictCopy, None] = {}
    for item in file_versions(versions.base, versions.ours, versions.theirs, blobs):
        content, lost = blobs.merge(item.path, item.was, item.us, item.them)
        copies |= dict.fromkeys(lost)
        if content is not None:
            both, lost = blobs.merge(item.path, None, merged.get(item.path), content)
            merged[item.path] = content if both is None else both
            copies |= dict.fromkeys(lost)
    return merged, copies


def _placed(
    merged: Contents, copies: dict[ConflictCopy, None], versions: Versions, blobs: Blobs
) -> dict[str, Content]:
    """`merged` with its conflict copies, each file with its own name; what that loses goes to `copies`."""
    placed, lost = kept_apart({**merged, **dict(map(copy_as_file, copies))}, versions, blobs)
    while new := dict.fromkeys(copy for copy in lost if copy not in copies):
        copies |= new
        placed, lost = kept_apart({**placed, **dict(map(copy_as_file, new))}, versions, blobs)
    return placed


MAX_PAIRS = 10_000
"""With more pairs of old and new paths, only files with equal bytes or an equal name count as moved."""

MAX_COPIES = 100
"""With more files of the same bytes nobody could tell which one moved where."""

MAX_LETTERS = 40_000
"""Up to this product of lengths two texts are also compared by their letters, above by their lines."""

_SAME_BYTES, _SAME_NAME = 4.0, 2.0
_SAME_NAME_ON_BOTH_SIDES = 8.0
_SAME_FILE_NAME = 0.25

_Moves = dict[str, str]
_Scored = tuple[float, str, str]


@dataclass(frozen=True)
class FileVersions:
    """Three versions of one file, whatever path each side has it at, and its merged path."""

    path: str
    was: Content | None
    us: Content | None
    them: Content | None


def file_versions(base: Contents, ours: Contents, theirs: Contents, blobs: Blobs) -> Iterator[FileVersions]:
    """Every file of three trees; several with one path are merged. One that a side moved and the other
    edited is one file; it stays if the other removed it, and has the greater name if both moved it."""
    by_us, by_them = _moves(base, ours, theirs, blobs), _moves(base, theirs, ours, blobs)
    paired: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    for path in sorted(by_us.keys() | by_them.keys()):
        our_path, their_path = by_us.get(path, path), by_them.get(path, path)
        if our_path in ours and their_path in theirs:
            for names, name in zip(paired, (path, our_path, their_path), strict=True):
                names.add(name)
            new = max({our_path, their_path} - {path})
            yield FileVersions(new, base[path], ours[our_path], theirs[their_path])
    for path in sorted(base.keys() | ours.keys() | theirs.keys()):
        sides = zip((base, ours, theirs), paired, strict=True)
        yield FileVersions(path, *(None if path in names else side.get(path) for side, names in sides))


def _moves(base: Contents, side: Contents, other: Contents, blobs: Blobs) -> _Moves:
    """old path -> new path of files that this side moved and the other side changed or moved. Those that
    it left alone are paired too, and then dropped: their new path could else be paired with another file."""
    absent = sorted(p for p in base.keys() - side.keys() if is_plain(base[p]))
    come = sorted(p for p in side.keys() - base.keys() if is_plain(side[p]))
    moves = _paired([*_same_bytes(absent, come, base, side, blobs), *_same_names(absent, come, side, other)])
    gone = [p for p in absent if other.get(p) != base[p]]
    new = set(moves.values())
    unpaired = [p for p in gone if p not in moves], [p for p in come if p not in new]
    return {p: moves[p] for p in gone if p in moves} | _paired(_alike(*unpaired, base, side, blobs))


def _paired(scored: Iterator[_Scored] | Sequence[_Scored]) -> _Moves:
    """Pair the most similar paths first; each path is in at most one pair."""
    moves: _Moves = {}
    new_paths: set[str] = set()
    for _, old, new in sorted((-score, old, new) for score, old, new in scored):
        if old not in moves and new not in new_paths:
            moves[old] = new
            new_paths.add(new)
    return moves


def _same_bytes(
    gone: Sequence[str], come: Sequence[str], base: Contents, side: Contents, blobs: Blobs
) -> Iterator[_Scored]:
    paths_by_content: dict[Content, list[str]] = defaultdict(list)
    for new in come:
        paths_by_content[side[new]].append(new)
    for old in gone:
        same = paths_by_content.get(base[old], [])
        if 0 < len(same) <= MAX_COPIES and (blobs.bytes_of(base[old]) or b"").strip():
            yield from ((_SAME_BYTES + _near(old, new), old, new) for new in same)


def _same_names(
    gone: Sequence[str], come: Sequence[str], side: Contents, other: Contents
) -> Iterator[_Scored]:
    """Paths that differ only in case: one file where case is ignored. If both sides have the same file
    there, they agree on the renaming, even if a side has another file with these bytes."""
    paths_by_fold: dict[str, list[str]] = defaultdict(list)
    for new in come:
        paths_by_fold[fold(new)].append(new)
    for old in gone:
        for new in paths_by_fold.get(fold(old), ()):
            score = _SAME_NAME_ON_BOTH_SIDES if side[new] == other.get(new) else _SAME_NAME
            yield score + _near(old, new), old, new


def _alike(
    gone: Sequence[str], come: Sequence[str], base: Contents, side: Contents, blobs: Blobs
) -> Iterator[_Scored]:
    if len(gone) * len(come) > MAX_PAIRS:
        return
    olds = {path: _LineCounts.of(blobs.bytes_of(base[path])) for path in gone}
    news = {path: _LineCounts.of(blobs.bytes_of(side[path])) for path in come if gone}
    for old, new in product(olds, news):
        score = olds[old].likeness(news[new])
        if score >= SIMILAR:
            yield score + _near(old, new), old, new


def _near(old: str, new: str) -> float:
    """Added to the score of two paths with the same file name."""
    return _SAME_FILE_NAME * (old.rpartition("/")[2] == new.rpartition("/")[2])


@dataclass(frozen=True)
class _LineCounts:
    text: str
    lines: Counter[str]
    letters: int

    @staticmethod
    def of(data: bytes | None) -> "_LineCounts":
        text = decode_exactly(data) if data is not None and len(data) <= MAX_BYTES else ""
        lines = Counter(line.strip() for line in text.splitlines() if line.strip())
        return _LineCounts(text, lines, _letters(lines))

    def likeness(self, other: "_LineCounts") -> float:
        """0 to 1: how much of the two texts is the same, by lines; for short texts also by letters."""
        if not self.letters or not other.letters:
            return 0.0
        shared = 2 * _letters(self.lines & other.lines) / (self.letters + other.letters)
        is_short = len(self.text) * len(other.text) <= MAX_LETTERS
        return max(shared, similarity(self.text, other.text)) if is_short else shared


def _letters(lines: Counter[str]) -> int:
    return sum(len(line) * times for line, times in lines.items())
