"""What OpenCode runs unasked, of commands in a line too, where its settings have it ask before each."""

from __future__ import annotations

import json
from itertools import pairwise

from live.play import PORT, Play
from live.recorded import added
from live.steps import Text

ALLOWED = ("ctxrepo search heron", "ctxrepo remember 'the printer is called gutenberg'")
ASKED = (
    "ctxrepo forget shop:MEMORY.md",
    "ctxrepo search heron; touch chained",
    "ctxrepo search $(touch nested)",
    "ctxrepo search heron | tee piped",
    "ctxrepo search heron > redirected",
    "touch plain",
)


def permissions(play: Play) -> None:
    """It asks before each command but ours that read and add; where nobody answers, that is a no."""
    home = play.stage.machine.home / ".config" / "opencode"
    settings = json.loads((home / "opencode.json").read_text("utf-8"))
    settings["permission"]["bash"] = {"*": "ask"}
    (home / "opencode.json").write_text(json.dumps(settings), "utf-8")
    if play.form == "settings":
        play.stage.ctxrepo("setup", "opencode", "--yes", "--permissions", "write")
    allowed = ALLOWED if play.form == "settings" else ()
    for command in (*ALLOWED, *ASKED):
        before = len(play.prompts())
        play.stage.model.will(play.agent.shell(command), Text())
        play.turns().say(PORT)
        output = "\n".join("\n".join(added(*pair)) for pair in pairwise(play.prompts()[before:]))
        is_run = bool(output.strip()) and "reject" not in output  # it ends with a refusal, and says no more
        verb = "runs" if command in allowed else "isn't run"
        play.report.look(f"`{command}` {verb}", is_run == (command in allowed), output[-300:])
    files = [name for name in ("chained", "nested", "piped", "redirected", "plain")
            if (play.stage.project / name).exists()]  # fmt: skip
    play.report.look("nothing was made by what isn't run", not files, str(files))


ALL = {"permissions": permissions}
