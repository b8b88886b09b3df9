"""Decides which pending edits may go into a commit, and merges them with what the branch has by now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.guard.write import Refusal, check_file
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.lazy import dataclass
from ctxrepo.services.saving.pending import RECENT, PendingEdit
from ctxrepo.storage.memory import Memory

_LARGER = "A file that is too large to be read: `git cat-file blob {}` has it.\n"
"""The text of the conflict copy of a file that is too large to be read, where a note replaces it."""

Changes = dict[str, bytes | None]


@dataclass
class Accepted:
    """What may be committed, and what the guard refused (`held`).

    `changes` are for the commit (None removes a file); each of `earlier` for a commit before that one.
    `conflict_copies` are in `changes` already, as files under conflicts/.
    """

    changes: Changes = field(default_factory=dict)
    earlier: list[Changes] = field(default_factory=list)
    held: list[Refusal] = field(default_factory=list)
    conflict_copies: list[ConflictCopy] = field(default_factory=list)


def accept(
    memory: Memory, edits: Iterable[PendingEdit], head: Mapping[str, str], held: Sequence[Refusal] = ()
) -> Accepted:
    """Accept the edits that the guard lets through; hold back the others, and those to files in `held`.

    An edit is held back as a whole. The versions that agents left in its file are committed all the same: by
    the time a person decides, the file may say something else.
    """
    accepted = Accepted(held=[*held])
    paths = {r.path for r in held}
    for edit in edits:
        key = head.get(edit.path)
        is_large = key is not None and memory.objects.is_large(key)
        theirs = None if key is None or is_large else memory.objects.data(key)
        if edit.path in paths:
            _keep_versions(memory, edit, theirs, accepted)
            continue
        if is_large and edit.data is None:
            continue  # the file was never on disk, so its absence is no deletion
        merged = merge_file(edit.path, edit.base, edit.data, theirs)
        large = (ConflictCopy(edit.path, "", "", _LARGER.format(key)),) if is_large else ()
        copies = (*edit.conflict_copies, *merged.conflict_copies, *large)
        files = {edit.path: merged.data, **dict(map(copy_as_file, copies))}
        if refused := _refusals(memory, files, theirs):
            accepted.held += refused
            _keep_versions(memory, edit, theirs, accepted)
            continue
        accepted.conflict_copies += copies
        accepted.changes |= {p: d for p, d in files.items() if p != edit.path or d != theirs}
        _keep_versions(memory, edit, theirs, accepted, known=edit.data)
    return accepted


def _keep_versions(
    memory: Memory, edit: PendingEdit, theirs: bytes | None, accepted: Accepted, known: bytes | None = None
) -> None:
    """Give each version that an agent left a place in the history; the file's own commit holds `known`."""
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
        if number == len(accepted.earlier):
            accepted.earlier.append({})
        accepted.earlier[number][edit.path] = version
    if kept:  # the commit after these puts back what the branch had
        accepted.changes.setdefault(edit.path, theirs)


def _refusals(memory: Memory, files: Mapping[str, bytes | None], theirs: bytes | None) -> Sequence[Refusal]:
    """What the guard refuses in the files that an edit makes, as refusals of the edit's path (the first one).

    A secret that the branch has already is no reason to refuse this edit.
    """
    allow = memory.settings.secrets.allow_secret
    path = next(iter(files))
    found = [r for p, d in files.items() if d is not None for r in check_file(p, d, allow)]
    if found and theirs is not None:
        known = {r.fingerprint for r in check_file(path, theirs, allow)} - {""}
        found = [r for r in found if r.fingerprint not in known]
    return [Refusal(path, r.rule, r.message, r.line if r.path == path else 0, r.fingerprint) for r in found]
