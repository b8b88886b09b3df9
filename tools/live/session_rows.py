"""What every agent must pass about past sessions: asked for what was said in one, it finds it."""

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
    play.stage.ctxrepo("config", "set", "tape.bridge_seconds", "0")  # or the next session is told by itself
    play.stage.model.will(Text(DECIDED))
    play.turns().say("How often should we try to send a payment again?")
    play.stage.wait_for_workers()
    before = len(play.prompts())
    skill = _skill(play)
    line = next(line for line in skill.read_text().splitlines() if "--in sessions --since" in line)
    own = getattr(play.agent, "skill", None)  # some agents' shells may not read where their skills are
    reads = own(skill.parent.name) if own else play.agent.shell(f"cat {skill}")
    play.stage.model.will(reads, play.agent.shell(line), Text())
    play.turns().say(ASKED)
    requests = ["\n".join(prompt.messages) for prompt in play.prompts()[before:]]
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    play.report.look("the question alone didn't bring it", "drops a fourth" not in requests[0])
    play.report.look("the skill names the command", "in sessions --since" in requests[1], line)
    play.report.look("the answer holds what was said", "drops a fourth" in requests[2])
    play.report.look("and the command that resumes that session", "resume  cd " in requests[2])
    play.asks_for_silence()


ALL: dict[str, Callable[[Play], None]] = {"asks": asks}


def _skill(play: Play) -> Path:
    """The skill where the agent has it; a plugin's is read where the plugin is."""
    home = play.stage.machine.home
    folders = [home / f".{play.agent.NAME}", home / ".agents", CHECKOUT]
    return next(skill for folder in folders if (skill := folder / _SKILL).exists())
