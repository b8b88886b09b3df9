"""What is played: each scenario has a machine of its own, and looks at what must hold in any agent."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from live.play import INDEX, PORT, TESTS, Play
from live.recorded import Prompt, added, blocks, place_of
from live.stage import note_of
from live.steps import Text


def short(play: Play) -> None:
    """A note is asked for and edited."""
    note = note_of(play.stage, "6380")
    play.stage.model.will(play.agent.read(note), play.agent.edit(note, "port 6380", "port 6399"), Text())
    talk = play.talk()
    talk.begin(f"{PORT} It should be 6399.")
    play.commits(talk, "6399")
    play.report.look("the index and the entry were given", INDEX in play.given(0)[0], len(play.given(0)))
    play.arrives("it is on the remote after the exit", talk.end(), "6399")
    has_settings = play.agent.is_in_settings(play.stage)
    play.report.look(f"it was connected by the {play.form}", has_settings == (play.form == "settings"))
    play.is_quiet()
    play.is_told_of()


def prompts(play: Play) -> None:
    """Five prompts, a process for each: every one after the first is a session resumed."""
    _five(play, play.turns())


def talk(play: Play) -> None:
    """The same five prompts in one process."""
    _five(play, play.talk())


def tools(play: Play) -> None:
    """The agent reads, edits and writes notes with its own tools, and remembers by a shell."""
    note, new = note_of(play.stage, "6380"), play.stage.memory / "shop" / "topics" / "release.md"
    text = "---\ndescription: How releases are cut\ntags: [release]\n---\n\n- releases are cut on Tuesdays\n"
    play.stage.model.will(
        play.agent.read(note),
        play.agent.edit(note, "port 6380", "port 6399"),
        play.agent.write(new, text),
        Text("Both notes are up to date."),
    )
    talk = play.talk()
    talk.begin("Redis moved to port 6399. Write that down, and that releases are cut on Tuesdays.")
    play.commits(talk, "6399", "cut on Tuesdays")
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    play.stage.model.will(play.agent.shell("ctxrepo remember 'heron is rebooted on Sundays' -c gotcha"))
    talk.begin("Remember that heron is rebooted on Sundays.")
    play.commits(talk, "rebooted on Sundays")
    play.continues(play.told())
    play.arrives("all of it is on the remote after the exit", talk.end(), "6399", "Tuesdays", "Sundays")
    body = play.stage.machine.git("log", "--format=%B", "-3")
    play.report.look("the commits name the agent", f"Ctxrepo-Agent: {play.agent.NAME}" in body)
    again = play.talk()
    again.say("When are releases cut?")
    play.report.look("the next session is given what this one wrote", "Tuesdays" in "".join(play.given()))
    again.end()
    play.is_quiet()
    play.is_told_of()


def compact(play: Play) -> None:
    """The conversation is shortened, what was delivered with it, and that comes again; then it is resumed."""
    talk = play.talk()
    talk.say(PORT)
    play.stage.model.will(Text(play.agent.SUMMARY))
    talk.say(play.agent.COMPACT)
    before = len(play.told())
    talk.say(PORT)
    fresh = added(None, play.told()[before])
    play.report.look("the conversation was shortened", play.agent.SUMMARY_SAYS in "".join(fresh))
    found = blocks(fresh)
    play.report.look("the index is delivered again, once", sum(INDEX in block for block in found) == 1)
    play.report.look("and the entry", sum("6380" in block for block in found) == 1, f"{len(found)} blocks")
    talk.say(TESTS)
    talk.end()
    play.turns(goes_on=True).say("ok thanks")
    play.report.look("resumed, it is given nothing again", not play.given(), f"{len(play.given())} blocks")
    play.continues(play.told()[before:])
    play.stage.wait_for_silence()
    play.report.look("a handoff was left", play.stage.sent("handoff/compaction"))
    play.is_quiet()
    play.is_told_of()


def full(play: Play) -> None:
    """The context is full in the middle of a turn, and the agent shortens the conversation by itself."""
    note = note_of(play.stage, "6380")
    talk = play.talk()
    talk.say(TESTS)
    read = replace(play.agent.read(note), tokens=play.agent.FULL)
    play.stage.model.will(read, Text(play.agent.SUMMARY), Text("It is 6380."))
    talk.say(PORT)
    play.report.look("the agent did all that the model asked for", play.stage.model.is_done)
    last = added(None, play.told()[-1])
    play.report.look("the conversation was shortened", play.agent.SUMMARY_SAYS in "".join(last))
    count = sum(INDEX in block for block in blocks(last))
    play.report.look("the index is delivered again, in the same turn, once", count == 1, count)
    before = len(play.told())
    talk.say(TESTS)
    play.report.look(
        "the entry comes again with its prompt", "make db" in "".join(play.given()), play.given()
    )
    play.continues(play.told()[before - 1 :])
    talk.end()
    play.is_quiet()
    play.is_told_of()


def sigterm(play: Play) -> None:
    """The agent is ended in the middle of a turn, after it edited a note."""
    talk, held = play.until_it_waits()
    at = talk.process.kill(signal.SIGTERM)
    held.set()
    play.arrives(
        "what it edited, and wrote by a shell, is on the remote after SIGTERM", at, "6399", "shelled"
    )
    play.is_quiet()


def sigkill(play: Play) -> None:
    """The agent is killed in the middle of a turn: nobody is told, and the next start recovers."""
    talk, held = play.until_it_waits()
    talk.process.kill(signal.SIGKILL)
    held.set()
    left = play.stage.wait_for_silence(10)
    play.report.look("after SIGKILL nobody is left", not left, left)
    play.report.look(
        "what it wrote by a shell is not committed yet, which is what this is about",
        not play.stage.committed("shelled"),
    )
    again = play.talk()
    at = time.monotonic()
    again.begin("hello there")
    play.arrives("the next start brings it to the remote", at, "6399", "shelled")
    again.finish()
    again.end()
    play.is_quiet()


def two(play: Play) -> None:
    """Two sessions on one machine edit a note that both have read; a third is given what both wrote."""
    note = note_of(play.stage, "6380")
    sessions = []
    for old, new in (("port 6380", "port 6399"), ("make db first", "make database first")):
        play.stage.model.will(play.agent.read(note))
        talk = play.talk()
        sessions.append((talk, old, new))
        talk.begin(f"In the notes {old!r} should read {new!r}.")
        if play.stage.wait(lambda: play.stage.model.is_done, 60) is None:
            raise TimeoutError("the agent never read the note")
        talk.finish()
    for talk, old, new in sessions:
        play.stage.model.will(play.agent.edit(note, old, new))
        talk.begin("Go on.")
        if play.stage.wait(lambda: play.stage.model.is_done, 60) is None:
            raise TimeoutError("the agent never edited the note")
        talk.finish()  # what it asks next would take the other's turn of the script
    at = max(talk.end() for talk, _, _ in sessions)
    play.arrives("what both wrote is on the remote", at, "6399", "make database first")
    kept = note.read_text("utf-8")
    play.report.look("and in the note", "6399" in kept and "make database first" in kept, kept[-200:])
    third = play.talk()
    third.say(f"{PORT} {TESTS}")
    given = "".join(play.given())
    play.report.look("a third session is given both", "6399" in given and "make database" in given)
    third.end()
    play.is_quiet()


def broken(play: Play) -> None:
    """Cache torn and remote gone under a session: it goes on, and the next one is as if nothing was."""
    talk = play.talk()
    talk.say(PORT)
    (cache,) = play.stage.state.glob("*/cache.db")
    cache.write_bytes(b"torn" * 2000)
    away = play.stage.remote.with_name("away.git")
    play.stage.remote.rename(away)
    play.stage.model.will(play.agent.shell("ctxrepo remember 'the lift is out of order' -c fact"))
    talk.say("Remember that the lift is out of order.")
    talk.say("Write a poem about autumn leaves.")
    play.report.look("every prompt was answered", talk.process.answers() == 3, talk.process.answers())
    play.continues(play.told())
    talk.end()
    left = play.stage.wait_for_silence()
    play.report.look("no process is left", not left, left)
    play.report.look("what it remembered is committed", play.stage.committed("lift is out of order"))
    told = [finding["problem"] for finding in play.stage.json("doctor")["data"]["findings"]]
    play.report.look("doctor tells", bool(told), told)
    away.rename(play.stage.remote)
    again = play.talk()
    again.say("Is the lift out of order?")
    given = "".join(play.given())
    play.report.look("the next session has index and entry", INDEX in given and "lift is out" in given)
    play.arrives("and what was kept back is on the remote after it", again.end(), "lift is out of order")
    left = play.stage.wait_for_silence()
    play.report.look("no process is left", not left, left)


def ten(play: Play) -> None:
    """Ten prompts over a year's memory: the right entry beside the right one, silence where it is due."""
    play.stage.knows(YEAR, "clinicdesk")
    talk = play.talk()
    for prompt, _ in TEN:
        talk.say(prompt)
    told = play.told()
    for turn, (prompt, words) in enumerate(TEN):
        given = [block for block in play.given(turn) if INDEX not in block]
        shown = f"{prompt[:60]!r} is given {words!r}" if words else f"{prompt[:60]!r} is met with silence"
        is_well = words in "".join(given) if words else not given
        play.report.look(shown, is_well, f"{sum(map(len, given))} characters")
    play.continues(told)
    talk.end()
    play.is_quiet()
    play.is_told_of()


