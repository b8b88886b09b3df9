"""The command that prints a shell's script: completion. The scripts stand beside this file.

Each asks `_complete` and shows what it answers: one candidate a line, with a tab before what it means;
`:files` stands for names of files."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import argument

SHELLS = ("bash", "zsh", "fish")


def completion(shell: Annotated[str, argument(metavar="SHELL")]) -> None:
    """Print a script that adds completion to your shell."""
    if shell not in SHELLS:
        raise UsageError(f"there is no completion for {shell!r}", f"There is one for {', '.join(SHELLS)}.")
    # By its absolute path, and -P: the interpreter imports nothing from where the person stands.
    ask = shlex.join([sys.executable, "-P", "-m", "ctxrepo", "_complete"])
    script = Path(__file__).with_name(f"ctxrepo.{shell}").read_text("utf-8")
    output.verbatim(script.replace("ASK", ask, 1).encode())
