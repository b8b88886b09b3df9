"""Operations that write notes: remember, new, edit, move, forget and their like, and the way back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ctxrepo.app.notes.claims import require_claims
from ctxrepo.app.notes.targets import ChecklistRequest, EntriesRequest, TargetRequest
from ctxrepo.app.result import Result, writes
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.target import Destination, NoteOrEntry, ScopeName
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.note.entry import Entry
    from ctxrepo.domain.records.evidence import Kind
    from ctxrepo.services.history.restore import RestoreResult
    from ctxrepo.services.history.undoing import Undone
    from ctxrepo.services.notes.changing import EditRequest, EditResult, NewNote, TagResult, TouchResult
    from ctxrepo.services.notes.confirming import Confirmed
    from ctxrepo.services.notes.placing import Forgotten, MoveResult
    from ctxrepo.services.notes.remarks import RememberResult
    from ctxrepo.services.notes.requests import Fact, NewNoteRequest, RestoreRequest, TagChange, TickRequest
    from ctxrepo.services.notes.working_notes import ClearResult, Scratch


@dataclass(frozen=True)
class MoveRequest:
    """The note or entry, and where it goes."""

    target: NoteOrEntry
    to: Destination
    """[SCOPE:]PATH, SCOPE: for the same path in another scope, or FOLDER/."""


@dataclass(frozen=True)
class EditorRequest:
    """A note by its path in the repository, and its text before the editor."""

    path: str
    before: str


@dataclass(frozen=True)
class UndoRequest:
    """What is taken back: a commit, or what the last command wrote, of this kind `only` where it is given;
    or else what is done again."""

    commit: str = ""
    """Undo this commit instead, as `history` shows it."""
    redo: bool = False
    """Do again what the last undo took back."""
    only: str = ""


@dataclass(frozen=True)
class LineRequest:
    """A line for a log, which says what you did, found or decided, or for a checklist: what is to be done."""

    text: str
    scope: ScopeName = ""


@writes
def remember(desk: Desk, fact: Fact) -> Result[RememberResult]:
    """Save one fact to memory."""
    (result,) = _remember(desk, [fact])
    return Result(result, _fields(result))


@writes
def remember_all(desk: Desk, facts: Sequence[Fact]) -> Result[list[RememberResult]]:
    """Write all facts in one write: every one of them is kept, or none."""
    results = _remember(desk, facts)
    return Result(results, {"remembered": [*map(_fields, results)]})


def _remember(desk: Desk, facts: Sequence[Fact]) -> list[RememberResult]:
    from ctxrepo.services.inbox.staging import is_staged
    from ctxrepo.services.notes.proposing import propose_all
    from ctxrepo.services.notes.remarks import remarks, remarks_on_words
    from ctxrepo.services.notes.remember import plan_entry, remember_all

    first = facts[0]
    if len(facts) > 1 and (first.key or first.supersedes):
        raise UsageError(
            f"--key and --supersedes take one fact, not {len(facts)}", "Remember such a fact by itself."
        )
    require_claims(desk, facts)
    memory, agent = desk.memory, desk.origin.agent
    plans = [plan_entry(memory, fact, desk.project) for fact in facts] if first.is_proposal or agent else []
    if first.is_proposal or any(is_staged(memory, agent, plan.scope.folder) for plan in plans):
        proposals = propose_all(memory, plans, desk.origin, desk.now)
        names = " ".join(proposal.id for proposal in proposals)
        desk.notice(f"sessions don't see proposals; `ctxrepo inbox accept {names}` remembers it")
        return proposals
    results = remember_all(desk.memory, facts, desk.project, desk.origin, desk.now, desk.code_at_hand)
    new = (fact for fact, result in zip(facts, results, strict=True) if not result.existing)
    on_words = dict.fromkeys(line for fact in new for line in remarks_on_words(fact))  # each line once
    desk.notice(*remarks(results), *_cut_pins(desk, facts, results), *on_words)
    return results


def _cut_pins(desk: Desk, facts: Sequence[Fact], results: Sequence[RememberResult]) -> Iterator[str]:
    """What sessions here aren't given since more is pinned; a MEMORY.md is shown before that."""
    from ctxrepo.services.delivery.start_packet import cut_pins
    from ctxrepo.services.notes.remember import line_of

    memory = desk.memory
    here = {memory.global_folder, desk.project.folder if desk.project else ""}
    pinned = {
        f"{result.at} {shown_id(result)[:8]}": line_of(fact, "")
        for fact, result in zip(facts, results, strict=True)
        if result.pinned and result.at.partition("/")[0] in here and "/MEMORY.md#" not in result.at
    }
    if pinned and (cut := cut_pins(memory, desk.project, desk.cwd, pinned)):
        yield cut


