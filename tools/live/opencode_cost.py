"""What OpenCode's bridge adds to the hook line: the time that OpenCode waits for it, beside the line."""

from __future__ import annotations

import json
import sys

from live.bridge_cost import BESIDE, CALLS, line_in, look_at
from live.play import Play
from live.steps import Text

_PROBE = """
import { appendFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
export const probe = async (given) => {
  const hooks = await bridge(given), work = hooks["tool.execute.after"]
  hooks["tool.execute.after"] = async (...all) => {
    const begun = performance.now()
    await work(...all)
    const took = performance.now() - begun
    const beside = execFileSync(%(python)s, [%(beside)s], { encoding: "utf8" })
    appendFileSync(%(log)s, JSON.stringify([took, ...JSON.parse(beside)]) + "\\n")
  }
  return hooks
}
"""
"""Behind our bridge, whose name is taken: it measures what the bridge does at a tool call."""


def cost(play: Play) -> None:
    """The bridge adds at most half a bare start of Python to the hook line."""
    if play.form != "settings":
        play.report.look("it is measured where `setup` wrote the line into it", True)
        return
    bridge = play.stage.machine.home / ".config" / "opencode" / "plugins" / "ctxrepo.js"
    root, target = play.stage.root, play.stage.project / "README.md"
    log, beside = root / "cost.jsonl", root / "beside.py"
    call = {"session": "alone", "sub": "", "cwd": str(play.stage.project), "tool": "read"}
    payload = {**call, "args": {"filePath": str(target)}, "lines": [1, 1, 1], "output": ""}
    line = line_in(bridge).replace(" opencode EVENT ", " opencode tool.execute.after ")
    beside.write_text(BESIDE.format(line=line, said=json.dumps(payload).encode()))
    places = {"python": sys.executable, "beside": str(beside), "log": str(log)}
    probe = _PROBE % {word: json.dumps(place) for word, place in places.items()}
    ours = bridge.read_text("utf-8").replace("export const ctxrepo = async (", "const bridge = async (")
    bridge.write_text(ours + probe)
    play.stage.model.will(*[play.agent.read(target)] * CALLS, Text())
    play.turns().say("Write a poem about autumn leaves.")
    look_at(play, log)


ALL = {"opencode-cost": cost}
