"""Of what was written, what may go into a commit, merged with what the branch has by now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.guard.write import Refusal, check_file
from ctxrepo.domain.merge import ConflictCopy, copy_as_file, merge_file
from ctxrepo.services.saving.pending import RECENT, PendingEdit
from ctxrepo.storage.memory import Memory

_LARGER = "A file that is too large to be read: `git cat-file blob {}` has it.\n"
"""What is kept of one that a note of ours takes the place of."""

Changes = dict[str, bytes | None]


@dataclass
class Taken:
    """`changes` are for the commit (None removes), `earlier` for commits of their own before it, `held` is
    what the guard refused, `conflict_copies` what lost and is in `changes` as files under conflicts/."""

    changes: Changes = field(default_factory=dict)
    earlier: list[Changes] = field(default_factory=list)
    held: list[Refusal] = field(default_factory=list)
    conflict_copies: list[ConflictCopy] = field(default_factory=list)


def take(
    memory: Memory, edits: Iterable[PendingEdit], head: Mapping[str, str], held: Sequence[Refusal] = ()
) -> Taken:
    """Go through the edits; a refused one is held back whole, like those `held`, and the others go on.

    The history has what agents left in the file all the same: by the time a person has decided, the file may
    have come to hold something else.
    """
    taken = Taken(held=[*held])
    paths = {r.path for r in held}
    for edit in edits:
        key = head.get(edit.path)
        is_large = key is not None and memory.objects.is_large(key)
        theirs = None if key is None or is_large else memory.objects.data(key)
        if edit.path in paths:
            _keep_versions(memory, edit, theirs, taken)
            continue
        if is_large and edit.data is None:
            continue  # it was never on disk, so its absence says nothing
        merged = merge_file(edit.path, edit.base, edit.data, theirs)
        large = (ConflictCopy(edit.path, "", "", _LARGER.format(key)),) if is_large else ()
        copies = (*edit.conflict_copies, *merged.conflict_copies, *large)
        files = {edit.path: merged.data, **dict(map(copy_as_file, copies))}
        if refused := _refusals(memory, files, theirs):
            taken.held += refused
            _keep_versions(memory, edit, theirs, taken)
            continue
        taken.conflict_copies += copies
        taken.changes |= {p: d for p, d in files.items() if p != edit.path or d != theirs}
        _keep_versions(memory, edit, theirs, taken, known=edit.data)
    return taken


def _keep_versions(
    memory: Memory, edit: PendingEdit, theirs: bytes | None, taken: Taken, known: bytes | None = None
) -> None:
    """Each version that an agent left gets its place in the history, as it was; the `known` one gets there
    with the file."""
    objects = memory.objects
    tip = memory.head
    kept = [
        v
        for v in edit.versions
        if v not in (theirs, known)
        and not (tip and objects.was_at(tip, edit.path, blob_id(v), RECENT))
        and not _refusals(memory, {edit.path: v}, theirs)
    ]
    for number, version in enumerate(kept):
        if number == len(taken.earlier):
            taken.earlier.append({})
        taken.earlier[number][edit.path] = version
    if kept:  # the branch goes on from the last of them
        taken.changes.setdefault(edit.path, theirs)


def _refusals(memory: Memory, files: Mapping[str, bytes | None], theirs: bytes | None) -> Sequence[Refusal]:
    """What the guard says of the files an edit makes, told of the edit's own path (the first of them).

    A secret that the branch has already is not this edit's doing.
    """
    allow = memory.settings.secrets.allow_secret
    path = next(iter(files))
    found = [r for p, d in files.items() if d is not None for r in check_file(p, d, allow)]
    if found and theirs is not None:
        known = {r.fingerprint for r in check_file(path, theirs, allow)} - {""}
        found = [r for r in found if r.fingerprint not in known]
    return [Refusal(path, r.rule, r.message, r.line if r.path == path else 0, r.fingerprint) for r in found]