def _fields(result: RememberResult) -> dict[str, Any]:
    return {**plain_data(result), "id": shown_id(result)}


def shown_id(result: RememberResult) -> str:
    """The id of an entry with ^ before it; of a proposal as it is."""
    return result.id if result.staged else f"^{result.id}"


@writes
def new(desk: Desk, request: NewNoteRequest) -> Result[NewNote]:
    """Write a new note."""
    from ctxrepo.services.notes.changing import new

    return Result(new(desk.memory, request, desk.project, desk.origin, desk.now))


@writes
def edit(desk: Desk, request: EditRequest) -> Result[EditResult]:
    """Edit a note or an entry: one passage, or the whole text."""
    from ctxrepo.services.notes.changing import edit

    return Result(edit(desk.memory, request, desk.project, desk.origin, desk.now))


@writes
def move(desk: Desk, request: MoveRequest) -> Result[MoveResult]:
    """Move a note, or move an entry to another note."""
    from ctxrepo.services.notes.placing import move

    return Result(move(desk.memory, request.target, request.to, desk.project, desk.origin, desk.now))


@writes
def archive(desk: Desk, request: TargetRequest) -> Result[MoveResult]:
    """Move a note or entry to the archive."""
    from ctxrepo.services.notes.placing import archive

    return Result(archive(desk.memory, request.target, desk.project, desk.origin, desk.now))


@writes
def forget(desk: Desk, request: TargetRequest) -> Result[Forgotten]:
    """Remove a note or an entry."""
    from ctxrepo.services.notes.placing import forget

    return Result(forget(desk.memory, request.target, desk.project, desk.origin, desk.now))


@writes
def reinforce(desk: Desk, request: EntriesRequest) -> Result[list[Confirmed]]:
    """Say that entries hold, once more: each time counts."""
    return _confirm(desk, "reinforced", request)


@writes
def verify(desk: Desk, request: EntriesRequest) -> Result[list[Confirmed]]:
    """Say that somebody looked, and entries are true."""
    return _confirm(desk, "verified", request)


def _confirm(desk: Desk, kind: Kind, request: EntriesRequest) -> Result[list[Confirmed]]:
    from ctxrepo.services.notes.confirming import ConfirmRequest, confirm

    confirmation = ConfirmRequest(kind, request.targets, desk.code_at_hand)
    entries = confirm(desk.memory, confirmation, desk.project, desk.origin, desk.now)
    return Result(entries, {"entries": plain_data(entries)})


@writes
def touch(desk: Desk, request: TargetRequest) -> Result[TouchResult]:
    """Confirm that a note is still true as of today."""
    from ctxrepo.services.notes.changing import touch

    touched = touch(desk.memory, request.target, desk.project, desk.origin, desk.now)
    if not touched.updated:
        desk.notice(f"{touched.path} has no `updated` in its head, and none is added")
    return Result(touched)


