"""Our package beside another memory's in one pi."""

from __future__ import annotations

import json
from collections.abc import Callable

from live import pi_tape
from live.pi_package import TOOLS
from live.play import PORT, Play
from live.recorded import added
from live.steps import Text, Tool

_OTHER = """\
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: "memory_search", label: "s", description: "s", parameters: Type.Object({ query: Type.String() }),
    execute: async () => ({ content: [{ type: "text", text: "from the other one" }], details: null }),
  });
  pi.on("session_start", () => pi.registerTool({
    name: "tape_info", label: "t", description: "t", parameters: Type.Object({}),
    execute: async () => ({ content: [{ type: "text", text: "from the other one" }], details: null }),
  }));
  pi.registerCommand("memory-check", { handler: async (_args, ctx) => ctx.ui.notify("the other one") });
}
"""


def beside_another(play: Play) -> None:
    """Another extension has tools and commands of our names, as pi-memory-md has: both work.

    Its tool of the tape comes with a session's start, as ours do; which of the two is called is up to pi."""
    play.stage.ctxrepo("config", "set", "tape.tools", "true")
    other = play.stage.machine.home / ".pi" / "agent" / "extensions" / "other.ts"
    other.parent.mkdir(exist_ok=True)
    other.write_text(_OTHER)
    play.stage.model.will(
        Tool("memory_search", {"query": "redis"}), Tool("memory_list", {"directory": "topics"}), Text()
    )
    talk = play.talk()
    talk.say(PORT)
    prompts = play.prompts()
    theirs, ours = [*added(prompts[0], prompts[-1]), "", ""][:2]
    play.report.look("a tool that it has is its", "from the other one" in theirs, theirs)
    play.report.look("one that it hasn't is ours", "Memory files (" in ours, ours)
    offered = sorted(tool["name"] for tool in json.loads(prompts[0].tools) if "memory_" in tool["name"])
    play.report.look("each is offered once", offered == sorted(f"memory_{name}" for name in TOOLS), offered)
    offered = sorted(tool["name"] for tool in json.loads(prompts[0].tools) if "tape_" in tool["name"])
    play.report.look("the tape's too", offered == sorted(pi_tape.TOOLS), offered)
    play.report.look("the session is given its memory", "6380" in "".join(play.given(0)))
    seen = [talk.shown("memory-check:1"), talk.shown("memory-check:2")]
    play.report.look("pi tells the commands apart", seen[0] != seen[1] and all(seen), seen)
    talk.end()
    play.report.look("pi complained of nothing", not talk.errors(), talk.errors()[:300])
    play.asks_for_silence()


ALL: dict[str, Callable[[Play], None]] = {"pi-beside-another": beside_another}
