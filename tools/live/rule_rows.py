"""What every agent must pass about rules: it is held to one that a person approved, and to no more."""

from __future__ import annotations

from collections.abc import Callable

from live.play import Play
from live.recorded import added
from live.steps import Text

_DEPLOYS = "nobody deploys by hand: the pipeline does"
_NOTED = "whoever touches other tells the team"
_LINTED = "the linter runs over whatever changed"


def enforced(play: Play) -> None:
    """A command that a rule refuses doesn't run, and a turn doesn't end before what a rule wants is said."""
    for fact, rule in (
        (_DEPLOYS, "block command touch deployed"),
        (_NOTED, "warn command touch other"),
        (_LINTED, "verify file src/* needs make lint"),
    ):
        entry = play.stage.json("remember", fact)["data"]["id"]
        play.stage.ctxrepo("enforce", entry, rule)
    play.stage.ctxrepo("config", "set", "hooks.before_tool", "enforce")
    trust = ("--trust",) if play.agent.NAME == "codex" else ()
    play.stage.ctxrepo("setup", play.agent.NAME, "--yes", *trust)
    play.stage.wait_for_silence()
    _refused(play)
    _held(play)
    play.asks_for_silence()


ALL: dict[str, Callable[[Play], None]] = {"enforced": enforced}


def _refused(play: Play) -> None:
    """Rows about a command that a rule refuses, and one of which a rule warns, which is called twice."""
    project = play.stage.project
    commands = [play.agent.shell(f"touch {name}") for name in ("deployed", "other", "other")]
    play.stage.model.will(*commands, Text())
    play.turns().say("Deploy it.")
    prompts = play.prompts()
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    play.report.look("what a rule refuses didn't run", not (project / "deployed").exists())
    why = "\n".join(added(prompts[0], prompts[1]))
    play.report.look("the model is told why", "Refused by a rule" in why and _DEPLOYS in why, why)
    play.report.look("another command ran", (project / "other").exists())
    first, again = ("\n".join(added(prompts[turn], prompts[turn + 1])) for turn in (1, 2))
    play.report.look("and the model is warned of it, once", _NOTED in first and _NOTED not in again, first)


def _held(play: Play) -> None:
    """Rows about a turn that changes a file after which a rule wants a command."""
    (play.stage.project / "src").mkdir()
    file, before = play.stage.project / "src" / "pay.py", len(play.prompts())
    play.stage.model.will(play.agent.write(file, "RETRIES = 3\n"), Text("It is written."), Text())
    play.turns().say("Write src/pay.py.")
    prompts = play.prompts()[before:]
    play.report.look("the file was written", file.exists())
    if why := play.agent.LACKS.get("holds"):
        play.report.look(f"the turn's end isn't held, because {why}", len(prompts) == 2, len(prompts))
        play.stage.model.forget()
        return
    words = "\n".join(added(prompts[1], prompts[-1]))
    is_held = "src/pay.py was changed. Run `make lint`" in words and _LINTED in words
    play.report.look("the turn doesn't end before what a rule wants is said", is_held, words)
    play.report.look("which is said once", len(prompts) == 3, f"{len(prompts)} requests")