@writes
def set_tags(desk: Desk, request: TagChange) -> Result[TagResult]:
    """Give tags to a note, and take others from it."""
    from ctxrepo.services.notes.changing import set_tags

    return Result(set_tags(desk.memory, request, desk.project, desk.origin, desk.now))


@writes
def edit_by_hand(desk: Desk, request: EditorRequest) -> Result[EditResult]:
    """Commit what an editor left in a note; Refused when it may not become part of the memory."""
    from ctxrepo.services.notes.changing import EditResult, edit_by_hand
    from ctxrepo.services.saving.commit import CommitRequest, commit

    result = EditResult(request.path, "", changed=True, at=request.path)
    with suppress(Refused):  # the commit holds it back
        result = edit_by_hand(desk.memory, request.path, request.before, desk.origin, desk.now)
    committed = commit(desk.memory, desk.now, CommitRequest(only=[request.path]))
    for refusal in committed.held:
        if refusal.path == request.path:
            raise Refused(f"{refusal.at}: {refusal.message}", "The file is as you left it, and in no commit.")
    return Result(result)


@writes
def undo(desk: Desk, request: UndoRequest) -> Result[Undone]:
    """Take back what was written."""
    from ctxrepo.services.history.undoing import redo, undo, undo_commit

    if request.redo:
        if request.commit:
            raise UsageError("--redo takes back the last undo", "Name no COMMIT with it.")
        return Result(redo(desk.memory, desk.origin, desk.now))
    if request.commit:
        from ctxrepo.services.history.commits import commit_named
        from ctxrepo.services.projects.sparse import widen_to_changed

        widen_to_changed(desk.memory, commit_named(desk.memory, request.commit), desk.now)
        return Result(undo_commit(desk.memory, request.commit, desk.origin, desk.now))
    return Result(undo(desk.memory, desk.origin, desk.now, only=request.only))


@writes
def restore(desk: Desk, request: RestoreRequest) -> Result[RestoreResult]:
    """Restore a forgotten, archived or edited note or entry."""
    from ctxrepo.services.history.restore import restore

    return Result(restore(desk.memory, request, desk.project, desk.origin, desk.now))


@writes
def log(desk: Desk, request: LineRequest) -> Result[Entry]:
    """Write a line into today's log; today is the day where one is."""
    from ctxrepo.services.notes.working_notes import log

    now = desk.now.astimezone()
    entry = log(desk.memory, request.text, request.scope, desk.project, desk.origin, now)
    return Result(entry, {"id": f"^{entry.id}", "at": entry.at, "text": entry.text})


@writes
def add_item(desk: Desk, request: LineRequest) -> Result[Scratch]:
    """Add an item to the checklist; one that is open already is not added again."""
    from ctxrepo.services.notes.working_notes import add

    item = add(desk.memory, request.text, request.scope, desk.project, desk.origin, desk.now)
    return Result(item, _changed_item(item))


@writes
def tick(desk: Desk, request: TickRequest) -> Result[Scratch]:
    """Tick an item of the checklist, or make it open again."""
    from ctxrepo.services.notes.working_notes import tick

    item = tick(desk.memory, request, desk.project, desk.origin, desk.now)
    return Result(item, _changed_item(item))


@writes
def clear_done(desk: Desk, request: ChecklistRequest) -> Result[ClearResult]:
    """Take the items that are done out of the checklist."""
    from ctxrepo.services.notes.working_notes import clear_done

    cleared = clear_done(desk.memory, request.scope, desk.project, desk.origin, desk.now)
    for item in cleared.stays:
        text = " ".join(item.text.split())
        desk.notice(f"{text!r} stays: something below it is open, or is no item")
    sides = {"cleared": cleared.gone, "stays": cleared.stays}
    data = {key: [{"id": f"^{i.id}", "text": i.text} for i in items] for key, items in sides.items()}
    return Result(cleared, {"path": cleared.path, **data})


def _changed_item(item: Scratch) -> dict[str, Any]:
    return {**item.data, "existing": item.existing}
