"""Commands about notes as files: open, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import INTERRUPTED, CtxrepoError, NotFound
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import ExitWith, answer, open_desk, perform
from ctxrepo.faces.cli.ask import ask, confirm
from ctxrepo.faces.cli.options import argument, json_option, target_argument

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.project.target import Target


def register(app: typer.Typer) -> None:
    app.command("open")(open_note)
    app.command()(export)


def open_note(
    target: Annotated[str, target_argument()], json: Annotated[bool, json_option()] = False
) -> None:
    """Open a note in your editor.

    What you changed is committed when the editor ends. The editor is git's: GIT_EDITOR, `core.editor` of your
    own configuration, VISUAL, EDITOR, vi. Where none is set and nobody is at a terminal, the path of the file
    is printed. A note that isn't there is made when you say yes.

    Example: ctxrepo open topics/release.md
    """
    from ctxrepo.app.notes.change import TargetRequest
    from ctxrepo.app.notes.files import find_file
    from ctxrepo.domain.project.target import parse_target

    desk = open_desk()
    asked = parse_target(target)
    try:
        path = perform(desk, find_file, TargetRequest(asked)).value
    except NotFound as error:
        if not asked.path or asked.lines:
            raise
        path = _made(desk, asked, error)
    in_editor(desk, path, json)


def in_editor(desk: Desk, path: str, json: bool) -> None:
    """Open the note at `path` and commit what becomes of it."""
    from ctxrepo.app.notes.files import FileRequest, commit_file
    from ctxrepo.faces.cli.editor import edit_file, editor_of

    file = desk.memory.root / path
    editor = editor_of(desk)
    data = {"path": path, "file": str(file), "editor": editor, "changed": False}
    if not editor:
        output.done(json, data, str(file))
        return
    before = desk.memory.worktree.read(path)
    code = edit_file(editor, file, desk.env)
    changed = desk.memory.worktree.read(path) != before
    if changed:
        perform(desk, commit_file, FileRequest(path))
    if code:
        raise CtxrepoError(f"{editor} ended with {code}", f"The note is {file}.")
    output.done(json, data | {"changed": changed}, f"{'edited' if changed else 'unchanged'}: {path}")


def _made(desk: Desk, asked: Target, error: NotFound) -> str:
    """The path of a note that is made now, if somebody at the terminal wants that."""
    from ctxrepo.app.notes.notes import new
    from ctxrepo.domain.note.compose import about
    from ctxrepo.faces.cli import editor
    from ctxrepo.services.notes.new import NewNoteRequest

    if not editor.at_terminal():
        name = f"{asked.scope}:{asked.path}" if asked.scope else asked.path
        hint = f'{error.hint} `ctxrepo new {name} -d "..."` makes one.'.strip()
        raise NotFound(error.message, hint) from error
    output.notice(f"{error.message}. {error.hint}".strip())
    if not confirm(f"Make {asked.path}?"):
        raise ExitWith(INTERRUPTED)
    stem = asked.path.rpartition("/")[2].removesuffix(".md")
    description = ask("What is found in it, in one line", about(stem))
    return perform(desk, new, NewNoteRequest(asked, description)).value.path


def export(
    scope: Annotated[str, argument(metavar="SCOPE", help="global, project, or a project's id or folder.")],
    folder: Annotated[str, argument(metavar="FOLDER", help="Where to; empty or not there yet.")],
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Copy one scope to a plain folder.

    Every file is copied byte for byte; git isn't needed to read them.

    Example: ctxrepo export project ~/shop-notes
    """
    from ctxrepo.app.notes.files import ExportedScope, ExportRequest, export

    def said(done: ExportedScope) -> str:
        return f"exported: {output.counted(done.files, 'file')} of {done.folder} to {done.there}"

    answer(open_desk(), export, ExportRequest(scope, Path(folder)), json, said)
