"""What a checkout is called, why, and what it was called before it got a surer name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ctxrepo.domain.project.registry import Registry, bare_id, is_bare, is_rooted, named_id
from ctxrepo.errors import NoAnswer
from ctxrepo.lazy import dataclass
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_checkouts
from ctxrepo.storage.user.code import CodeCheckout, first_commit

Why = Literal["explicit", "remote", "root commit", "directory"]


@dataclass(frozen=True)
class Identity:
    """A checkout's own id, and which fact it comes from."""

    id: str
    why: Why


def identify(memory: Memory, code: CodeCheckout) -> Identity:
    """The surest name a checkout has. GitFailed when git doesn't answer."""
    if named := named_id(code.explicit, code.remotes):
        return Identity(_of_worktree(named, code), "explicit" if code.explicit.strip() else "remote")
    root = _first_commit(memory, code)
    identity = bare_id(root, code.name, _place(memory, code))
    return Identity(_of_worktree(identity, code), "root commit" if root else "directory")


def earlier_id(memory: Memory, code: CodeCheckout, identity: str, registry: Registry) -> str:
    """The id under which this checkout's memory was started, if that is registered and its own id isn't; else
    ''.

    The id changes with the first commit, with the first remote, and when a checkout without either is moved.
    Memory under a remote's id is never taken over: a fork must not get it.
    """
    if code.explicit.strip() or code.worktree or registry.folder_of(identity):
        return ""
    for candidate in _earlier(memory, code, identity, registry):
        known = registry.canonical(candidate)
        is_anothers = not is_bare(identity) and any(
            not is_bare(name) for name in (known, *registry.names_of(known))
        )
        if known in registry.projects and not is_anothers:
            return known
    return ""


def _earlier(memory: Memory, code: CodeCheckout, identity: str, registry: Registry) -> Iterator[str]:
    known = (*registry.projects, *registry.aliases)
    if not is_bare(identity) and any(is_rooted(name, code.name) for name in known):
        yield bare_id(_first_commit(memory, code), code.name)
    yield bare_id("", code.name, _place(memory, code))
    # Only the same file has the same mtime to the nanosecond: the first commit was amended, or the folder
    # moved.
    for row in read_checkouts(memory.places.state):
        if code.stamp and row.stamp == code.stamp and row.project and _is_here(memory, row.top, code):
            yield row.project


def _first_commit(memory: Memory, code: CodeCheckout) -> str:
    return memory.outside.ask(code.top, lambda: first_commit(code.top, memory.env))


def _is_here(memory: Memory, top: str, code: CodeCheckout) -> bool:
    """Whether what was at `top` may be the checkout: that is where it is, or nothing is there any more."""
    try:
        return top == str(code.top) or not memory.outside.ask(Path(top), Path(top).exists)
    except NoAnswer:
        return False


def _place(memory: Memory, code: CodeCheckout) -> str:
    return f"{memory.host}:{code.common}"


def _of_worktree(identity: str, code: CodeCheckout) -> str:
    return f"{identity}@{code.worktree}" if code.worktree else identity
