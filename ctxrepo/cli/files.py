"""Commands about notes as files: open, export."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ctxrepo.cli import output
from ctxrepo.cli.options import Json, TargetWords
from ctxrepo.errors import CtxrepoError, Refused


def register(app: typer.Typer) -> None:
    app.command("open")(open_note)
    app.command()(export)


def open_note(target: TargetWords, json: Json = False) -> None:
    """Open a note in your editor.

    What you changed is committed when the editor ends. VISUAL and EDITOR in the environment say which one;
    where neither is set the path of the file is printed.

    Example: ctxrepo open topics/release.md
    """
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.domain.target import parse_target
    from ctxrepo.services.resolve import find_note

    run = Runtime()
    path = find_note(run.memory, parse_target(target), run.project).path
    file = run.memory.root / path
    editor = _editor(run.env)
    data = {"path": path, "file": str(file), "editor": editor, "changed": False}
    if not editor:
        output.done(json, data, str(file))
        return
    before = run.memory.worktree.read(path)
    code = _edit(editor, file, run.env)
    changed = run.memory.worktree.read(path) != before
    if changed:
        _commit(path)
    if code:
        raise CtxrepoError(f"{editor} ended with {code}", f"The note is {file}.")
    output.done(json, data | {"changed": changed}, f"{'edited' if changed else 'unchanged'}: {path}")


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
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.export import export

    run = Runtime()
    there = run.cwd / Path(folder).expanduser()
    done = export(run.memory, scope, there, run.project, run.now)
    for path, why in done.skipped.items():
        output.notice(f"{path} {why}, and is not exported")
    files = f"{done.files} file{'' if done.files == 1 else 's'}"
    data = {"scope": done.scope, "folder": str(there), "files": done.files, "skipped": dict(done.skipped)}
    output.done(json, data, f"exported: {files} of {done.folder} to {there}")


def _editor(env: Mapping[str, str]) -> str:
    """As git chooses: VISUAL is for terminals that can show more than lines."""
    visual = env.get("VISUAL", "") if env.get("TERM", "dumb") != "dumb" else ""
    return visual or env.get("EDITOR", "") or env.get("VISUAL", "")


def _edit(editor: str, file: Path, env: Mapping[str, str]) -> int:
    """Run the editor on the file and wait for it; returns what it ended with."""
    try:
        return subprocess.run([*shlex.split(editor), str(file)], env=dict(env), check=False).returncode
    except (OSError, ValueError) as error:
        raise CtxrepoError(
            f"the editor {editor!r} can't be started: {error}", "Set EDITOR to one that is installed."
        ) from error


def _commit(path: str) -> None:
    """Take what an editor left into a commit now; Refused when it may not become part of the memory."""
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.commit import Wanted, commit

    run = Runtime()  # time has passed
    done = commit(run.memory, run.now, Wanted(only=[path]))
    run.wake()
    for refusal in done.held:
        if refusal.path == path:
            raise Refused(f"{refusal.at}: {refusal.message}", "The file is as you left it, and in no commit.")
