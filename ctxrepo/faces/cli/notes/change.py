"""Commands that change what is there: edit, move, archive, forget, touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import CtxrepoError, UsageError
from ctxrepo.faces.cli import editor, output
from ctxrepo.faces.cli.answer import answer, open_desk, perform
from ctxrepo.faces.cli.options import argument, json_option, option, target_argument, text_of

if TYPE_CHECKING:
    import typer

    from ctxrepo.services.notes.edit import EditResult
    from ctxrepo.services.notes.forget import Forgotten
    from ctxrepo.services.notes.move import MoveResult
    from ctxrepo.services.notes.touch import TouchResult


def register(app: typer.Typer) -> None:
    for command in (edit, move, archive, forget, touch):
        app.command()(command)


def edit(
    target: Annotated[str, target_argument()],
    old: Annotated[
        str, option("--old", metavar="A", help="The passage to replace; it must stand there once.")
    ] = "",
    new: Annotated[str | None, option("--new", metavar="B", help="What it becomes; may be empty.")] = None,
    source: Annotated[
        str, option("--from", metavar="FILE", help="Replace all of it; - is standard input.")
    ] = "",
    if_hash: Annotated[
        str,
        option("--if-hash", metavar="H", help="Only while the note has this hash: see read --json."),
    ] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Change a passage of a note or entry, or all of it.

    Everything else stays as it is, to the byte. At a terminal and without options your editor opens with the
    note, or with the entry alone.

    Example: ctxrepo edit topics/release.md --old "on Fridays" --new "on Tuesdays"
    """
    from ctxrepo.app.notes.change import edit
    from ctxrepo.domain.project.target import parse_target
    from ctxrepo.services.notes.edit import EditRequest, Passage, Whole

    if not (old or source or if_hash) and new is None and editor.at_terminal():
        _edit_by_hand(target, json)
        return
    is_passage = bool(old) and new is not None
    if is_passage == bool(source) or (not is_passage and (old or new is not None)):
        raise UsageError("say what to change: --old A --new B, or --from FILE", "One of the two.")
    change = Passage(old, new or "") if is_passage else Whole(text_of(source))
    answer(open_desk(), edit, EditRequest(parse_target(target), change, if_hash), json, _edited)


def _edit_by_hand(target: str, json: bool) -> None:
    """Open the note, or the text of the entry, in the user's editor."""
    from ctxrepo.app.notes.change import TargetRequest, edit
    from ctxrepo.app.notes.files import find
    from ctxrepo.domain.project.target import Target, parse_target
    from ctxrepo.faces.cli.notes.files import in_editor
    from ctxrepo.services.notes.edit import EditRequest, Whole

    desk = open_desk()
    reading = perform(desk, find, TargetRequest(parse_target(target))).value
    if reading.entry is None:
        in_editor(desk, reading.note.path, json)
        return
    before = f"{reading.entry.text}\n".replace("\r\n", "\n")
    text, file = editor.edit_text(editor.editor_of(desk), before, desk.env)
    if text == before:
        output.done(json, {"changed": False}, f"unchanged: ^{reading.entry.id} {reading.entry.at}")
    else:
        request = EditRequest(Target(entry_id=reading.entry.id), Whole(text))
        try:
            answer(desk, edit, request, json, _edited)
        except CtxrepoError as error:
            raise type(error)(error.message, f"{error.hint} What you wrote is in {file}.".strip()) from error
    file.unlink()
    file.parent.rmdir()


def _edited(done: EditResult) -> str:
    id_shown = f"^{done.id} " if done.id else ""
    said = f"edited: {id_shown}{done.at}" if done.changed else f"unchanged: {id_shown}{done.at}"
    if done.gone:
        entries = output.counted(len(done.gone), "entry is", "entries are")
        said += f"; {entries} gone, `ctxrepo undo` brings back what was there"
    return said


def move(
    target: Annotated[str, target_argument()],
    to: Annotated[
        str,
        argument(metavar="DEST", help="[SCOPE:]PATH, SCOPE: for the same path there, or FOLDER/."),
    ],
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Move a note elsewhere, or an entry to another note.

    Pins and other marks go along, and `history` finds what was before.

    Example: ctxrepo move topics/release.md global:
    """
    from ctxrepo.app.notes.change import MoveRequest, move
    from ctxrepo.domain.project.target import parse_destination, parse_target

    desk = open_desk()
    there = parse_destination(to)
    request = MoveRequest(parse_target(target), there)
    answer(desk, move, request, json, lambda done: f"moved: {_way(done)}")


def archive(target: Annotated[str, target_argument()], json: Annotated[bool, json_option()] = False) -> None:
    """Move a note or entry to the archive.

    It is still found there, and never delivered. For what is past. What is wrong is better forgotten.

    Example: ctxrepo archive topics/old-release.md
    """
    from ctxrepo.app.notes.change import TargetRequest, archive
    from ctxrepo.domain.project.target import parse_target

    def said(done: MoveResult) -> str:
        name = f"^{done.id}" if done.id else done.before
        return f"archived: {_way(done)}; `ctxrepo restore {name}` brings it back"

    answer(open_desk(), archive, TargetRequest(parse_target(target)), json, said)


def forget(target: Annotated[str, target_argument()], json: Annotated[bool, json_option()] = False) -> None:
    """Remove a note or an entry.

    The git history keeps it: `ctxrepo restore TARGET` brings it back.

    Example: ctxrepo forget ^3f9a1c20b7de
    """
    from ctxrepo.app.notes.change import TargetRequest, forget
    from ctxrepo.domain.project.target import parse_target

    def said(done: Forgotten) -> str:
        name = f"^{done.id}" if done.id else done.at
        text = f"\n  - {done.text}" if done.text else ""
        return f"forgotten: {done.at}; `ctxrepo restore {name}` brings it back{text}"

    answer(open_desk(), forget, TargetRequest(parse_target(target)), json, said)


def touch(target: Annotated[str, target_argument()], json: Annotated[bool, json_option()] = False) -> None:
    """Say that a note still holds: its `updated` becomes today.

    A note without that field stays as it is.

    Example: ctxrepo touch topics/release.md
    """
    from ctxrepo.app.notes.change import TargetRequest, touch
    from ctxrepo.domain.project.target import parse_target

    def said(done: TouchResult) -> str:
        return f"touched: {done.path} {done.updated}" if done.updated else ""

    answer(open_desk(), touch, TargetRequest(parse_target(target)), json, said)


def _way(done: MoveResult) -> str:
    """From where to where; an entry with the id that it has there."""
    links = f" (links in {done.linking} more)" if done.linking else ""
    return f"{done.before} to {f'^{done.id} ' if done.id else ''}{done.at}{links}"
