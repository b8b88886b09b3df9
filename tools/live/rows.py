"""What every agent must pass, as it is: a process for each prompt, and the tools that it has.

A row that an agent can't play offline is in its module's LACKS, with the reason; the table in the docs tells
it (live/table.py).
"""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checkout import CHECKOUT

from live import mcp_rows, rule_rows, session_rows
from live.play import INDEX, PORT, TESTS, Play
from live.recorded import added, blocks, place_of
from live.stage import note_of
from live.steps import Text, Tool

AFTER_START = 12.0
"""Seconds after an agent's start at which it is ended: what the start left to do is over long before."""


def given(play: Play) -> None:
    """The index and the entry that fits are in the first request."""
    play.turns().say(PORT)
    first = added(None, play.prompts()[0])
    index, user = place_of(INDEX, first), place_of(PORT, first)
    seen = f"index in text {index}, the user's words in {user} of {len(first)}"
    play.report.look("the index is given", index >= 0, seen)
    is_before = index < user or first[user].find(INDEX) < first[user].find(PORT)
    play.report.look("before the user's words", is_before or "order" in play.agent.LACKS, seen)
    entry = sum("6380" in block for block in blocks(first))
    play.report.look("the entry is given once", entry == 1, f"in {entry} blocks")
    play.report.look(
        "nothing of ours is in the system prompt", "ctxrepo-memory" not in play.prompts()[0].system
    )
    play.asks_for_silence()


def resumed(play: Play) -> None:
    """Four prompts, each a session resumed: everything is given once, and the prefix is kept."""
    turns = play.turns()
    for prompt in (PORT, "ok, thanks", TESTS, f"{PORT} I forgot it."):
        turns.say(prompt)
    prompts = play.prompts()
    turns_blocks = [play.given(turn) for turn in range(len(prompts))]
    play.report.look(
        "'ok, thanks' is met with silence", not turns_blocks[1], f"{len(turns_blocks[1])} blocks"
    )
    is_alone = len(turns_blocks[2]) == 1 and "make db" in turns_blocks[2][0]
    play.report.look("a prompt is given the entry that fits, alone", is_alone, turns_blocks[2])
    play.report.look("what was given isn't given again", not turns_blocks[3], turns_blocks[3])
    everything = "".join(added(None, prompts[-1]))
    play.report.look("the index came once", everything.count(INDEX) == 1, everything.count(INDEX))
    if why := play.agent.LACKS.get("prefix"):
        play.report.look(f"every request continues the one before: not on a resume, because {why}", True)
    else:
        play.continues(prompts)
    play.asks_for_silence()


def edits(play: Play) -> None:
    """A note that the agent edits with its own tool is committed, and on the remote after a normal end."""
    turns = _edits(play, Text())
    turns.say(f"{PORT} It should be 6399.")
    at = time.monotonic()
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    play.arrives("the edit is on the remote", at, "6399")
    body = play.stage.machine.git("log", "--format=%B", "-3")
    play.report.look("the commit names the agent", f"Ctxrepo-Agent: {play.agent.NAME}" in body, body)
    play.asks_for_silence()


def remembers(play: Play) -> None:
    """What a command writes that the agent runs in its shell is committed, and on the remote."""
    play.stage.model.will(play.agent.shell("ctxrepo remember 'the printer is called gutenberg'"), Text())
    play.turns().say("Write down what our printer is called.")
    at = time.monotonic()
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    play.arrives("what was remembered is on the remote", at, "gutenberg")
    play.asks_for_silence()


def signalled(play: Play) -> None:
    """The agent is ended by SIGTERM in the middle of a turn, long after its start."""
    held = threading.Event()
    turns = _edits(play, Text(held=held), pause=AFTER_START)
    began = time.monotonic()
    turns.begin(f"{PORT} It should be 6399.")
    if play.stage.wait(lambda: play.stage.model.is_done, 150) is None:
        raise TimeoutError("the agent never came to the end of its tools")
    play.report.look("it was ended 12 s after its start, or later", time.monotonic() - began >= AFTER_START)
    at = time.monotonic()
    turns.kill(signal.SIGTERM)
    held.set()
    play.arrives("what it edited is on the remote after SIGTERM", at, "6399")
    play.asks_for_silence()


