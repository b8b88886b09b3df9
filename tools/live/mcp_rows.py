"""What every agent must pass that takes MCP servers: its model reads and writes over ours, also where its
sandbox lets no command write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from live.play import PORT, Play
from live.recorded import added
from live.steps import Text

_FACT = "the canary is the first machine to be rolled out"


def over_mcp(play: Play) -> None:
    """The model calls our tools over MCP: what it recalls comes framed, and what it writes is sent."""
    trust = ("--trust",) if play.agent.NAME == "codex" else ()
    level = ("--permissions", "write") if play.agent.NAME in ("claude", "gemini") else ()
    play.stage.ctxrepo("setup", play.agent.NAME, "--mcp", *level, *trust, "--yes")
    play.stage.wait_for_silence()
    rights = getattr(play.agent, "DEFAULT_SANDBOX", play.stage.rights)
    play = replace(play, stage=replace(play.stage, rights=rights))
    calls = (
        play.agent.over_mcp("recall", {"text": PORT}),
        play.agent.over_mcp("remember", {"text": _FACT, "category": "fact"}),
        play.agent.over_mcp("handoff", {"next": "roll out the others"}),
    )
    play.stage.model.will(*calls, Text())
    play.turns().say("Look something up, keep what I said, and stop.")
    prompts = play.prompts()
    words = ["\n".join(added(prompts[turn], prompts[turn + 1])) for turn in range(len(prompts) - 1)]
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    is_framed = len(words) > 2 and "6380" in words[0] and "ctxrepo-memory" in words[0]
    play.report.look("what was recalled is given, as a quotation", is_framed, words[:1])
    is_told = len(words) > 2 and "topics/fact.md#L" in words[1] and "project shop" in words[1]
    play.report.look("the model is told where it wrote", is_told, words[1:2])
    arrived = play.stage.wait(lambda: play.stage.sent(_FACT) and play.stage.sent("roll out the others"), 60)
    play.report.look("both are on the remote", arrived is not None)
    body = play.stage.machine.git("log", "--format=%B", "-5")
    play.report.look("the commit names the agent", f"Ctxrepo-Agent: {play.agent.NAME}" in body, body)
    play.report.look("and its session", "Ctxrepo-Session: " in body, body)
    play.asks_for_silence()


ALL: dict[str, Callable[[Play], None]] = {"mcp": over_mcp}
