"""What is played: each scenario takes a stage, an agent and a form, and looks at what must hold."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from live.recorded import added, blocks, breaks, place_of
from live.report import Report
from live.stage import Stage, note_of
from live.steps import Text

_INDEX = "## Index of notes"
_PORT = "Which port does redis listen on here?"
_TESTS = "How do I run the database tests?"

Scenario = Callable[[Stage, ModuleType, str, Report], None]


def prompts(stage: Stage, agent: ModuleType, form: str, report: Report) -> None:
    """Five prompts, a process for each: every one after the first is a session resumed."""
    _five(stage, agent.Turns(stage, form), report)


def talk(stage: Stage, agent: ModuleType, form: str, report: Report) -> None:
    """The same five prompts in one process."""
    _five(stage, agent.Talk(stage, form), report)


def tools(stage: Stage, agent: ModuleType, form: str, report: Report) -> None:
    """The agent reads, edits and writes notes with its own tools, and remembers by a shell."""
    note, new = note_of(stage, "6380"), stage.memory / "shop" / "topics" / "release.md"
    text = "---\ndescription: How releases are cut\ntags: [release]\n---\n\n- releases are cut on Tuesdays\n"
    stage.model.will(
        agent.read(note),
        agent.edit(note, "port 6380", "port 6399"),
        agent.write(new, text),
        Text("Both notes are up to date."),
    )
    talk = agent.Talk(stage, form)
    talk.begin("Redis moved to port 6399. Write that down, and that releases are cut on Tuesdays.")
    _until_committed(stage, talk, report, "6399", "cut on Tuesdays")
    report.look("the agent did all that the model asked for", stage.model.is_done)
    stage.model.will(agent.shell("ctxrepo remember 'heron is rebooted on Sundays' --category gotcha"))
    talk.begin("Remember that heron is rebooted on Sundays.")
    _until_committed(stage, talk, report, "rebooted on Sundays")
    at = talk.end()
    seen = stage.wait(lambda: stage.sent("6399") and stage.sent("Tuesdays") and stage.sent("Sundays"), 30)
    report.within("all of it on the remote after the exit", seen and time.monotonic() - at, 10)
    _signed(stage, report)
    again = agent.Talk(stage, form)
    again.say("When are releases cut?")
    given = "".join(blocks(added(None, stage.model.conversation()[-1].prompt)))
    report.look("the next session is given what this one wrote", "Tuesdays" in given)
    again.end()
    _afterwards(stage, report)


def compact(stage: Stage, agent: ModuleType, form: str, report: Report) -> None:
    """The conversation is shortened, what was delivered with it, and that comes again; then it is resumed."""
    talk = agent.Talk(stage, form)
    talk.say(_PORT)
    stage.model.will(Text(agent.SUMMARY))
    talk.say(agent.COMPACT)
    before = len(stage.model.conversation())
    talk.say(_PORT)
    fresh = stage.model.conversation()[before].prompt
    report.look("the conversation was shortened", agent.SUMMARY_SAYS in "".join(added(None, fresh)))
    report.look("after it the index is delivered again", _INDEX in "".join(blocks(added(None, fresh))))
    report.look("and the entry too", any("6380" in block for block in blocks(added(None, fresh))))
    report.look(
        "once each", len(blocks(added(None, fresh))) == 2, f"{len(blocks(added(None, fresh)))} blocks"
    )
    talk.say(_TESTS)
    talk.end()
    after = [request.prompt for request in stage.model.conversation()[before:]]
    report.look(
        "every request after it continues the one before", not breaks(after), breaks(after) or len(after)
    )
    session = stage.model.conversation()
    resumed = agent.Turns(stage, form)
    resumed.process = talk.process
    resumed.say("ok thanks")
    last = stage.model.conversation()[-1].prompt
    new = blocks(added(session[-1].prompt, last))
    report.look("resumed, it is given nothing again", not new, f"{len(new)} blocks")
    broken = breaks([session[-1].prompt, last])
    report.look("and its request continues the one before", not broken, broken)
    stage.wait_for_silence()
    report.look("a handoff was left", stage.sent("handoff/compaction"))
    _afterwards(stage, report)


def sigterm(stage: Stage, agent: ModuleType, form: str, report: Report) -> None:
    """The agent is ended in the middle of a turn, after it edited a note."""
    talk, held = _until_it_waits(stage, agent, form)
    at = talk.process.kill(signal.SIGTERM)
    held.set()
    seen = stage.wait(lambda: stage.sent("6399"), 30)
    report.within("what it edited is on the remote after SIGTERM", seen and time.monotonic() - at, 10)
    seen = stage.wait(lambda: stage.sent("shelled"), 1)
    report.look("and what it wrote by a shell", seen is not None)
    _afterwards(stage, report)


def sigkill(stage: Stage, agent: ModuleType, form: str, report: Report) -> None:
    """The agent is killed in the middle of a turn: nobody is told, and the next start recovers."""
    talk, held = _until_it_waits(stage, agent, form)
    talk.process.kill(signal.SIGKILL)
    held.set()
    report.look("after SIGKILL nobody is left", not stage.wait_for_silence(10), stage.wait_for_silence(0))
    report.look("nothing was committed yet, which is what this is about", not stage.committed("6399"))
    again = agent.Talk(stage, form)
    at = time.monotonic()
    again.begin("hello there")
    for words in ("6399", "shelled"):
        seen = stage.wait(lambda words=words: stage.committed(words), 20)
        report.within(f"{words!r} committed by the next start", seen and time.monotonic() - at, 10)
    seen = stage.wait(lambda: stage.sent("6399") and stage.sent("shelled"), 20)
    report.within("and on the remote", seen and time.monotonic() - at, 10)
    again.end()
    _afterwards(stage, report)


ALL: dict[str, Scenario] = {one.__name__: one for one in (prompts, talk, tools, compact, sigterm, sigkill)}


def _five(stage: Stage, session: Any, report: Report) -> None:
    asked = (_PORT, "ok thanks", _TESTS, f"{_PORT} I forgot it.", "Write a poem about autumn leaves.")
    given = []
    for prompt in asked:
        session.say(prompt)
        given.append(blocks(_new(stage, len(given))))
    first = _new(stage, 0)
    index, user = place_of(_INDEX, first), place_of(_PORT, first)
    report.look(
        "the index stands before the user's text", 0 <= index < user, f"text {index} < {user} of {len(first)}"
    )
    entry = [place for place, text in enumerate(first) if "6380" in "".join(blocks([text]))]
    report.look("the entry stands in the first turn, once", len(entry) == 1, f"text {entry} of {len(first)}")
    report.look("nothing of ours is in the system prompt", "ctxrepo-memory" not in _first(stage).system)
    report.look("'ok thanks' is met with silence", not given[1], f"{len(given[1])} blocks")
    tests = [block for block in given[2] if "make db" in block]
    report.look(
        "the entry about the tests comes with its prompt, alone", len(tests) == len(given[2]) == 1, given[2]
    )
    report.look("what was given isn't given again", not given[3], given[3])
    report.look("a prompt that no entry fits is left alone", not given[4], given[4])
    counted = sum(_INDEX in block for blocks_ in given for block in blocks_)
    report.look("the index came once in five turns", counted == 1, counted)
    told = [request.prompt for request in stage.model.conversation()]
    report.look(
        "every request continues the one before", not breaks(told), breaks(told) or f"{len(told)} requests"
    )
    session.end()
    _afterwards(stage, report)


def _until_committed(stage: Stage, talk: Any, report: Report, *words: str) -> None:
    """The turn that was begun writes these words; a row about how long after Stop they were committed."""
    seen = stage.wait(lambda: all(stage.committed(each) for each in words), 60)
    at = time.monotonic()
    talk.finish()
    over = talk.process.heard("Stop")
    took = max(0.0, at - over[-1]) if seen is not None and over else None
    report.within(f"{' and '.join(map(repr, words))} committed after Stop", took, 2)


def _until_it_waits(stage: Stage, agent: ModuleType, form: str) -> tuple[Any, threading.Event]:
    """A session in the middle of a turn: one note edited, one written by a shell, and the model is mute."""
    note, held = note_of(stage, "6380"), threading.Event()
    shelled = stage.memory / "shop" / "topics" / "shelled.md"
    stage.model.will(
        agent.read(note),
        agent.edit(note, "port 6380", "port 6399"),
        agent.shell(f"printf -- '- shelled by hand\\n' > {shelled}"),
        Text(held=held),
    )
    talk = agent.Talk(stage, form)
    talk.begin("Redis moved to port 6399, write that down.")
    if stage.wait(lambda: len(stage.model.conversation()) == 4, 60) is None:
        raise TimeoutError("the agent never came to the end of its tools")
    return talk, held


def _afterwards(stage: Stage, report: Report) -> None:
    """What must hold at the end of every session."""
    left = stage.wait_for_silence()
    report.look("no process is left", not left, left)
    report.look("no hook and no worker met a problem", not stage.problems(), stage.problems()[:1])
    status = stage.ctxrepo("status")
    report.look("nothing waits", "waiting  0 to commit, 0 to send, 0 to merge" in status, status)


def _signed(stage: Stage, report: Report) -> None:
    """The commits say who wrote."""
    body = stage.machine.git("log", "--format=%B", "-3")
    said = [line for line in body.splitlines() if line.startswith(("Ctxrepo-Session", "Ctxrepo-Agent"))]
    report.look("the commit names agent and session", "Ctxrepo-Agent: claude" in said, said[:2])


def _first(stage: Stage) -> Any:
    return stage.model.conversation()[0].prompt


def _new(stage: Stage, turn: int) -> list[str]:
    """What the request of this turn has that the one before hadn't; a request a turn."""
    told = [request.prompt for request in stage.model.conversation()]
    return added(told[turn - 1] if turn else None, told[turn])