def forked(play: Play) -> None:
    """A session goes on in a copy: what it was given isn't given again."""
    turns = play.turns()
    turns.say(PORT)
    turns.fork(f"{PORT} I forgot it.")
    play.report.look("what was given isn't given again", not play.given(), play.given())
    turns.fork(TESTS)
    is_alone = len(play.given()) == 1 and "make db" in play.given()[0]
    play.report.look("what is new to it is given", is_alone, play.given())
    play.asks_for_silence()


def compacted(play: Play) -> None:
    """The conversation is shortened, and what was delivered with it: index and entry come again."""
    turns = play.turns()
    turns.say(PORT)
    turns.compact()
    before = len(play.prompts())
    turns.say(f"{PORT} I forgot it.")
    fresh = "".join(blocks(added(None, play.prompts()[before])))
    play.report.look("the conversation was shortened", PORT + '"' not in play.prompts()[before].messages[0])
    play.report.look("the index is given again, once", fresh.count(INDEX) == 1, fresh.count(INDEX))
    play.report.look("and the entry", "6380" in fresh)
    play.asks_for_silence()


def subagent(play: Play) -> None:
    """A subagent is told to read and not to write, and who started it has its own entries."""
    task = "Look up in the notes where redis listens."
    # Where it runs beside who started it, either of the two waits.
    play.stage.model.will(play.agent.subagent(task), play.agent.shell("sleep 2"), Text(), Text())
    turns = play.turns()
    turns.say("Have a helper look where redis listens.")
    prompts = play.prompts()
    messages = [
        (prompt, text) for prompt in prompts for who, texts in prompt.texts if who == "user" for text in texts
    ]
    its = [prompt for prompt, text in messages if task in text]
    given_blocks = blocks([text for prompt in its[:1] for text in added(None, prompt)])
    play.report.look("the subagent ran", bool(its), f"{len(its)} of {len(prompts)} requests are its")
    play.report.look(
        "it is given the index", sum(INDEX in block for block in given_blocks) == 1, len(given_blocks)
    )
    play.report.look("and asked not to write", "Don't write to it" in "".join(given_blocks))
    turns.say(TESTS)
    play.report.look("who started it is given its entries as ever", "make db" in "".join(play.given()))
    play.asks_for_silence()


def two(play: Play) -> None:
    """Two sessions at once in one project edit one note: both edits are kept."""
    note, held = note_of(play.stage, "6380"), threading.Event()
    play.stage.model.will(*_read_and_edit(play, note, "port 6380", "port 6399"), Text(held=held))
    first, other = play.turns(), play.turns()
    first.begin("Redis moved to 6399, write that down.")
    if play.stage.wait(lambda: play.stage.model.is_done, 120) is None:
        raise TimeoutError("the first agent never edited the note")
    play.stage.model.will(*_read_and_edit(play, note, "make db first", "make database first"), Text())
    other.say("It is make database now, write that down.")
    held.set()
    first.end()
    at = time.monotonic()
    play.arrives("what both wrote is on the remote", at, "6399", "make database first")
    kept = note.read_text("utf-8")
    play.report.look("and in the note", "6399" in kept and "make database first" in kept, kept[-200:])
    play.asks_for_silence()


def fails(play: Play) -> None:
    """A command fails: what memory says about it is given with its output, once."""
    command = "echo 'error: staging cluster heron refuses the connection' >&2; exit 3"
    play.stage.model.will(play.agent.shell(command), play.agent.shell(command), Text())
    play.turns().say("Write a poem about autumn leaves.")
    prompts = play.prompts()
    first = "".join(blocks(added(prompts[0], prompts[1])))
    play.report.look("the entry about it is given", "cluster is called heron" in first, first[:200])
    again = blocks(added(prompts[1], prompts[2]))
    play.report.look("and not again", not again, again)
    play.asks_for_silence()


