"""The user's editor: which one it is, and a file or a text as it leaves it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.errors import CtxrepoError
from ctxrepo.faces.cli import waiting

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk


def at_terminal() -> bool:
    """Whether somebody is there who can be asked, and for whom an editor has a screen."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def editor_of(desk: Desk) -> str:
    """The editor that git would choose, but for what a clone's configuration names; '' when there is none.

    VISUAL is for terminals that can show more than lines. Where nobody is at a terminal only the environment
    says that there is an editor which does without."""
    from ctxrepo.storage.git.committer import own_setting

    env = desk.env
    visual = env.get("VISUAL", "")
    return (
        env.get("GIT_EDITOR", "")
        or (own_setting(desk.memory.git, "core.editor") if at_terminal() else "")
        or (visual if env.get("TERM", "dumb") != "dumb" else "")
        or env.get("EDITOR", "")
        or visual
        or ("vi" if at_terminal() else "")
    )


def edit_file(editor: str, file: Path, env: Mapping[str, str]) -> int:
    """Run the editor on the file and wait for it; returns what it ended with."""
    import subprocess

    waiting.over()  # the screen is the editor's
    try:
        return subprocess.run([*shlex.split(editor), str(file)], env=dict(env), check=False).returncode
    except (OSError, ValueError) as error:
        raise CtxrepoError(
            f"the editor {editor!r} can't be started: {error}", "Set EDITOR to one that is installed."
        ) from error


def edit_text(editor: str, text: str, env: Mapping[str, str]) -> tuple[str, Path]:
    """The text as the editor left it, and the file that has it, which is the caller's to remove."""
    import tempfile

    from ctxrepo.domain.note.note import decode_exactly, encode

    file = Path(tempfile.mkdtemp(prefix="ctxrepo-")) / "entry.md"
    file.write_bytes(encode(text))
    if code := edit_file(editor, file, env):
        raise CtxrepoError(
            f"{editor} ended with {code}, so nothing is changed", f"What you wrote is in {file}."
        )
    return decode_exactly(file.read_bytes()), file
