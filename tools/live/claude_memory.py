"""Claude Code's own memory, kept in the project's folder here (`setup --own-memory here`)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from live.play import INDEX, Play
from live.recorded import added, blocks
from live.steps import Text

_NOTE = """\
---
name: lift
description: The lift is broken
metadata:
  type: project
---

The lift in building seven is broken since March.
"""


def own_memory(play: Play) -> None:
    """Its own memory in the project's folder: listed by us for others alone, and back."""
    project, folder = play.stage.project, play.stage.memory / "shop" / "claude"
    with (project / ".git" / "info" / "exclude").open("a") as file:
        file.write(".claude/settings.local.json\n")
    play.stage.ctxrepo("setup", "claude", "--yes", "--own-memory", "here")
    index = folder / "MEMORY.md"
    steps = (folder / "lift.md", _NOTE), (index, "- [Lift](lift.md) — the lift in building seven is broken\n")
    play.stage.model.will(*(play.agent.write(path, text) for path, text in steps), Text())
    talk = play.talk()
    talk.say("The lift in building seven is broken, remember that.")
    at = time.monotonic()
    play.report.look("its system prompt names the folder", f"`{folder}/`" in _all(play, 0))
    play.report.look("and not its usual one", "/.claude/projects/" not in _all(play, 0))
    play.arrives("what it wrote is on the remote", at, "The lift in building seven")
    talk.end()
    play.asks_for_silence()
    before = len(play.prompts())
    again = play.talk()
    again.say("hello there")
    prompt = _all(play, before)
    ours = "".join(blocks(added(None, play.prompts()[before])))
    play.report.look(
        "it loads its index in the next session", "the lift in building seven is broken" in prompt
    )
    play.report.look("our block has its own index", INDEX in ours)
    play.report.look("and lists none of these notes", "shop/claude/" not in ours, ours[-300:])
    again.end()
    others = play.stage.output("context", "--agent", "codex")
    play.report.look("another agent is shown them", "shop/claude/lift.md — The lift is broken" in others)
    play.stage.ctxrepo("setup", "claude", "--yes", "--own-memory", "own")
    left = (project / ".claude").exists()
    play.report.look("taken back, its settings of the checkout are gone", not left)
    before = len(play.prompts())
    last = play.talk()
    last.say("hello there")
    play.report.look("and its memory is where it was", "/.claude/projects/" in _all(play, before))
    ours = "".join(blocks(added(None, play.prompts()[before])))
    play.report.look("then we list them for it, too", "shop/claude/lift.md" in ours)
    last.end()
    play.asks_for_silence()


def _all(play: Play, request: int) -> str:
    """All that the model was told with a request."""
    prompt = play.prompts()[request]
    return prompt.system + json.dumps(prompt.texts, ensure_ascii=False)


ALL: dict[str, Callable[[Play], None]] = {"own-memory": own_memory}
