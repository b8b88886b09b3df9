"""What has to change so that one deed is undone and everything since stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from ctxrepo.domain.guard.takeback import difference, emptied, keeping_claims, total
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import decode, decode_exactly, encode
from ctxrepo.domain.project.layout import ANCHORS_FILE, REGISTRY, is_evidence, shown
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.saving.merge import merge_of
from ctxrepo.storage.memory import Memory

_SHOWN = 60
_MOST_SAID = 3

Files = Mapping[str, bytes | None]


@dataclass(frozen=True)
class ChangeToUndo:
    """What is to be taken back: the files it changed, as they were `before` and `after` it in `commit`."""

    what: str
    saying: str
    commit: str
    before: Files
    after: Files
    is_claim: bool = False
    is_operation: bool = True
    """Whether a command of ours did it; else it is all that a commit did."""

    @property
    def operation(self) -> str:
        """What it was: the name of an operation, or the beginning of a commit's id."""
        return self.what if self.is_operation else self.commit[:10]

    @property
    def name(self) -> str:
        return f"`{shown(self.what, _SHOWN)}`"

    @property
    def records(self) -> list[str]:
        """Its files of JSON lines that it added to. A tape that went elsewhere is no such file."""
        moves = any(after is None and p.endswith(".jsonl") for p, after in self.after.items())
        return [
            p
            for p, after in self.after.items()
            if p.endswith(".jsonl")
            and not p.endswith(ANCHORS_FILE)  # who writes it knows no tombstones
            and after is not None
            and (is_evidence(p) or self.before[p] is not None or not moves)
        ]


def changes_back(
    memory: Memory, deed: ChangeToUndo, tip: str
) -> dict[str, tuple[bytes | None, bytes | None]]:
    """path -> (bytes now, bytes to be): what merging the way back of a deed into the newest commit changes.

    Refused where something that it did was changed since.
    """
    objects = memory.objects
    head = objects.tree_of(tip)
    records = set(deed.records)
    after = {p: data for p, data in deed.after.items() if p not in records}
    before = _ways_back(deed, after, _read(memory, head, after))
    tree = objects.tree_of(deed.commit)
    base, theirs = (objects.edit(tree, objects.store_files(side)) for side in (after, before))
    merged = merge_of(objects, base, head, theirs)
    changed = objects.diff(head, merged.tree)
    paths = {*after, *changed}
    here, there = _read(memory, head, paths), _read(memory, merged.tree, paths)
    expected = total(here)
    expected.subtract(total(after))
    expected.update(total(before))
    left = difference(total(there), expected)
    lost = [p for p in after if before[p] is not None and after[p] is None and there[p] is None]
    stays = [p for p in after if before[p] is None and there[p] is not None]
    if merged.conflict_copies or left or lost or stays:
        fought_over = [f"{a.path}: {shown(normalised(a.base), _SHOWN)}" for a in merged.conflict_copies]
        raise _changed_since(deed, fought_over or lost or stays or _holding(left, here, there))
    return {p: (here[p], there[p]) for p in changed}


def _ways_back(deed: ChangeToUndo, after: Files, here: Files) -> dict[str, bytes | None]:
    """The files as they are to be merged back. A note that came with the deed, and in which others have
    written since, loses only what came with it."""
    takes_away = any(data is None for data in after.values())
    before = {path: deed.before[path] for path in after}
    for path, data in after.items():
        if before[path] is None and here[path] not in (None, data) and data and not takes_away:
            before[path] = encode(emptied(decode_exactly(data)))
    if REGISTRY in after and not deed.is_claim:
        texts = (decode(side[REGISTRY] or b"") for side in (before, after))
        before[REGISTRY] = encode(keeping_claims(*texts))
    return before


def _read(memory: Memory, tree: str | None, paths: Iterable[str]) -> dict[str, bytes | None]:
    """path -> bytes in a tree, None where there is no file."""
    objects = memory.objects
    keys = objects.files(tree, wanted := list(paths))
    return {p: objects.data(keys[p]) if p in keys else None for p in wanted}


def _holding(units: Iterable[str], *sides: Files) -> Iterator[str]:
    """What is in the way, as `path: words`, as far as a file has it."""
    for unit in islice(units, _MOST_SAID):
        place = next((p for side in sides for p, data in side.items() if total({p: data})[unit]), "")
        yield f"{place}: {shown(unit, _SHOWN)}" if place else shown(unit, _SHOWN)


def _changed_since(deed: ChangeToUndo, what: Iterable[str]) -> Refused:
    told = "; ".join(list(dict.fromkeys(what))[:_MOST_SAID])
    return Refused(
        f"{deed.name} can't be taken back, because it was changed since: {told}",
        "Nothing is done. `ctxrepo history` of it shows how; `ctxrepo restore` brings back a version.",
    )
