"""What an agent lets happen in each of its modes of sandbox and approval: the rows that all modes share.

An agent's module says by a `Mode` how it is put into one and what must come of it there. Nobody answers where
an agent asks, which is a no; only in a mode with a terminal a person says yes.
"""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from live.play import INDEX, PORT, Play
from live.recorded import added, place_of, without_blocks
from live.rows import AFTER_START
from live.stage import Stage, note_of
from live.steps import Text, Tool
from live.terminal import Terminal

YES, HANDED, AGAIN = "yes", "handed over", "the hook runs it again"
SAYS, ASKS, NO = "says why not", "asks", "no"
"""ctxrepo is run and says that it can't; the agent asks, and nobody answers; it refuses without asking."""
ASKED = "asks, then does it"
"""The agent asks, and a person says yes."""

COLUMNS = {
    "reads": "reads by command",
    "adds": "adds by command",
    "edits": "edits by command",
    "tools": "edits a note with its own tool",
    "removes": "`ctxrepo forget`",
}
"""What is tried in each mode -> how tables call it."""

_SAVED = (YES, HANDED, AGAIN, ASKED)
_SAID_YES = "a person says yes: "

_REFUSAL = re.compile(r"approv|permission|denied|reject|not found|not in workspace", re.IGNORECASE)
"""How agents say that something isn't run; Gemini CLI says that it knows no such tool."""


def _nothing(_stage: Stage) -> None:
    """Nothing is prepared."""


@dataclass(frozen=True)
class Mode:
    """A mode, and in `outcomes` what must come there of each of COLUMNS, in this order.

    The agent is in it by the words `rights` of its command line, by what `setup --permissions` wrote, and by
    what `prepare` does to its settings after that. `terminal` starts it where a person sees it, with a
    prompt, and `question` stands there where the person is asked. With `lacks` the mode can't be had here,
    and that is its row.
    """

    name: str
    words: str
    outcomes: tuple[str, str, str, str, str] = (NO, NO, NO, NO, NO)
    rights: Sequence[str] = ()
    permissions: str = "none"
    prepare: Callable[[Stage], None] = _nothing
    terminal: Callable[[Stage, str], AbstractContextManager[Terminal]] | None = None
    question: str = ""
    lacks: str = ""

    def outcome(self, column: str) -> str:
        return self.outcomes[[*COLUMNS].index(column)]

    @property
    def scenario(self) -> str:
        """How it is asked for."""
        return f"mode-{self.name}"


def scenarios(modes: Iterable[Mode]) -> dict[str, Callable[[Play], None]]:
    """A scenario for each of these modes, by its name."""
    return {mode.scenario: _scenario(mode) for mode in modes}


def _scenario(mode: Mode) -> Callable[[Play], None]:
    def scenario(play: Play) -> None:
        if mode.lacks:
            play.report.look(f"can't be had here: {mode.lacks}", holds=True)
            return
        _begin(play.stage, play.agent.NAME, mode)
        play = replace(play, stage=replace(play.stage, rights=mode.rights))
        _normal_session(play, mode)
        _signalled_session(play, mode)

    scenario.__doc__ = mode.words
    return scenario


def _begin(stage: Stage, agent: str, mode: Mode) -> None:
    """What a person does once to have the agent in this mode."""
    if mode.permissions != "none":
        stage.ctxrepo("setup", agent, "--yes", "--permissions", mode.permissions)
    mode.prepare(stage)


@dataclass(frozen=True)
class _Deed:
    """What the model asks for, and how its being done is seen in what the agent answered or in the memory."""

    column: str
    tools: Sequence[Tool]
    is_done: Callable[[str], bool]
    brings: str = ""
    """Words that are on the remote then."""


def _deeds(play: Play) -> Sequence[_Deed]:
    """One for each of COLUMNS."""
    stage, shell = play.stage, play.agent.shell
    by_command, by_tool = note_of(stage, "6380"), note_of(stage, "rounded half to even")
    edit = f"ctxrepo edit {_name(stage, by_command)} --old 'port 6380' --new 'port 6399'"
    forget = f"ctxrepo forget '{_name(stage, note_of(stage, 'gateway'))}#L8'"
    tools = play.agent.read(by_tool), play.agent.edit(by_tool, "half to even", "half to odd")
    return (
        _Deed("reads", [shell("ctxrepo search heron")], lambda answer: "cluster is called heron" in answer),
        _Deed(
            "adds",
            [shell("ctxrepo remember 'the printer is called gutenberg'")],
            lambda answer: "remembered: ^" in answer,
            "gutenberg",
        ),
        _Deed("edits", [shell(edit)], lambda _: "port 6399" in by_command.read_text("utf-8"), "6399"),
        _Deed("tools", tools, lambda _: "half to odd" in by_tool.read_text("utf-8"), "half to odd"),
        _Deed("removes", [shell(forget)], lambda answer: "forgotten: " in answer),
    )


def _name(stage: Stage, note: Path) -> str:
    """How commands call this note of the project."""
    return note.relative_to(stage.memory / stage.project.name).as_posix()


