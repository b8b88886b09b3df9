"""`python -m live.tokens claude`, with tests/ on the path: what memory costs in tokens, mode by mode.

The same two sessions with a compaction between, over the same memory, for each mode and preset and without
memory. A table in markdown says what was given with each turn and what share of it a provider's cache of
prompts could not use again.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from live import alone, install, stage
from live.model import Model
from live.recorded import Prompt, added, blocks, break_between
from live.scenarios import TEN, YEAR
from live.stage import Stage
from live.steps import Text

LETTERS = 4
"""Characters that count as a token: no model is asked here, and as a rule of thumb it holds for English."""

PROMPTS = tuple(prompt for prompt, _ in TEN[:4])
"""What is asked; the conversation is shortened after the second, and a new session asks the last one."""


@dataclass(frozen=True)
class Way:
    """A way to be given memory: `keys` of config.toml, and whether the packet stands in the system prompt."""

    title: str
    keys: tuple[tuple[str, str], ...] = ()
    in_system: bool = False
    in_file: bool = False
    is_off: bool = False


WAYS = (
    Way("no memory", is_off=True),
    Way("`delta`"),
    Way("`once`", (("delivery.mode", "once"),)),
    Way("`system`", (("delivery.mode", "system"),), in_system=True),
    Way("`file`", (("delivery.mode", "file"),), in_file=True),
    Way("`pull`", (("delivery.mode", "pull"),)),
    Way("preset `md`, `once`", (("delivery.preset", "md"), ("delivery.mode", "once"))),
    Way("preset `daily`", (("delivery.preset", "daily"),)),
    Way("preset `semantic`", (("delivery.preset", "semantic"),)),
)


@dataclass(frozen=True)
class Turn:
    """Tokens of one request: all of it, what is new since the one before, and what of it is ours."""

    whole: int
    new: int
    ours: int
    is_broken: bool


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m live.tokens", description=__doc__)
    parser.add_argument("agent", choices=("claude",))
    parser.add_argument("--keep", type=Path, help="leave everything in this folder, to look at")
    options = parser.parse_args()
    agent = importlib.import_module(f"live.{options.agent}")
    installed = install.install(agent.NAME, agent.PACKAGE, install.root())
    alone.go_inside(["-m", "live.tokens", *sys.argv[1:]])
    root = options.keep or Path(tempfile.mkdtemp(prefix="ctxrepo-tokens-"))
    print(_head(), flush=True)
    for number, way in enumerate(WAYS):
        print(_row(way, _play(agent, way, root / str(number), installed)), flush=True)
    if not options.keep:
        shutil.rmtree(root, ignore_errors=True)
    return 0


def _play(agent: ModuleType, way: Way, root: Path, installed: install.Installed) -> list[Turn]:
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    with Model(agent.API, root / "requests.jsonl") as model:
        here = stage.build(root, model, installed)
        here.knows(YEAR, "clinicdesk")
        here.ctxrepo("scratch", "add", "the accents of Lab-Sud: a test with a real file")
        here.ctxrepo("log", "the parser reads CP850 now; the lanes of the calendar are next")
        here.ctxrepo("handoff", "--goal", "Lab-Sud imports without garbage", "--next", "the test")
        for key, value in way.keys:
            here.ctxrepo("config", "set", key, value)
        agent.connect(here, "settings")
        if way.in_file:
            here.ctxrepo("file", "add", "--agent", agent.NAME)
        if way.is_off:
            here = replace(
                here, machine=replace(here.machine, more={**here.machine.more, "CTXREPO_OFF": "1"})
            )
        try:
            return _turns(agent, way, here)
        finally:
            here.end_all()


def _turns(agent: ModuleType, way: Way, here: Stage) -> list[Turn]:
    first = _talk(agent, way, here)
    first.say(PROMPTS[0])
    first.say(PROMPTS[1])
    here.model.will(Text(agent.SUMMARY))
    first.say(agent.COMPACT)
    shortened = len(here.model.conversation())
    first.say(PROMPTS[2])
    first.end()
    here.wait_for_silence()
    two = _talk(agent, way, here)
    two.say(PROMPTS[3])
    two.end()
    here.wait_for_silence()
    prompts = [request.prompt for request in here.model.conversation()]
    beside = len(here.output("context")) if way.in_system else 0
    turns = [*prompts[:2], prompts[shortened], prompts[-1]]
    before: list[Prompt | None] = [None, prompts[0], None, None]
    return [_turn(prompt, last, beside) for prompt, last in zip(turns, before, strict=True)]


def _talk(agent: ModuleType, way: Way, here: Stage) -> Any:
    return agent.Talk(here, "settings", *(agent.with_system(here.output("context")) if way.in_system else ()))


def _turn(prompt: Prompt, before: Prompt | None, beside: int) -> Turn:
    """`beside` are the letters of ours that stand in the system prompt, which a conversation begins with."""
    whole = _size(prompt)
    is_broken = before is not None and bool(break_between(before, prompt))
    new = whole if before is None or is_broken else whole - _size(before)
    fresh = added(before, prompt) if before is not None and not is_broken else added(None, prompt)
    ours = sum(map(len, _ours(fresh)))
    if before is None:
        ours += beside
    return Turn(whole // LETTERS, new // LETTERS, ours // LETTERS, is_broken)


def _ours(texts: Sequence[str]) -> list[str]:
    lists = [text[text.index("<memory_context") :] for text in texts if "<memory_context" in text]
    return [*blocks(texts), *(text[: text.index("</memory_context>")] for text in lists)]


def _size(prompt: Prompt) -> int:
    return len(prompt.system) + len(prompt.tools) + sum(map(len, prompt.messages))


def _head() -> str:
    columns = (
        "way",
        "first turn",
        "second",
        "after `/compact`",
        "next session",
        "ours in all",
        "prefix kept",
    )
    return "| " + " | ".join(columns) + " |\n|---|" + "---:|" * (len(columns) - 1)


def _row(way: Way, turns: Sequence[Turn]) -> str:
    kept = "no" if any(turn.is_broken for turn in turns) else "yes"
    cells = [f"{turn.ours} of {turn.new}" for turn in turns]
    return "| " + " | ".join([way.title, *cells, str(sum(turn.ours for turn in turns)), kept]) + " |"


if __name__ == "__main__":
    raise SystemExit(main())
