"""Commands about notes as files: open, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.errors import CtxrepoError, NotFound, Refused
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, TargetWords

if TYPE_CHECKING:
    from ctxrepo.domain.project.target import Target
    from ctxrepo.faces.cli.runtime import Runtime


def register(app: typer.Typer) -> None:
    app.command("open")(open_note)
    app.command()(export)


def open_note(target: TargetWords, json: Json = False) -> None:
    """Open a note in your editor.

    What you changed is committed when the editor ends. The editor is git's: GIT_EDITOR, `core.editor` of your
    own configuration, VISUAL, EDITOR, vi. Where none is set and nobody is at a terminal, the path of the file
    is printed. A note that isn't there is made when you say yes.

    Example: ctxrepo open topics/release.md
    """
    from ctxrepo.domain.project.target import parse_target
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.reading.resolve import find_note

    run = Runtime()
    asked = parse_target(target)
    try:
        path = find_note(run.memory, asked, run.project).path
    except NotFound as error:
        if not asked.path or asked.lines:
            raise
        path = _made(run, asked, error)
    in_editor(run, path, json)


def in_editor(run: Runtime, path: str, json: bool) -> None:
    """Open the note at `path` and commit what becomes of it."""
    from ctxrepo.faces.cli.editor import edit_file, editor_of

    file = run.memory.root / path
    editor = editor_of(run)
    data = {"path": path, "file": str(file), "editor": editor, "changed": False}
    if not editor:
        output.done(json, data, str(file))
        return
    before = run.memory.worktree.read(path)
    code = edit_file(editor, file, run.env)
    changed = run.memory.worktree.read(path) != before
    if changed:
        _commit(path)
    if code:
        raise CtxrepoError(f"{editor} ended with {code}", f"The note is {file}.")
    output.done(json, data | {"changed": changed}, f"{'edited' if changed else 'unchanged'}: {path}")


def _made(run: Runtime, asked: Target, error: NotFound) -> str:
    """The path of a note that is made now, if somebody at the terminal wants that."""
    from ctxrepo.domain.note.compose import about
    from ctxrepo.faces.cli import editor
    from ctxrepo.services.notes.new import NewNoteRequest, new

    if not editor.at_terminal():
        name = f"{asked.scope}:{asked.path}" if asked.scope else asked.path
        hint = f'{error.hint} `ctxrepo new {name} -d "..."` makes one.'.strip()
        raise NotFound(error.message, hint) from error
    output.notice(f"{error.message}. {error.hint}".strip())
    typer.confirm(f"Make {asked.path}?", abort=True, err=True)
    stem = asked.path.rpartition("/")[2].removesuffix(".md")
    description = typer.prompt("What is found in it, in one line", default=about(stem), err=True)
    made = new(run.memory, NewNoteRequest(asked, description), run.project, run.origin, run.now)
    run.wake()
    return made.path


def export(
    scope: Annotated[
        str, typer.Argument(metavar="SCOPE", help="global, project, or a project's id or folder.")
    ],
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where to; empty or not there yet.")],
    json: Json = False,
) -> None:
    """Copy one scope to a plain folder.

    Every file is copied byte for byte; git isn't needed to read them.

    Example: ctxrepo export project ~/shop-notes
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.export import export

    run = Runtime()
    there = run.cwd / Path(folder).expanduser()
    done = export(run.memory, scope, there, run.project, run.now)
    for path, why in done.skipped.items():
        output.notice(f"{path} {why}, and is not exported")
    files = f"{done.files} file{'' if done.files == 1 else 's'}"
    data = {"scope": done.scope, "folder": str(there), "files": done.files, "skipped": dict(done.skipped)}
    output.done(json, data, f"exported: {files} of {done.folder} to {there}")


def _commit(path: str) -> None:
    """Take what an editor left into a commit now; Refused when it may not become part of the memory."""
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.saving.commit import CommitRequest, commit

    run = Runtime()  # time has passed
    done = commit(run.memory, run.now, CommitRequest(only=[path]))
    run.wake()
    for refusal in done.held:
        if refusal.path == path:
            raise Refused(f"{refusal.at}: {refusal.message}", "The file is as you left it, and in no commit.")