def _normal_session(play: Play, mode: Mode) -> None:
    """Everything is tried, and the agent ends by itself."""
    deeds = _deeds(play)
    tools = [tool for deed in deeds for tool in deed.tools]
    if mode.terminal:
        with mode.terminal(play.stage, PORT) as terminal:
            answers = iter(_answers_in(terminal, mode, play, tools, Text()))
    else:
        answers = iter(answers_to(play, tools))
    at = time.monotonic()
    first = added(None, play.prompts()[0])
    play.report.look("the index is given", place_of(INDEX, first) >= 0)
    play.report.look("the entry that fits is given", "6380" in "".join(first))
    brought = [deed.brings for deed in deeds if deed.brings and mode.outcome(deed.column) in _SAVED]
    if brought:
        play.arrives("what was written is on the remote", at, *brought)
    for deed in deeds:
        answer = " · ".join(next(answers) for _ in deed.tools)
        expected = mode.outcome(deed.column)
        holds = is_so(expected, answer, deed.is_done(answer))
        play.report.look(f"{COLUMNS[deed.column]}: {expected}", holds, answer)
        if deed.brings and expected not in _SAVED:
            play.report.look("and nothing of it is on the remote", not play.stage.sent(deed.brings))
    play.asks_for_silence()


def is_so(expected: str, answer: str, is_done: bool) -> bool:
    """Whether what the agent told the model of a deed, done or not, is what must be."""
    match expected:
        case "yes":
            return is_done and "handed over" not in answer
        case "asks, then does it":
            return is_done and answer.startswith(_SAID_YES)
        case "handed over":
            return "handed over" in answer
        case "the hook runs it again":
            return "nothing is saved" in answer
        case "says why not":
            return not is_done and ("nothing is saved" in answer or "nothing is changed" in answer)
        case _:
            return not is_done and bool(_REFUSAL.search(answer)) and "ctxrepo: " not in answer


def answers_to(play: Play, tools: Sequence[Tool]) -> Sequence[str]:
    """What the agent told the model of each of these, without what we add.

    Where the turn ended with one, it is what the agent showed, and what is behind it is tried in another
    session.
    """
    results: list[str] = []
    while len(results) < len(tools):
        rest, before = tools[len(results) :], len(play.prompts())
        play.stage.model.will(*rest, Text())
        turns = play.turns()
        turns.say(PORT)
        play.stage.model.forget()
        requests = play.prompts()[before:]
        seen = ["\n".join(without_blocks(added(*pair))) for pair in pairwise(requests)][: len(rest)]
        results += seen if len(seen) == len(rest) else [*seen, turns.output()]
    play.stage.wait_for_workers()
    return results


def _answers_in(
    terminal: Terminal, mode: Mode, play: Play, tools: Sequence[Tool], last: Text
) -> Sequence[str]:
    """What the agent told the model of each of these, in one turn that a person began in its terminal, and in
    which the person says yes to each question. The turn ends with `last`, which isn't waited for."""
    play.stage.model.will(*tools, last)
    questions: list[bool] = []
    place, before = terminal.place, len(play.prompts())
    for number in range(before + 1, before + 1 + len(tools)):
        questions.append(_is_asked(terminal, mode, play, number, place))
        place = terminal.place
        if questions[-1]:
            terminal.type("\r")
    play.stage.wait(lambda: play.stage.model.is_done, 60)
    seen = ["\n".join(without_blocks(added(*pair))) for pair in pairwise(play.prompts()[before:])]
    return [f"{_SAID_YES if by else ''}{answer}" for by, answer in zip(questions, seen, strict=True)]


def _is_asked(terminal: Terminal, mode: Mode, play: Play, number: int, place: int) -> bool:
    """Whether a person is asked before the tool is used that request `number` of the conversation brought;
    `place` is where the terminal's output was when the tool before it was."""
    prompts, wait = play.prompts, play.stage.wait
    wait(lambda: len(prompts()) >= number, 60)
    wait(lambda: mode.question in terminal.drawn(place) or len(prompts()) > number, 30)
    return len(prompts()) == number


def _signalled_session(play: Play, mode: Mode) -> None:
    """It is ended by SIGTERM in the middle of a turn, when what its start left to do is over long before."""
    tools: list[Tool] = []
    written: list[str] = []
    if mode.outcome("adds") in _SAVED:
        tools.append(play.agent.shell("ctxrepo log 'met the printer'"))
        written.append("met the printer")
    if mode.outcome("tools") in _SAVED:
        note = note_of(play.stage, "kept in cents")
        tools += play.agent.read(note), play.agent.edit(note, "kept in cents", "kept in pence")
        written.append("kept in pence")
    if mode.terminal:
        with mode.terminal(play.stage, PORT) as terminal:
            _answers_in(terminal, mode, play, tools, Text(held=threading.Event()))
            at = terminal.kill(signal.SIGTERM)
    else:
        at = _ended_by_signal(play, tools)
    if written:
        play.arrives("what was written is on the remote after SIGTERM", at, *written)
    play.asks_for_silence()


def _ended_by_signal(play: Play, tools: Sequence[Tool]) -> float:
    """When the agent was ended in the middle of a turn in which it has used these."""
    pause, held = threading.Event(), threading.Event()
    play.stage.model.will(*(replace(tool, held=pause) for tool in tools), Text(held=held))
    threading.Timer(AFTER_START, pause.set).start()
    turns = play.turns()
    turns.begin(PORT)
    if play.stage.wait(lambda: play.stage.model.is_done, 150) is None:
        raise TimeoutError("the agent never came to the end of its tools")
    pause.wait(AFTER_START)
    at = time.monotonic()
    turns.kill(signal.SIGTERM)
    held.set()
    return at
