"""take: of what was written, what may go into a commit, merged with what the branch has by now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ctxrepo.domain.guard import Refusal, check_file
from ctxrepo.domain.merge import Aside, aside_file, merge_file
from ctxrepo.services.pending import Edit
from ctxrepo.storage.memory import Memory

Changes = dict[str, bytes | None]


@dataclass
class Taken:
    """`changes` are for the commit (None removes), `overwritten` for one before it, `held` is what the
    guard refused, `aside` what lost and is in `changes` as files under conflicts/."""

    changes: Changes = field(default_factory=dict)
    overwritten: Changes = field(default_factory=dict)
    held: list[Refusal] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)


def take(memory: Memory, edits: Iterable[Edit], head: Mapping[str, str]) -> Taken:
    """Go through the edits; a refused one is held back whole, and the others go on."""
    taken = Taken()
    for edit in edits:
        key = head.get(edit.path)
        theirs = None if key is None else memory.objects.data(key)
        merged = merge_file(edit.path, edit.base, edit.data, theirs)
        aside = (*edit.aside, *merged.aside)
        files = {edit.path: merged.data, **dict(map(aside_file, aside))}
        if refused := _refusals(memory, files, theirs):
            taken.held += refused
            continue
        taken.aside += aside
        taken.changes |= {p: d for p, d in files.items() if p != edit.path or d != theirs}
        if edit.overwritten is not None:
            _keep_overwritten(memory, edit, theirs, taken)
    return taken


def _keep_overwritten(memory: Memory, edit: Edit, theirs: bytes | None, taken: Taken) -> None:
    version = edit.overwritten
    assert version is not None
    merged = merge_file(edit.path, version.base, version.data, theirs)
    if merged.data != theirs and not _refusals(memory, {edit.path: merged.data}, theirs):
        taken.overwritten[edit.path] = merged.data


def _refusals(memory: Memory, files: Mapping[str, bytes | None], theirs: bytes | None) -> Sequence[Refusal]:
    """What the guard says of the files an edit makes, told of the edit's own path (the first of them).

    A secret that the branch has already is not this edit's doing.
    """
    allow = memory.settings.secrets.allow_secret
    path = next(iter(files))
    known = {r.fingerprint for r in check_file(path, theirs, allow)} if theirs is not None else set()
    found = [r for p, d in files.items() if d is not None for r in check_file(p, d, (*allow, *known - {""}))]
    return [Refusal(path, r.rule, r.message, r.line if r.path == path else 0, r.fingerprint) for r in found]
