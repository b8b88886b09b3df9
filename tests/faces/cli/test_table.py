"""The table of commands is what the commands themselves say."""

from __future__ import annotations

import runpy
from pathlib import Path

from ctxrepo.faces.cli import table

_GENERATOR = runpy.run_path(str(Path(__file__).parents[3] / "tools/reference.py"))


def test_it_is_as_the_commands_are() -> None:
    assert Path(table.FILE).read_text("utf-8") == _GENERATOR["table"](), "run `tools/reference.py`"


def test_verbs_stand_below_their_group() -> None:
    conflicts = table.read().commands["conflicts"]
    assert conflicts.is_group
    assert list(conflicts.commands) == ["list", "show", "resolve"]
    keep = next(p for p in conflicts.commands["resolve"].params if "--keep" in p.names)
    assert (keep.metavar, keep.is_flag, keep.is_many) == ("WHICH", False, False)


def test_arguments_have_no_names() -> None:
    (words,) = (p for p in table.read().commands["log"].params if not p.names)
    assert (words.metavar, words.is_many) == ("TEXT", True)
