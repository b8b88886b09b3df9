"""What `doctor` says of one thing it checked, and two things that it and others say of a clone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, get_args

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.secrets import redact
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.reffiles import WT, WT_NEXT
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import is_held

Level = Literal["error", "warning", "note"]
"""`error`: something doesn't work, or isn't kept. `warning`: it works, and somebody should look at it.
`note`: it is good to know. Only errors make a command fail (ADR 74)."""


@dataclass(frozen=True)
class Finding:
    """A problem, and the command or action that solves it."""

    problem: str
    remedy: str
    level: Level = "error"


class Levelled(Protocol):
    """A finding about anything."""

    @property
    def level(self) -> Level: ...


def is_failure(findings: Iterable[Levelled]) -> bool:
    """Whether a command that found these ends with 1."""
    return any(finding.level == "error" for finding in findings)


def count_levels(findings: Iterable[Levelled]) -> str:
    """How many there are of each level, as `2 errors, 1 note`; '' for none."""
    counts = Counter(finding.level for finding in findings)
    return ", ".join(counted(counts[level], level) for level in get_args(Level) if counts[level])


@dataclass(frozen=True)
class CheckOutcome:
    """The outcome of one check: its name, its state in a few words, and the problems."""

    name: str
    stands: str
    findings: Sequence[Finding] = ()


def halfway(memory: Memory) -> Finding | None:
    """An interrupted checkout, and the command that finishes it; None if none was, or one is running. Nothing
    is lost, but notes seem to be missing until the next commit goes on there."""
    refs, clone = memory.refs, memory.clone
    written, following = refs.resolve(WT), refs.resolve(WT_NEXT)
    tip = refs.resolve(clone.branch_ref) or refs.resolve(clone.upstream_ref)
    if tip is None or (written is not None and written == following) or is_held(memory.state.lock("write")):
        return None
    if written is None:
        problem = "`ctxrepo init` was interrupted before all notes were written here"
        return Finding(problem, "Run `ctxrepo init` again to finish it.")
    problem = "not all notes that came are written here: that was interrupted"
    return Finding(problem, "`ctxrepo sync` ends it.")


def other_remote(memory: Memory) -> Finding | None:
    """That a person's git exchanges with another remote there than ctxrepo does."""
    theirs, ours = memory.clone.origin(memory.env), memory.repository.remote
    if theirs == ours:
        return None
    follow = "ctxrepo config set repository.remote ADDRESS" if ours else "ctxrepo init ADDRESS"
    change = "set-url" if theirs else "add"
    keep = f"git remote {change} origin ADDRESS" if ours else "git remote remove origin"
    return Finding(
        f"git's own remote in {memory.root} is {redact(theirs) or 'none'}, and config.toml, which ctxrepo "
        f"follows, says {redact(ours) or 'none'}",
        f"`{follow}` if git is right, `{keep}` there if ctxrepo is." if theirs else f"`{keep}` there.",
        "warning",
    )