def sub(play: Play) -> None:
    """A subagent is started: it is shown the index, reads a note, and is asked to leave writing to others."""
    task = "Look up in the notes where redis listens."
    play.stage.model.will(
        play.agent.subagent(task), play.agent.read(note_of(play.stage, "6380")), Text("On 6380."), Text()
    )
    talk = play.talk()
    talk.say(f"{PORT} Have a subagent look.")
    told = play.told()
    its = [prompt for prompt in told if any(text == task for _, texts in prompt.texts for text in texts)]
    mine = [prompt for prompt in told if prompt not in its]
    found = blocks(added(None, its[0])) if its else []
    size = len("".join(found).encode())
    play.report.look("the subagent is given one block, with the index", [INDEX in b for b in found] == [True])
    play.report.look("of at most 3,000 bytes", 0 < size <= 3000, size)
    play.report.look("that asks it not to write", "Don't write to it" in "".join(found))
    play.report.look(
        "nothing of that is said to who started it", "Don't write to it" not in mine[-1].messages[-1]
    )
    play.continues(its)
    play.continues(mine)
    talk.say(TESTS)
    play.report.look("who started it is given its entries as ever", "make db" in "".join(play.given()))
    talk.end()
    play.is_quiet()
    play.is_told_of()
    row = play.stage.json("doctor", "--hooks")["data"]["hooks"][0]["events"]["SubagentStart"]
    play.report.look("`doctor --hooks` knows of it", (row["happened"], row["noted"]) == (1, 1), row)


