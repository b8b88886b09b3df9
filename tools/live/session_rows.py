"""What every agent must pass about past sessions: it finds what was said, and an anchor leads back to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from live.install import CHECKOUT
from live.play import Play
from live.steps import Text

DECIDED = "The retry limit is three, for the bank drops a fourth attempt."
ASKED = "What did we decide about the retry limit last week?"

_SKILL = Path("skills/memory-search/SKILL.md")


def asks(play: Play) -> None:
    """Asked what was decided last week, it calls what the skill says, and is given what was said."""
    play.stage.model.will(Text(DECIDED))
    play.turns().say("How often should we try to send a payment again?")
    play.stage.wait_for_workers()
    before = len(play.told())
    skill = _skill(play)
    line = next(line for line in skill.read_text().splitlines() if "--in sessions --since" in line)
    play.stage.model.will(play.agent.read(skill), play.agent.shell(line), Text())
    play.turns().say(ASKED)
    told = ["\n".join(prompt.messages) for prompt in play.told()[before:]]
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    play.report.look("the question alone didn't bring it", "drops a fourth" not in told[0])
    play.report.look("the skill names the command", "in sessions --since" in told[1], line)
    play.report.look("the answer holds what was said", "drops a fourth" in told[2])
    play.report.look(
        "who said it, and the command that resumes it", "resume" in told[2] or "session" in told[2]
    )
    play.asks_for_silence()


def anchors(play: Play) -> None:
    """An anchor that its shell leaves leads to that point of the conversation."""
    play.stage.model.will(
        Text(DECIDED), play.agent.shell('ctxrepo anchor payments/limit --summary "Limit is 3"'), Text()
    )
    turns = play.turns()
    turns.say("How often should we try to send a payment again?")
    turns.say("Mark this point.")
    play.stage.wait_for_workers()
    (anchor,) = play.stage.json("tape", "search", "--name", "payments/limit")["data"]["anchors"]
    play.report.look("it names the agent", anchor["agent"] == play.agent.NAME, anchor["agent"])
    play.report.look("it names an entry of the transcript", anchor["entry"] != anchor["id"], anchor["entry"])
    found = play.stage.json("tape", "read", "--around", "payments/limit")["data"]["entries"]
    play.report.look("what was said before it is found from it", any(DECIDED in e["text"] for e in found))
    play.asks_for_silence()


ALL: dict[str, Callable[[Play], None]] = {one.__name__: one for one in (asks, anchors)}


def _skill(play: Play) -> Path:
    """The skill where the agent has it; a plugin's is read where the plugin is."""
    home = play.stage.machine.home
    folders = [home / f".{play.agent.NAME}", home / ".agents", CHECKOUT]
    return next(found for folder in folders if (found := folder / _SKILL).exists())
