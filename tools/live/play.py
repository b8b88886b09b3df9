"""One scenario being played: its stage, its agent in a form, its report, and what many of them look at."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from live.recorded import Prompt, added, blocks, breaks, is_more_of
from live.report import Report
from live.stage import Stage, note_of
from live.steps import Text

INDEX = "## Index of notes"
PORT = "Which port does redis listen on here?"
TESTS = "How do I run the database tests?"


@dataclass(frozen=True)
class Play:
    """`agent` is a module such as live.claude, `form` one of its ways to be connected."""

    stage: Stage
    agent: ModuleType
    form: str
    report: Report

    def talk(self, *more: str) -> Any:
        """A new conversation in one process; `more` are words of its command line."""
        return self.agent.Talk(self.stage, self.form, *more)

    def turns(self, goes_on: bool = False) -> Any:
        """A conversation with a process for each prompt; with `goes_on` the last one there was."""
        return self.agent.Turns(self.stage, self.form, goes_on)

    def prompts(self) -> list[Prompt]:
        """What the model was told, request by request."""
        return [request.prompt for request in self.stage.model.conversation()]

    def given(self, turn: int = -1) -> list[str]:
        """Our blocks in what this request has and the one before hadn't; all, where a conversation begins."""
        prompts = self.prompts()
        turn = turn % len(prompts)
        goes_on = turn > 0 and is_more_of(prompts[turn - 1], prompts[turn])
        return blocks(added(prompts[turn - 1] if goes_on else None, prompts[turn]))

    def continues(self, prompts: Sequence[Prompt]) -> None:
        """A row: each of these requests is an exact extension of the one before."""
        gaps = breaks(prompts)
        self.report.look(
            "every request continues the one before", not gaps, gaps or f"{len(prompts)} requests"
        )

    def commits(self, talk: Any, *words: str) -> None:
        """A row: in the turn that was begun these words are written, and how long after Stop committed."""
        seen = self.stage.wait(lambda: all(self.stage.committed(each) for each in words), 60)
        at = time.monotonic()
        talk.finish()
        over = talk.process.heard("Stop")
        took = max(0.0, at - over[-1]) if seen is not None and over else None
        self.report.within(f"{' and '.join(map(repr, words))} committed after Stop", took, 2)

    def arrives(self, what: str, since: float, *words: str) -> None:
        """A row: these words are on the remote within the time that is promised after an end."""
        seen = self.stage.wait(lambda: all(self.stage.sent(each) for each in words), 60)
        self.report.within(what, None if seen is None else time.monotonic() - since, 10)

    def until_it_waits(self) -> tuple[Any, threading.Event]:
        """A talk in the middle of a turn: one note edited, one written by a shell, and the model is mute.

        The event lets it speak again. What the session's start left to do is over by then.
        """
        talk = self.talk()
        talk.say("hello there")
        self.stage.wait_for_workers()
        before = len(self.prompts())
        note, held = note_of(self.stage, "6380"), threading.Event()
        shelled = self.stage.memory / "shop" / "topics" / "shelled.md"
        self.stage.model.will(
            self.agent.read(note),
            self.agent.edit(note, "port 6380", "port 6399"),
            self.agent.shell(f"printf -- '- shelled by hand\\n' > {shelled}"),
            Text(held=held),
        )
        talk.begin("Redis moved to port 6399, write that down.")
        if self.stage.wait(lambda: len(self.prompts()) == before + 4, 60) is None:
            raise TimeoutError("the agent never came to the end of its tools")
        return talk, held

    def asks_for_silence(self) -> None:
        """Rows for the end of every session: nobody left, nothing left to do, and no trouble."""
        left = self.stage.wait_for_silence()
        self.report.look("no process is left", not left, left)
        problems = self.stage.problems()
        self.report.look("no hook and no worker met a problem", not problems, problems[:1])
        now = self.stage.json("status")["data"]
        waits = {what: now[what] for what in ("waiting", "ahead", "behind")}
        self.report.look("nothing waits", not any(waits.values()), waits)

    def is_told_of(self) -> None:
        """A row: what `doctor --hooks` makes of the agent's own records."""
        answer = self.stage.json("doctor", "--hooks")["data"]
        events = answer["hooks"][0]["events"]
        ran = {event: numbers["ran"] for event, numbers in events.items() if numbers["ran"]}
        given = [sum(numbers["given"].values()) for numbers in events.values()]
        sent = [numbers["given"]["sent"] for numbers in events.values()]
        is_well = not answer["findings"] and ran.get("SessionStart") and sum(given) and given == sent
        seen = json.dumps(answer["findings"] or {"ran": ran, "sent": sum(sent)})
        self.report.look("`doctor --hooks` saw them run, and all they gave be sent", bool(is_well), seen)
