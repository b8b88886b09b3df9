"""Searches commits for secrets before they are pushed: a person may have committed past the write guard."""

from __future__ import annotations

from collections.abc import Sequence

from ctxrepo.domain.guard.refusals import Refusal, check_file
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects


def outgoing_secrets(memory: Memory, commit: str, known: Sequence[str]) -> tuple[Refusal, ...]:
    """Secrets in the files that pushing `commit` would add to a remote that has the commits `known`.

    A secret that the remote has already is not reported.
    """
    objects = memory.objects
    allow = memory.settings.secrets.allow_secret
    trees = [objects.tree_of(k) for k in known]
    found: list[Refusal] = []
    for new in objects.new_commits(commit, *known):
        for path, key in _new_files(objects, new).items():
            if (path, key) in memory.guarded:
                continue
            if refused := _secrets(path, objects.data_or_empty(key), allow):
                there = [key for tree in trees for key in objects.files(tree, [path]).values()]
                old = {
                    r.fingerprint for key in there for r in _secrets(path, objects.data_or_empty(key), allow)
                }
                found += [r for r in refused if r.fingerprint not in old]
    return tuple(found)


def _new_files(objects: Objects, commit: str) -> dict[str, str]:
    """path -> key of the plain files in this commit that differ from those in every parent."""
    tree = objects.tree_of(commit)
    trees = [objects.tree_of(p) for p in objects.parents(commit)] or [None]
    first, *others = [objects.diff(parent, tree) for parent in trees]
    return {
        path: key
        for path, (_, key) in first.items()
        if key is not None and ":" not in key and all(path in other for other in others)
    }


def _secrets(path: str, data: bytes, allow: Sequence[str]) -> list[Refusal]:
    return [r for r in check_file(path, data, allow) if r.fingerprint]
