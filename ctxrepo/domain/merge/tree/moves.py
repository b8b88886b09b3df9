"""Which files moved: by what is recorded, by their bytes, by names that differ in case only, by likeness."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from ctxrepo.domain.merge.file import MAX_BYTES
from ctxrepo.domain.merge.tree.surroundings import Blobs, Content, Contents, is_plain
from ctxrepo.domain.note.entry import SIMILAR, entries_of, similarity
from ctxrepo.domain.note.note import decode, decode_exactly, units_of
from ctxrepo.domain.project.layout import fold, is_note
from ctxrepo.domain.records.evidence import renamed
from ctxrepo.lazy import dataclass

MAX_PAIRS = 10_000
"""With more pairs of old and new paths, only files with equal bytes or an equal name count as moved."""

MAX_COPIES = 100
"""With more files of the same bytes nobody could tell which one moved where."""

MAX_LETTERS = 40_000
"""Up to this product of lengths two texts are also compared by their letters, above by their lines."""

MAX_BY_LETTERS = 1_000
"""With more pairs of paths texts are compared by their lines only: a pair of texts takes two milliseconds by
their letters."""

_RECORDED, _SAME_NAME_ON_BOTH_SIDES, _SAME_BYTES, _SAME_NAME = 16.0, 8.0, 4.0, 2.0
_SAME_FILE_NAME = 0.25

Moves = dict[str, str]
"""old path -> new path"""

_Scored = tuple[float, str, str]


def moves_of(base: Contents, side: Contents, other: Contents, blobs: Blobs) -> Moves:
    """The files that this side moved; of those that the other side left alone, and of whose entries nothing
    is recorded, only where bytes or name tell. Bytes are told by their keys, if both contents have one."""
    absent = sorted(p for p in base.keys() - side.keys() if is_plain(base[p]))
    come = sorted(p for p in side.keys() - base.keys() if is_plain(side[p]))
    old = [*absent, *_replaced(base, side, come, blobs)]
    evidence = [*blobs.evidence()] if absent and come else []
    former = renamed(evidence)
    recorded = ((_RECORDED, old, new) for new in come for old in former.get(new, ()) if old in absent)
    by_content = _same_bytes(old, come, base, side, blobs)
    moves = _paired([*recorded, *by_content, *_same_names(absent, come, side, other)])
    new = set(moves.values())
    gone, come = [p for p in absent if p not in moves], [p for p in come if p not in new]
    named = {e.path for e in evidence}
    gone = [p for p in gone if other.get(p) != base[p] or p in named]
    # A note that a command forgot is gone, and one that commands made is new, however alike the two are.
    known, forgotten = {e.entry for e in evidence}, {e.entry for e in evidence if e.kind == "forgotten"}
    put = {e.to if e.kind == "moved" else e.entry for e in evidence if e.kind in ("stated", "moved")}
    gone = [p for p in gone if not _are_all(_ids_of(p, base, blobs) & known, forgotten)]
    come = [p for p in come if not _are_all(_ids_of(p, side, blobs), put)] if gone else []
    return moves | _paired(_alike(gone, come, base, side, blobs))


def _ids_of(path: str, tree: Contents, blobs: Blobs) -> set[str]:
    text = decode(blobs.bytes_of(tree[path]) or b"") if is_note(path) else ""
    return {entry.id for entry in entries_of(path, text)}


def _are_all(ids: set[str], among: set[str]) -> bool:
    return bool(ids) and ids <= among


def moves_between(gone: Mapping[str, bytes | None], come: Mapping[str, bytes | None]) -> Moves:
    """Which of the files that are gone is which of those that came: one that says half of it or more."""
    olds = {path: _units(path, data) for path, data in gone.items()}
    places = {unit: path for path, units in olds.items() for unit in units}
    scored = []
    for new, data in come.items() if places else ():
        units = _units(new, data)
        for old, count in Counter(places[unit] for unit in units if unit in places).items():
            share = count / max(len(units), len(olds[old]))
            if share >= 0.5 and is_note(old) == is_note(new):
                scored.append((share + _near(old, new), old, new))
    return _paired(scored)


def _units(path: str, data: bytes | None) -> Collection[str]:
    """What a file says, in units; without any, its bytes."""
    return units_of(path, data).keys() or {decode_exactly(data or b"")} - {""}


def _replaced(base: Contents, side: Contents, come: Sequence[str], blobs: Blobs) -> Iterator[str]:
    """The paths of notes that say something else altogether by now, while a new file says what they said."""
    new = {side[path] for path in come}
    for path in sorted(p for p in base.keys() & side.keys() if is_note(p) and base[p] in new):
        if is_plain(side[path]):
            was, now = (units_of(path, blobs.bytes_of(tree[path])) for tree in (base, side))
            if not was & now:
                yield path


def _paired(scored: Iterator[_Scored] | Sequence[_Scored]) -> Moves:
    """Pair the most similar paths first; each path is in at most one pair. A note whose bytes are in a file
    that is no note has been deleted (ADR 71)."""
    moves: Moves = {}
    new_paths: set[str] = set()
    for _, old, new in sorted((-score, old, new) for score, old, new in scored):
        if old not in moves and new not in new_paths and (is_note(new) or not is_note(old)):
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
    olds = {path: _LineCounts.of(path, blobs.bytes_of(base[path])) for path in gone}
    news = {path: _LineCounts.of(path, blobs.bytes_of(side[path])) for path in come if gone}
    by_letters = len(gone) * len(come) <= MAX_BY_LETTERS
    for old, new in product(olds, news):
        score = olds[old].likeness(news[new], by_letters=by_letters)
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
    def of(path: str, data: bytes | None) -> "_LineCounts":
        """Of a note what its entries say: its head and headings are like those of many others."""
        data = data if data is not None and len(data) <= MAX_BYTES else None
        units = "\n".join(units_of(path, data).elements())
        text = units or decode_exactly(data or b"")
        lines = Counter(line.strip() for line in text.splitlines() if line.strip())
        return _LineCounts(text, lines, _letters(lines))

    def likeness(self, other: "_LineCounts", *, by_letters: bool) -> float:
        """0 to 1: how much of the two texts is the same, by lines; for short texts also by letters."""
        if not self.letters or not other.letters:
            return 0.0
        shared = 2 * _letters(self.lines & other.lines) / (self.letters + other.letters)
        is_short = by_letters and len(self.text) * len(other.text) <= MAX_LETTERS
        return max(shared, similarity(self.text, other.text)) if is_short else shared


def _letters(lines: Counter[str]) -> int:
    return sum(len(line) * times for line, times in lines.items())
