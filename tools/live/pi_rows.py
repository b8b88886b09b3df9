"""What is played with pi alone: its tree of entries, its skills, and a compaction in the middle of a turn."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from live.pi_cost import cost
from live.pi_talk import Talk
from live.play import INDEX, PORT, TESTS, Play
from live.recorded import added, blocks
from live.stage import note_of
from live.steps import Text


def tree(play: Play) -> None:
    """A prompt is taken back and asked anew: what came with it comes again, and nothing else does."""
    talk = play.talk()
    talk.say(TESTS)
    talk.say(PORT)
    talk.go_to(talk.entry(PORT))
    talk.say(f"{PORT} Say it again.")
    _looks(play, whole=(INDEX, "make db", "6380"))
    play.report.look("the prompt that was asked anew has its entry", "6380" in "".join(play.given()))
    talk.say(f"{TESTS} I forgot it.")
    play.report.look("what is still there isn't given again", not play.given(), play.given())
    talk.go_to(talk.entry(TESTS))
    talk.say(f"{TESTS} Say it again.")
    _looks(play, whole=(INDEX, "make db"))
    _ends(play, talk)


def forks(play: Play) -> None:
    """The same by `/fork`, which makes another session of what is before the prompt, and by `/clone`."""
    talk = play.talk()
    talk.say(TESTS)
    talk.say(PORT)
    talk.command("clone")
    talk.say(f"{PORT} I forgot it.")
    play.report.look("in a clone nothing is given again", not play.given(), play.given())
    talk.command("fork", entryId=talk.entry(PORT))
    talk.command("fork", entryId=talk.entry(PORT))
    talk.say(PORT)
    _looks(play, whole=(INDEX, "make db", "6380"))
    talk.say(f"{TESTS} I forgot it.")
    play.report.look("what is still there isn't given again", not play.given(), play.given())
    talk.command("new_session")
    talk.say(PORT)
    _looks(play, whole=(INDEX, "6380"))
    _ends(play, talk)


def full(play: Play) -> None:
    """The context is full in the middle of a turn: the index is there in the next request."""
    talk = play.talk()
    talk.say(TESTS)
    read = replace(play.agent.read(note_of(play.stage, "6380")), tokens=play.agent.FULL)
    play.stage.model.will(read, Text("It is 6380."))
    talk.say(PORT)
    last = added(None, play.prompts()[-1])
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    play.report.look("the conversation was shortened", not any(text == TESTS for text in last), last[:2])
    count = sum(INDEX in block for block in blocks(last))
    play.report.look("the index is delivered again, in the same turn, once", count == 1, count)
    before = len(play.prompts())
    talk.say(TESTS)
    play.report.look(
        "a turn asks the model once", len(play.prompts()) == before + 1, len(play.prompts()) - before
    )
    play.continues(play.prompts()[before - 1 :])
    _ends(play, talk)


def skill(play: Play) -> None:
    """A skill is called: what it says itself recalls nothing, what is typed behind it does."""
    folder = play.stage.machine.home / ".pi" / "agent" / "skills" / "poem"
    folder.mkdir(parents=True)
    head = "---\nname: poem\ndescription: Writes poems\n---\n"
    (folder / "SKILL.md").write_text(f"{head}Never ask {PORT} nor {TESTS}\n")
    talk = play.talk()
    talk.say("/skill:poem about autumn leaves")
    text = "".join(added(None, play.prompts()[0]))
    play.report.look("the skill was put in", "Never ask" in text)
    play.report.look("it recalls nothing", "6380" not in "".join(play.given()), len(play.given()))
    talk.say(f"/skill:poem {PORT}")
    play.report.look("what was typed does, alone", ["6380" in block for block in play.given()] == [True])
    _ends(play, talk)


def silent(play: Play) -> None:
    """The project's settings of pi-memory-md want no memory: nothing is given; what is written is kept."""
    settings = play.stage.project / ".pi" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"pi-memory-md": {"enabled": false}}')
    note = note_of(play.stage, "6380")
    play.stage.model.will(play.agent.read(note), play.agent.edit(note, "port 6380", "port 6399"), Text())
    talk = play.talk()
    talk.say(f"{PORT} It should be 6399.")
    texts = blocks(added(None, play.prompts()[-1]))
    play.report.look("nothing is given", not texts, texts)
    talk.end()
    at = time.monotonic()
    play.arrives("what it edited is on the remote", at, "6399")
    _ends(play, talk)


def interrupted(play: Play) -> None:
    """Ctrl-C in `pi -p`, of which pi tells no extension: what was edited is on the remote all the same."""
    note, held = note_of(play.stage, "6380"), threading.Event()
    edit = play.agent.edit(note, "port 6380", "port 6399")
    play.stage.model.will(play.agent.read(note), edit, Text(held=held))
    turns = play.turns()
    turns.begin(f"{PORT} It should be 6399.")
    if play.stage.wait(lambda: play.stage.model.is_done, 60) is None:
        raise TimeoutError("pi never came to the end of its tools")
    at = time.monotonic()
    turns.kill(signal.SIGINT)
    held.set()
    play.arrives("what it edited is on the remote", at, "6399")
    play.asks_for_silence()


def _looks(play: Play, whole: tuple[str, ...]) -> None:
    """A row: each of these is in our blocks of the last request once."""
    text = "".join(blocks(added(None, play.prompts()[-1])))
    marks = {INDEX: INDEX, "make db": "tests need make db", "6380": "redis listens on port 6380"}
    counts = {word: text.count(marks[word]) for word in whole}
    # The index names the notes in the words of their heads, never an entry's own.
    play.report.look(
        f"in the conversation once each: {', '.join(whole)}", set(counts.values()) == {1}, counts
    )


def _ends(play: Play, talk: Talk) -> None:
    talk.end()
    play.report.look("pi complained of nothing", not talk.errors(), talk.errors()[:300])
    play.asks_for_silence()


ALL: dict[str, Callable[[Play], None]] = {
    f"pi-{row.__name__}": row for row in (tree, forks, full, skill, silent, interrupted, cost)
}
