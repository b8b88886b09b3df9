"""Files that no commit of ours may hold, because git's own files in the memory say so (ADR 75).

An ignored file that git doesn't know yet stays on this machine. One that git stores in another form than it
has on disk (encrypted, by git-lfs, in another encoding) is left to the person's own git: we run no filter."""

from collections.abc import Collection, Mapping
from dataclasses import field

from ctxrepo.domain.git.gitfiles import conversion
from ctxrepo.domain.guard.refusals import CONVERTED, Refusal
from ctxrepo.lazy import dataclass
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class KeptHere:
    """The `ignored` files and, by path, the attribute that has git convert a file."""

    ignored: frozenset[str] = frozenset()
    converted: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, path: str) -> bool:
        return path in self.ignored or path in self.converted

    def refusals(self) -> list[Refusal]:
        """Why nothing of the converted files is committed."""
        reasons = sorted(self.converted.items())
        return [Refusal(p, CONVERTED, f"git stores it in another form ({why})") for p, why in reasons]


def kept_here(memory: Memory, tree: str | None, changed: Collection[str], new: Collection[str]) -> KeptHere:
    """Which of the `changed` files stay, and which of the `new` ones, that the branch's `tree` lacks."""
    rules = memory.rules(tree)
    ignored, attributes = rules.ignored(new), rules.attributes(changed)
    read = memory.worktree.read
    reasons = {p: conversion(what) or conversion(what, read(p)) for p, what in attributes.items()}
    return KeptHere(ignored, {path: why for path, why in reasons.items() if why and path not in ignored})


def filtered_at(memory: Memory, tree: str | None, paths: Collection[str]) -> dict[str, str]:
    """Those of `paths` whose text a tree doesn't hold, but what a filter made of it: path -> attribute."""
    attributes = memory.rules(tree, on_disk=False).converted(paths)
    return {path: why for path, why in attributes.items() if why.startswith("filter=")}
