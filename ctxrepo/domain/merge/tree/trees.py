"""Merges two trees over their base: project folders, moved files, each file, then clashing names."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from ctxrepo.domain.merge.tree.clashes import Versions, kept_apart, with_own_folders
from ctxrepo.domain.merge.tree.moves import Moves, moves_of
from ctxrepo.domain.merge.tree.rivals import copies_of_rival_resolutions, settle_rivals
from ctxrepo.domain.merge.tree.surroundings import Blobs, Content, Contents, NamesIn, Surroundings
from ctxrepo.domain.project.layout import is_aside
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.evidence import Evidence, in_folders
from ctxrepo.lazy import dataclass

Tree = Mapping[str, str]
"""path -> blob key, of the paths that differ between the base and at least one side."""


@dataclass(frozen=True)
class TreeMerge:
    """`changes` turns ours into the merged tree, `conflict_copies` and all: path -> key taken from a side,
    new bytes, or None to remove it. `moves` are the files of a side that have another path now."""

    changes: Mapping[str, Content | None]
    conflict_copies: tuple[ConflictCopy, ...] = ()
    moves: Moves = field(default_factory=dict)


def merge_trees(
    base: Tree,
    ours: Tree,
    theirs: Tree,
    read: Callable[[str], bytes],
    names_in: NamesIn = lambda _: {},
    evidence: Callable[[], Iterable[Evidence]] = tuple,
    *,
    keeps_names: bool = False,
) -> TreeMerge:
    """The changes that make `ours` hold both sides, whichever is called ours; `read` gives the bytes of a
    key. `names_in`, the paths that differ nowhere, is asked only where a new name could clash with one,
    `evidence` of both sides only where both edited an entry. With `keeps_names` the sides aren't equal: no
    name of ours makes way."""
    blobs = Blobs(read, evidence)
    around = Surroundings(names_in, base.keys() | ours.keys() | theirs.keys())
    claimed = with_own_folders(base, ours, theirs, blobs, around.names)
    was, us, them = claimed.base, claimed.ours, claimed.theirs
    blobs = Blobs(read, lambda: in_folders(evidence(), claimed.folders))
    met = around.files_like((us.keys() | them.keys()) - was.keys())
    versions = Versions({**met, **was}, {**met, **us}, {**met, **them}, around)
    moves = dict(claimed.moves)
    merged, copies = _file_by_file(versions, blobs, moves)
    rivals = settle_rivals(merged, claimed, moves, blobs)
    copies |= dict.fromkeys((*rivals, *claimed.conflict_copies))
    copies |= dict.fromkeys(copies_of_rival_resolutions(merged, was, us, them, moves, blobs))
    if keeps_names:
        versions = replace(versions, base={**versions.base, **us}, theirs={**versions.theirs, **us})
    merged = _placed(merged, copies, versions, blobs)
    before = {**ours, **met}
    changes = {path: merged.get(path) for path in sorted(merged.keys() | before.keys())}
    changes = {path: content for path, content in changes.items() if content != before.get(path)}
    return TreeMerge(changes, tuple(copies), moves)


def _file_by_file(
    versions: Versions, blobs: Blobs, moves: Moves
) -> tuple[dict[str, Content], dict[ConflictCopy, None]]:
    """The merged files, and copies of what lost; `moves` gets the paths that files of a side have now."""
    former: defaultdict[str, list[str]] = defaultdict(list)
    for old, new in moves.items():
        former[new].append(old)
    merged: dict[str, Content] = {}
    copies: dict[ConflictCopy, None] = {}
    for place, three, others in file_versions(versions.base, versions.ours, versions.theirs, blobs):
        names = {*others, *(old for path in (place, *others) for old in former[path])}
        content, new_copies = blobs.merge(place, *three, names)
        copies |= dict.fromkeys(new_copies)
        if content is not None:
            both, new_copies = blobs.merge(place, None, merged.get(place), content)
            merged[place] = content if both is None else both
            copies |= dict.fromkeys(new_copies)
            for path in others:
                moves |= dict.fromkeys((path, *former[path]), place)
    return merged, copies


def _placed(
    merged: Contents, copies: dict[ConflictCopy, None], versions: Versions, blobs: Blobs
) -> dict[str, Content]:
    """`merged` with its conflict copies, each file with its own name; what that loses goes to `copies`."""
    placed, clash_copies = kept_apart({**merged, **dict(map(copy_as_file, copies))}, versions, blobs)
    while new := dict.fromkeys(copy for copy in clash_copies if copy not in copies):
        copies |= new
        placed, clash_copies = kept_apart({**placed, **dict(map(copy_as_file, new))}, versions, blobs)
    return placed


Three = tuple[Content | None, Content | None, Content | None]
"""Three versions of a file."""


def file_versions(
    base: Contents, ours: Contents, theirs: Contents, blobs: Blobs
) -> Iterator[tuple[str, Three, set[str]]]:
    """(merged path, versions, the other paths that they have it at) of every file of three trees; several
    with one path are merged. One that a side moved is one file, which the other may have edited; it stays if
    the other removed it."""
    by_us, by_them = moves_of(base, ours, theirs, blobs), moves_of(base, theirs, ours, blobs)
    paired: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    for path in sorted(by_us.keys() | by_them.keys()):
        our_path, their_path = by_us.get(path, path), by_them.get(path, path)
        if our_path in ours and their_path in theirs:
            paths = path, our_path, their_path
            for names, name in zip(paired, paths, strict=True):
                names.add(name)
            three = base[path], ours[our_path], theirs[their_path]
            place = _place(paths, three)
            yield place, three, {*paths} - {place}
    for path in sorted(base.keys() | ours.keys() | theirs.keys()):
        was, us, them = (
            None if path in names else side.get(path)
            for side, names in zip((base, ours, theirs), paired, strict=True)
        )
        yield path, (was, us, them), set()


def _place(paths: Sequence[str], versions: Sequence[Content]) -> str:
    """Where a file is that a side moved: the greater name of two, and rather one in view. To put it aside is
    a removal from view, which yields to an edit by a side that has it in its place."""
    (old, *now), (was, *contents) = paths, versions
    is_edited = any(path == old and content != was for path, content in zip(now, contents, strict=True))
    in_view = {path for path in now if path != old and not is_aside(path)}
    return max(in_view or ({old} if is_edited and not is_aside(old) else {*now} - {old}))
