"""`python -m live.relay`: one memory goes through four agents on three machines.

Claude Code learns a fact on machine A, Codex corrects it on B, pi is asked on C, Gemini CLI hands over on A,
and Claude Code goes on there.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from machines import make_remote

from live import alone, claude, codex, gemini, install, pi, stage
from live.model import Model
from live.play import INDEX, Play
from live.report import Report
from live.stage import Stage, note_of
from live.steps import Text

ASKED = "When does the release train leave?"
LEARNT, CORRECTED = "leaves on Thursday at 16:00", "leaves on Friday at 10:00"
OPEN = "the train needs a second driver"


def main() -> int:
    installed = {
        agent.NAME: install.install(agent.NAME, agent.PACKAGE, install.root())
        for agent in (claude, codex, gemini, pi)
    }
    alone.go_inside(["-m", "live.relay"])
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-relay-"))
    report = Report("a relay of four agents on three machines")
    remote = make_remote(root)
    try:
        with (
            _machine(root / "a", remote, claude, installed) as a,
            _machine(root / "b", remote, codex, installed) as b,
            _machine(root / "c", remote, pi, installed) as c,
            _second(a, gemini, installed) as g,
        ):
            _run(
                report,
                *(
                    Play(machine, agent, "settings", report)
                    for machine, agent in ((a, claude), (b, codex), (c, pi), (g, gemini))
                ),
            )
    except Exception as error:
        report.look("it was run to its end", False, f"{type(error).__name__}: {error}")
    report.show()
    shutil.rmtree(root, ignore_errors=True)
    return 0 if report.is_well else 1


def _run(report: Report, a: Play, b: Play, c: Play, g: Play) -> None:
    a.stage.model.will(a.agent.shell(f"ctxrepo remember 'the release train {LEARNT}' -c fact"), Text())
    _says(a, "The release train leaves on Thursday at four, remember that.")
    report.look("A, Claude Code: the fact is on the remote", a.stage.sent(LEARNT))

    b.stage.ctxrepo("pull")
    note = note_of(b.stage, LEARNT)
    # A model thinks for seconds. Without that the worker that the start woke may come upon the edit before
    # the tool's hook has said whose it is.
    thinks = b.agent.shell("sleep 3")
    b.stage.model.will(b.agent.read(note), thinks, b.agent.edit(note, LEARNT, CORRECTED), Text())
    _says(b, f"{ASKED} It is Friday at ten now.")
    report.look("B, Codex: was given what A learnt", LEARNT in "".join(b.given(0)))
    report.look("B, Codex: the correction is on the remote", b.stage.sent(CORRECTED))

    _says(c, ASKED)
    given = "".join(c.given(0))
    report.look(
        "C, pi: is given the correction and not what it replaced", CORRECTED in given and LEARNT not in given
    )

    g.stage.model.will(g.agent.shell(f"ctxrepo handoff --goal 'move the train' --open '{OPEN}'"), Text())
    _says(g, "Hand over, please.")
    report.look("A, Gemini CLI: the handoff is on the remote", g.stage.sent(OPEN))

    _says(a, "hello there")
    given = "".join(a.given(-1))
    report.look("A, Claude Code: begins with the handoff", OPEN in given and INDEX in given)

    for play in (a, b, c):
        play.stage.ctxrepo("sync")
        play.stage.wait_for_silence()
        files = [path.read_text("utf-8") for path in play.stage.memory.rglob("*.md")]
        marks = [mark for mark in ("<<<<<<<", ">>>>>>>") for text in files if mark in text]
        kept = [*play.stage.memory.glob("conflicts/*")]
        report.look(
            f"{play.stage.root.name.upper()}: no conflict marker, nothing kept aside", not marks and not kept
        )
    history = a.stage.output("history", str(note.relative_to(b.stage.memory)))
    report.look("`history` tells which agent did what", "claude" in history and "codex" in history, history)
    heads = {play.stage.machine.git("rev-parse", "HEAD") for play in (a, b, c)}
    report.look("all three clones are at one commit", len(heads) == 1, heads)


def _says(play: Play, prompt: str) -> None:
    """A session of one prompt, and what it left to do is done."""
    play.turns().say(prompt)
    play.stage.wait_for_silence()


@contextmanager
def _machine(
    root: Path, remote: Path, agent: ModuleType, installed: dict[str, install.Installed]
) -> Iterator[Stage]:
    root.mkdir()
    with Model(agent.API, root / "requests.jsonl") as model:
        there = stage.place(root, remote, model, installed[agent.NAME])
        agent.connect(there, "settings")
        yield there
        there.end_all()


@contextmanager
def _second(first: Stage, agent: ModuleType, installed: dict[str, install.Installed]) -> Iterator[Stage]:
    """Another agent on the same machine."""
    with Model(agent.API, first.root / f"requests-{agent.NAME}.jsonl") as model:
        there = replace(first, model=model, installed=installed[agent.NAME], started=[])
        agent.connect(there, "settings")
        yield there
        there.end_all()


if __name__ == "__main__":
    sys.exit(main())
