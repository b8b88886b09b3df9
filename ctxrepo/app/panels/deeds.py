"""What is done about a row, by the operation of its command and in a commit of its own; and exactly that is
taken back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from ctxrepo.app.panels.panel import PanelRow
from ctxrepo.app.result import Result
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import CtxrepoError, NotFound, Refused
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.records.decision import Verb
    from ctxrepo.storage.state.committed_records import Operation


@dataclass(frozen=True)
class TakeBack:
    """How something that was done here is taken back: an operation, and its commit."""

    operation: str = ""
    commit: str = ""

    @property
    def command(self) -> str:
        return f"ctxrepo undo {self.commit[:10]}".rstrip()


@dataclass(frozen=True)
class Deed:
    """What was done, in a line, and the way back, None where there is none."""

    words: str
    way_back: TakeBack | None = None


@dataclass(frozen=True)
class DeedRequest:
    """A row, what is to be done about it, and the text that an editor left, if one was asked for."""

    row: PanelRow
    verb: str
    text: str | None = None


def carry_out(desk: Desk, request: DeedRequest) -> Result[Deed]:
    """Do it in a commit of its own, so that exactly this can be taken back."""
    desk.commit_pending()
    before = _newest(desk)
    words, failed = _done(desk, request)
    desk.commit_pending()
    return Result(Deed(words, _way_back(before, _newest(desk))), "deed", error=failed)


def _done(desk: Desk, request: DeedRequest) -> tuple[str, CtxrepoError | None]:
    row = request.row
    if request.verb == "delete-anchor":
        from ctxrepo.app.sessions.tape_operations import delete_from_tape
        from ctxrepo.services.anchors.tape_requests import DeleteAnchors

        anchors = delete_from_tape(desk, DeleteAnchors(ids=(f"^{row.anchor}",))).value
        return f"deleted the anchor {', '.join(anchor.name for anchor in anchors)}", None
    from ctxrepo.app.repository.decide import DecideRequest, decide

    assert row.item is not None
    # An edited proposal is accepted with another text.
    verb = cast("Verb", request.verb) if request.text is None else "accept"
    decided = decide(desk, DecideRequest(row.item.id, verb, text=request.text or ""))
    if decided.value.still_waits and decided.error is None:
        return f"{row.item.path} waits all the same", None
    past = decided.value.choice.past if request.text is None else "edited and accepted"
    about = row.item.line(60) if row.item.kind == "proposal" else shown(row.item.path, 60)
    return f"{past} {about}", decided.error


def take_back(desk: Desk, way: TakeBack) -> Result[Deed]:
    """Take back what was done here, and nothing else. Refused where that can't be told apart."""
    from ctxrepo.app.notes.writing import UndoRequest, undo

    desk.commit_pending()
    log = list(desk.memory.done_log.newest())
    if log and log[0].id == way.operation:
        outcome = undo(desk, UndoRequest()).value
    elif way.commit and [write.id for write in log if write.commit == way.commit] == [way.operation]:
        outcome = undo(desk, UndoRequest(way.commit)).value
    else:
        raise Refused("it shares a commit with other writes", "`ctxrepo history` shows it.")
    desk.commit_pending()
    return Result(Deed(f"undone: {outcome.saying or outcome.what}"), "deed")


def _newest(desk: Desk) -> Operation | None:
    """The last operation that a command did here."""
    return next(desk.memory.done_log.newest(), None)


def _way_back(before: Operation | None, after: Operation | None) -> TakeBack | None:
    if after is None or after.is_final or (before and before.id == after.id):
        return None
    return TakeBack(after.id, after.commit)


@dataclass(frozen=True)
class ToEdit:
    """What somebody is to edit: a file with its text before; or a text alone, where `path` is ''."""

    text: str
    path: str = ""
    file: Path | None = None


def begin_edit(desk: Desk, request: DeedRequest) -> Result[ToEdit]:
    """What an editor is to be given for a row."""
    from ctxrepo.domain.note.note import decode_exactly

    row = request.row
    if request.verb == "edit" and row.item:
        return Result(ToEdit(row.item.after or ""))
    path = row.item.path if row.item else row.note.place if row.note else ""
    data = desk.memory.worktree.read(path)
    if data is None:
        raise NotFound(f"{path} is gone", "`ctxrepo restore` brings a note back.")
    return Result(ToEdit(decode_exactly(data), path, desk.memory.root / path))


def end_edit(desk: Desk, request: ToEdit) -> Result[Deed]:
    """Commit what an editor left in a note."""
    from ctxrepo.app.notes.writing import EditorRequest, edit_by_hand

    before = _newest(desk)
    losses = edit_by_hand(desk, EditorRequest(request.path, request.text)).value.gone
    desk.commit_pending()
    remark = f", {counted(len(losses), 'entry is', 'entries are')} gone" if losses else ""
    return Result(Deed(f"edited {request.path}{remark}", _way_back(before, _newest(desk))))
