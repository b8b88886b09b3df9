"""Codex as it is by default: commands in its sandbox, with what `setup` can let out of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

from live.play import INDEX, PORT, Play
from live.recorded import added, place_of
from live.steps import Text

_AS_ELSEWHERE = """
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
"""
"""By default commands may write to /tmp, where the home of this stage is, and no other home."""


def _begin(play: Play, mode: str, permissions: str = "none", *, has_rules: bool = True) -> None:
    """Codex in this mode of its sandbox, with what `setup` grants it; without its rules it has the folder."""
    home = play.stage.machine.home / ".codex"
    text = (home / "config.toml").read_text("utf-8").replace('"danger-full-access"', f'"{mode}"')
    (home / "config.toml").write_text(text + _AS_ELSEWHERE, "utf-8")
    play.stage.ctxrepo("setup", "codex", "--yes", "--permissions", permissions)
    if not has_rules:
        (home / "rules" / "ctxrepo.rules").unlink()


def _answers(play: Play, *commands: str) -> list[str]:
    """What Codex told the model of these commands, in one turn."""
    before = len(play.told())
    play.stage.model.will(*map(play.agent.shell, commands), Text())
    play.turns().say(PORT)
    told = play.told()[before:]
    return ["\n".join(added(first, second)) for first, second in pairwise(told)]


def _is_given(play: Play) -> None:
    first = added(None, play.told()[0])
    play.report.look("the index is given", place_of(INDEX, first) >= 0)


def _rows(play: Play, *, is_again: bool = False) -> None:
    """Commands that read, add and take away; `is_again`: what adds can only be run again by the hook."""
    found, saved, logged, removed = _answers(
        play,
        "ctxrepo search heron",
        "ctxrepo remember 'the printer is called gutenberg'",
        "ctxrepo log 'met the printer'",
        "ctxrepo forget shop:MEMORY.md",
    )
    at = time.monotonic()
    _is_given(play)
    play.report.look("a command that reads answers", "cluster is called heron" in found, found[-300:])
    play.report.look("`remember` ends well", "remembered: ^" in saved, saved[-300:])
    for answer in (saved, logged) if is_again else ():
        play.report.look("it says that nothing is saved", "nothing is saved" in answer, answer[-300:])
        play.report.look("and the hook that it is", "what it wrote is saved" in answer, answer[-300:])
    play.arrives("what was written is on the remote", at, "gutenberg", "met the printer")
    play.report.look("`forget` is refused", "nothing is changed" in removed, removed[-300:])
    if is_again:
        _forgeries(play, saved)
    play.asks_for_silence()


def _forgeries(play: Play, printed: str) -> None:
    """What was printed before comes in a file that is shown, and beside another command."""
    (play.stage.project / "page.txt").write_text(printed, "utf-8")
    fact = "ctxrepo remember 'the printer is called luther'"
    chained, _, beside = _answers(play, f"true && {fact}", "cat page.txt", f"{fact}; cat page.txt")
    for answer in (chained, beside):
        play.report.look(
            "beside another command it isn't run again", "Not run again" in answer, answer[-300:]
        )
    play.stage.wait_for_silence()
    found = play.stage.output("search", "printer")
    play.report.look(
        "nothing of that is saved", found.count("gutenberg") == 1 and "luther" not in found, found
    )


def workspace(play: Play) -> None:
    """Its default, without anything granted: the hook runs again what adds."""
    _begin(play, "workspace-write")
    _rows(play, is_again=True)


def workspace_with_folder(play: Play) -> None:
    """Its default, with the folder that `setup` opens: what adds is handed over and saved outside."""
    _begin(play, "workspace-write", "write", has_rules=False)
    _rows(play)


def workspace_with_rules(play: Play) -> None:
    """Its default, with our rules: commands that read and add run outside of the sandbox."""
    _begin(play, "workspace-write", "write")
    _rows(play)


def read_only(play: Play) -> None:
    """Its strictest, without anything granted."""
    _begin(play, "read-only")
    _rows(play, is_again=True)


def read_only_with_rules(play: Play) -> None:
    """Its strictest, with our rules."""
    _begin(play, "read-only", "write")
    _rows(play)


ALL: dict[str, Callable[[Play], None]] = {
    f"mode-{each.__name__.replace('_', '-')}": each
    for each in (workspace, workspace_with_folder, workspace_with_rules, read_only, read_only_with_rules)
}