def once(play: Play) -> None:
    """In mode `once` the index comes at the start, and nothing beside a prompt."""
    _modes(play, "once", index=1, entry=False)


def system(play: Play) -> None:
    """In mode `system` the index stands in the system prompt, and entries beside prompts."""
    packet = play.stage.output("context")
    told = _modes(play, "system", *play.agent.with_system(packet), index=0, entry=True)
    in_system = [INDEX in prompt.system for prompt in told]
    play.report.look("the packet is in every system prompt", all(in_system), f"{len(in_system)} requests")


def pull(play: Play) -> None:
    """In mode `pull` the rules come at the start, and what the agent asks for."""
    told = _modes(play, "pull", index=0, entry=False)
    rules = "".join(blocks(added(None, told[0])))
    play.report.look("the rules tell how to ask", "`ctxrepo search`" in rules, f"{len(rules)} characters")
    play.stage.model.will(play.agent.shell("ctxrepo search redis"), Text())
    talk = play.talk()
    talk.say("Look in your memory where redis listens.")
    play.report.look("what it asks for it gets", "6380" in "".join(added(None, play.told()[-1])))
    talk.end()


def file(play: Play) -> None:
    """In mode `file` the packet stands in the agent's own file, and entries beside prompts."""
    instructions = play.stage.project / play.agent.INSTRUCTIONS
    instructions.write_text("# Shop\n\nTabs, not spaces.\n")
    before = instructions.read_bytes()
    play.stage.ctxrepo("file", "add", "--agent", play.agent.NAME)
    _modes(play, "file", index=1, entry=True)
    play.stage.ctxrepo("remember", "the lift is out of order", "-c", "event")
    seen = play.stage.wait(lambda: "event.md" in instructions.read_text("utf-8"), 30)
    play.report.look("it follows the memory", seen is not None, seen)
    play.stage.ctxrepo("file", "remove", "--agent", play.agent.NAME)
    play.report.look("removed, the file is as it was", instructions.read_bytes() == before)
    left = play.stage.wait_for_silence()
    play.report.look("no process is left", not left, left)


