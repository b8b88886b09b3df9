"""What pi's extension adds to the hook line: the time that pi waits for it, beside the line alone."""

from __future__ import annotations

import json
import sys

from live.bridge_cost import BESIDE, CALLS, line_in, look_at
from live.pi_types import SOURCE
from live.play import Play
from live.steps import Text

_PROBE = """\
import { appendFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
export default function (pi) {
  pi.on("tool_result", () => {
    const now = performance.now();
    if (%(first)s) return void (globalThis.begun = now);
    const beside = execFileSync(%(python)s, [%(beside)s], { encoding: "utf8" });
    appendFileSync(%(log)s, JSON.stringify([now - globalThis.begun, ...JSON.parse(beside)]) + "\\n");
  });
}
"""
"""An extension before ours, which notes the time, and one behind it, which measures the rest."""


def cost(play: Play) -> None:
    """The extension adds at most half a bare start of Python to the hook line."""
    play.stage.ctxrepo("setup", "pi", "--yes")  # a package is loaded beside the probes, not between them
    extensions = play.stage.machine.home / ".pi" / "agent" / "extensions"
    root, target = play.stage.root, play.stage.project / "README.md"
    log, beside = root / "cost.jsonl", root / "beside.py"
    where = {"session": "alone", "cwd": str(play.stage.project)}
    payload = {**where, "tool": "read", "input": {"path": str(target)}}
    line = line_in(extensions / SOURCE.name).replace(" pi EVENT ", " pi tool_result ")
    beside.write_text(BESIDE.format(line=line, said=json.dumps(payload).encode()))
    for name, first in (("a-before.ts", "true"), ("z-behind.ts", "false")):
        places = {"python": sys.executable, "beside": str(beside), "log": str(log)}
        filled = {word: json.dumps(place) for word, place in places.items()}
        (extensions / name).write_text(_PROBE % {**filled, "first": first})
    talk = play.talk()
    play.stage.model.will(*[play.agent.read(target)] * CALLS, Text())
    talk.say("Write a poem about autumn leaves.")
    talk.end()
    look_at(play, log)
