"""Operations on what waits for a decision: versions that lost a merge, declined reviews, proposals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from ctxrepo.app.result import Result, reads, writes
from ctxrepo.domain.doubts.doubt import commands as doubt_commands
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.layout import scope_of
from ctxrepo.domain.project.target import ScopeName
from ctxrepo.domain.records.decision import command as command
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.entries import entry_by_id

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.doubts.doubt import Doubt
    from ctxrepo.domain.merge.resolve import Keep
    from ctxrepo.domain.note.entry import Entry
    from ctxrepo.domain.records.conflict_copy import ConflictCopy
    from ctxrepo.services.history.conflict_copies import Conflict
    from ctxrepo.services.history.settle_conflict import Resolution
    from ctxrepo.services.review.items import DeclinedReview
    from ctxrepo.services.review.proposals import Acceptance


_MAX_DIFF = 200
_CHOICES = (
    "kept: what stands in the file now holds, the other version is dropped",
    "other: the other version takes its place",
    "both: the other version is added behind it",
)


@dataclass(frozen=True)
class ConflictRequest:
    """A version by its id, or at least the first four digits."""

    id: str
    """Its id, as `conflicts list` shows it, or at least the first four digits."""


@dataclass(frozen=True)
class ResolveRequest:
    """A version by its id, or `every` one, and which is to hold: kept, other or both."""

    keep: str = ""
    """Which version to keep: kept, other or both."""
    id: str = ""
    """Its id, as `conflicts list` shows it, or at least the first four digits."""
    every: bool = False
    """Resolve all of them; only with --keep kept."""


@dataclass(frozen=True)
class ShownConflict:
    """A version, and how it differs from the one that was kept."""

    conflict: Conflict
    copy: ConflictCopy
    diff: Sequence[str]


def list_conflicts(desk: Desk, _: None) -> Result[Sequence[Conflict]]:
    """List the versions that were set aside."""
    from ctxrepo.services.history.conflict_copies import conflicts

    versions = conflicts(desk.memory)
    return Result(versions, {"conflicts": [_conflict_fields(conflict) for conflict in versions]})


def show_conflict(desk: Desk, request: ConflictRequest) -> Result[ShownConflict]:
    """Show one version."""
    from difflib import unified_diff  # `status` counts decisions and shows none

    from ctxrepo.services.history.conflict_copies import file_now, find_conflict

    conflict = find_conflict(desk.memory, request.id)
    copy = conflict.copy
    assert copy is not None  # find_conflict raises for a file that keeps none
    kept = copy.kept or file_now(desk.memory, copy.path)
    texts = ((kept or "").splitlines(), copy.other.splitlines())
    lines = islice(unified_diff(*texts, "kept", "other", lineterm=""), _MAX_DIFF + 1)
    diff = [line.rstrip("\r") for line in lines]
    if len(diff) > _MAX_DIFF:
        diff[-1] = "…"
    versions = {"was": copy.base, "kept": kept, "other": copy.other, "whole": not copy.kept}
    data = {**_conflict_fields(conflict), **versions, "diff": "\n".join(diff)}
    return Result(ShownConflict(conflict, copy, diff), data)


@writes
def resolve(desk: Desk, request: ResolveRequest) -> Result[Sequence[Resolution]]:
    """Settle one version, or drop all of them."""
    from ctxrepo.services.history.settle_conflict import drop_all, resolve

    keep = request.keep
    if request.every == bool(request.id):
        raise UsageError("name one version, or say --all", "`ctxrepo conflicts` lists them.")
    if keep not in ("kept", "other", "both"):
        wrong = f"--keep {keep!r} is not a choice" if keep else "say with --keep what shall hold"
        raise UsageError(wrong, f"{'; '.join(_CHOICES)}.")
    if request.every and keep != "kept":
        raise UsageError("--all goes with --keep kept only", "Look at each with `ctxrepo conflicts show ID`.")
    if request.every:
        settled = drop_all(desk.memory, desk.origin, desk.now)
    else:
        settled = [resolve(desk.memory, request.id, cast("Keep", keep), desk.origin, desk.now)]
    return Result(settled, {"settled": plain_data(settled), "keep": keep})


def _conflict_fields(conflict: Conflict) -> dict[str, Any]:
    return {
        "id": conflict.id,
        "path": conflict.copy.path if conflict.copy else "",
        "file": conflict.file,
        "words": conflict.words,
        "since": second(conflict.since) if conflict.since else None,
        "readable": conflict.copy is not None,
    }


@dataclass(frozen=True)
class DismissRequest:
    """Reviews by their names."""

    names: Sequence[str] = ()
    """Names of reviews, as `declined list` shows them; by default all."""


def list_declined(desk: Desk, _: None) -> Result[Sequence[DeclinedReview]]:
    """List the entries that reviewers removed, review by review."""
    from ctxrepo.services.review.items import declined

    return Result(declined(desk.memory), "declined")


def dismiss(desk: Desk, request: DismissRequest) -> Result[Sequence[str]]:
    """Take what was declined off the list; the refs that keep it."""
    from ctxrepo.services.inbox.staging import require_person
    from ctxrepo.services.review.items import declined, dismiss

    names = request.names
    reviews = (review for review in declined(desk.memory) if review.name in names or not names)
    folders = (scope_of(entry) for review in reviews for entry in review.entries)
    require_person(desk.memory, desk.session[0], folders, "what reviewers removed")
    refs = dismiss(desk.memory, names)
    desk.memory.done_log.note_final("dismiss", desk.origin, ", ".join(ref.rpartition("/")[2] for ref in refs))
    return Result(refs, "kept")


@dataclass(frozen=True)
class StaleRequest:
    """Of which entries the doubts are asked; of all without a scope."""

    scope: ScopeName = ""
    project: str = ""
    """Only entries of this project, by its id or folder."""


@dataclass(frozen=True)
class StaleEntry:
    """An entry, and a doubt about it."""

    entry: Entry
    doubt: Doubt


@reads
def list_stale(desk: Desk, request: StaleRequest) -> Result[Sequence[StaleEntry]]:
    """List the entries that may hold no longer, each with the commands that settle it."""
    from ctxrepo.services.freshness.find_doubts import scan
    from ctxrepo.services.reading.find import scope_named
    from ctxrepo.storage.cache.computed import all_doubts

    if request.scope and request.project:
        raise UsageError("--scope and --project name two scopes", "Give one of them.")
    memory, scope = desk.memory, request.scope or request.project
    folder = scope_named(memory, scope, desk.project).folder if scope else ""
    scan(memory, desk.now)
    below = f"{folder}/" if folder else ""
    doubts = (doubt for doubt in memory.cache.ask(all_doubts) if doubt.path.startswith(below))
    pairs = ((memory.cache.ask(entry_by_id, doubt.entry), doubt) for doubt in doubts)
    entries = [StaleEntry(cached.entry, doubt) for cached, doubt in pairs if cached]
    return Result(entries, {"doubts": [_stale_fields(entry) for entry in entries]})


def _stale_fields(stale_entry: StaleEntry) -> dict[str, Any]:
    entry, doubt = stale_entry.entry, plain_data(stale_entry.doubt)
    about = {"id": f"^{entry.id}", "at": entry.at, "text": entry.text}
    return {**about, **doubt, "commands": doubt_commands(stale_entry.doubt)}


@dataclass(frozen=True)
class VerdictRequest:
    """A proposal by its name, and what is decided of it."""

    name: str
    text: str = ""
    """What is remembered instead of the proposed text."""
    reason: str = ""
    """Why it is declined."""


@writes
def accept_proposal(desk: Desk, request: VerdictRequest) -> Result[Acceptance]:
    """Do what a proposal says."""
    from ctxrepo.services.inbox.staging import scope_of_proposal, waiting
    from ctxrepo.services.projects.sparse import widen
    from ctxrepo.services.review.proposals import accept

    proposal = next((line.proposal for line in waiting(desk.memory) if line.name == request.name), None)
    if proposal:
        widen(desk.memory, scope_of_proposal(desk.memory, proposal).project, desk.now)
    acceptance = accept(desk.memory, request.name, desk.origin, desk.now, request.text)
    return Result(acceptance, {"at": acceptance.at, "id": f"^{acceptance.id}" if acceptance.id else ""})


@writes
def decline_proposal(desk: Desk, request: VerdictRequest) -> Result[None]:
    """Take a proposal off the list."""
    from ctxrepo.services.review.proposals import decline

    decline(desk.memory, request.name, desk.origin, desk.now, request.reason)
    return Result(None, {"reason": request.reason})