def anchored(play: Play) -> None:
    """An anchor that the agent leaves in its shell leads to what was said there."""
    play.stage.model.will(play.agent.shell("ctxrepo anchor task/begin --summary 'Find the port'"), Text())
    turns = play.turns()
    turns.say(f"{PORT} We take wolfram.")
    turns.say("Heron is rebooted on Sundays, by hand.")
    anchors = play.stage.json("tape", "list", "--type", "handoff")["data"]["anchors"]
    left = [(anchor["name"], anchor["agent"], anchor["type"]) for anchor in anchors]
    play.report.look("it names the agent", left == [("task/begin", play.agent.NAME, "handoff")], anchors)
    everything = _read_tape(play, "--limit", "100")
    at = [
        message
        for message in everything
        if message["id"] == anchors[0]["entry"] and message["agent"] == play.agent.NAME
    ]
    play.report.look("and the message at which it was left", len(at) == 1, anchors[0]["entry"])
    text = _texts(_read_tape(play, "--around", "task/begin"))
    play.report.look("what was said there is read", "We take wolfram" in text, text)
    text = _texts(_read_tape(play, "--after", "task/begin"))
    play.report.look("and what was said later", "Heron is" in text and "wolfram" not in text, text)
    play.asks_for_silence()


def uninstalled(play: Play) -> None:
    """ctxrepo is taken away and its hooks are left: the agent works on, and shows nothing of it."""
    library = play.stage.root / "lib"
    _installed_in(library, play)
    shutil.rmtree(library)
    (play.stage.state / "hook").unlink(missing_ok=True)
    turns = play.turns()
    turns.say(PORT)
    play.report.look("the prompt reached the model", bool(play.prompts()), f"{len(play.prompts())} requests")
    play.report.look("nothing was given", not blocks(added(None, play.prompts()[0])))
    shown = turns.output()
    complaints = [line for line in shown.splitlines() if "ctxrepo" in line or "hook" in line.lower()]
    play.report.look("and nobody was told of a hook", not complaints, complaints[:2])


ALL: dict[str, Callable[[Play], None]] = (
    {
        row.__name__: row
        for row in (
            given,
            resumed,
            edits,
            remembers,
            signalled,
            forked,
            compacted,
            subagent,
            two,
            fails,
            anchored,
            uninstalled,
        )
    }
    | session_rows.ALL
    | rule_rows.ALL
    | mcp_rows.ALL
)


def _edits(play: Play, last: Text, pause: float = 0.0) -> Any:
    """Turns in which the agent is going to edit the note, after a pause in seconds."""
    read, edit = _read_and_edit(play, note_of(play.stage, "6380"), "port 6380", "port 6399")
    waits = [play.agent.shell(f"sleep {pause:g}")] if pause else []
    play.stage.model.will(read, *waits, edit, last)
    return play.turns()


def _read_tape(play: Play, *bounds: str) -> list[dict[str, Any]]:
    """Messages of the project's sessions within these bounds."""
    answer = play.stage.json("tape", "read", "--in", "project", *bounds)
    entries: list[dict[str, Any]] = (answer["data"] or {"entries": []})["entries"]
    return entries


def _texts(messages: list[dict[str, Any]]) -> str:
    return "\n".join(message["text"] for message in messages)


def _read_and_edit(play: Play, note: Path, old: str, new: str) -> tuple[Tool, Tool]:
    return play.agent.read(note), play.agent.edit(note, old, new)


def _installed_in(library: Path, play: Play) -> None:
    """Connect the agent to a copy of ctxrepo in this folder."""
    shutil.copytree(CHECKOUT / "ctxrepo", library / "ctxrepo", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("hooks", "skills", "templates"):
        shutil.copytree(CHECKOUT / name, library / "ctxrepo" / "_assets" / name)
    command = play.stage.root / "bin" / "ctxrepo"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={library} exec {sys.executable} -m ctxrepo "$@"\n')
    play.stage.ctxrepo("setup", play.agent.NAME, "--yes")