def off(play: Play) -> None:
    """A session is told to be given nothing; what it writes is kept."""
    talk = play.talk()
    play.stage.model.will(play.agent.shell("ctxrepo session off"), Text())
    talk.say("No more memory in this session, please.")
    talk.say(PORT)
    play.report.look("nothing is given any more", not play.given(), play.given())
    play.stage.model.will(play.agent.shell("ctxrepo remember 'the lift is out of order' -c fact"))
    talk.begin("Remember that the lift is out of order.")
    play.commits(talk, "lift is out of order")
    play.stage.model.will(Text(play.agent.SUMMARY))
    talk.say(play.agent.COMPACT)
    talk.say(TESTS)
    play.report.look("nor after a compaction", not play.given(), play.given())
    play.stage.model.will(play.agent.shell("ctxrepo session on"), Text())
    talk.say("Go on with memory.")
    talk.say(PORT)
    play.report.look("on again, it is given what a prompt calls for", "6380" in "".join(play.given()))
    talk.end()
    play.is_quiet()


YEAR = Path(__file__).parents[1] / "recall" / "data" / "clinicdesk" / "memory"

TEN = (
    ("Lab-Sud result files come out with garbage accents since i rewrote the parser", "CP850"),
    ("ok thanks", ""),
    ("add an SPF include for the newsletter tool in deploy/dns", "SPF has 9 lookups of 10"),
    (
        "what did we change in march about sms retries after people got them twice",
        "ask by ref before retrying",
    ),
    ("make it shorter", ""),
    ("the migration job failed on staging with P3009, unblock it", "_prisma_migrations"),
    ("rename the variable to count", ""),
    (
        "une clinique se plaint que ses étiquettes s'impriment tête en bas, "
        "corrige l'orientation dans cd-printd",
        "rouleau est monté",
    ),
    ("continue", ""),
    ("layoutLanes: two zero-length events end up on top of each other, look into it", "given 1 minute"),
)
"""Prompts, and what must stand in what each is given; '' is silence."""

ALL: dict[str, Callable[[Play], None]] = {
    one.__name__: one
    for one in (
        *(short, prompts, talk, ten, tools, compact, full, sigterm, sigkill, two, broken),
        *(sub, once, system, pull, file, off),
    )
}


def _modes(play: Play, mode: str, *more: str, index: int, entry: bool) -> list[Prompt]:
    """Two prompts in a delivery mode; how often the index stands in the conversation, and whether the entry
    comes that fits. The requests."""
    play.stage.ctxrepo("config", "set", "delivery.mode", mode)
    talk = play.talk(*more)
    for prompt in (PORT, TESTS):
        talk.say(prompt)
    told = play.told()
    count = "".join(added(None, told[-1])).count(INDEX)
    play.report.look(f"the index is in the conversation {index} times", count == index, count)
    fits = ["6380" in "".join(play.given(0)), "make db" in "".join(play.given(1))]
    play.report.look(f"the entries come: {entry}", fits == [entry, entry], fits)
    play.continues(told)
    talk.end()
    play.is_quiet()
    return told


def _five(play: Play, session: Any) -> None:
    for prompt in (PORT, "ok thanks", TESTS, f"{PORT} I forgot it.", "Write a poem about autumn leaves."):
        session.say(prompt)
    told, report = play.told(), play.report
    first, given = added(None, told[0]), [play.given(turn) for turn in range(len(told))]
    index, user = place_of(INDEX, first), place_of(PORT, first)
    where = f"text {index}, his is {user} of {len(first)}"
    report.look("the index stands before the user's text", 0 <= index < user, where)
    entry = [place for place, text in enumerate(first) if "6380" in "".join(blocks([text]))]
    report.look("the entry stands in the first turn, once", len(entry) == 1, f"text {entry}")
    report.look("nothing of ours is in the system prompt", "ctxrepo-memory" not in told[0].system)
    report.look("'ok thanks' is met with silence", not given[1], f"{len(given[1])} blocks")
    is_alone = len(given[2]) == 1 and "make db" in given[2][0]
    report.look("the entry about the tests comes with its prompt, alone", is_alone, given[2])
    report.look("what was given isn't given again", not given[3], given[3])
    report.look("a prompt that no entry fits is left alone", not given[4], given[4])
    count = sum(INDEX in block for turn in given for block in turn)
    report.look("the index came once in five turns", count == 1, count)
    play.continues(told)
    session.end()
    play.is_quiet()
    play.is_told_of()
