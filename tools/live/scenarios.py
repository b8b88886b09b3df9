"""What is played: each scenario has a machine of its own, and looks at what must hold in any agent."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from checkout import RECALL_DATA

from live.delivery import file, handover, off, once, pull, sub, system
from live.play import INDEX, PORT, TESTS, Play
from live.recorded import added, blocks, place_of
from live.stage import FACTS, Stage, note_of
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
    play.asks_for_silence()
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
    play.continues(play.prompts())
    play.arrives("all of it is on the remote after the exit", talk.end(), "6399", "Tuesdays", "Sundays")
    body = play.stage.machine.git("log", "--format=%B", "-3")
    play.report.look("the commits name the agent", f"Ctxrepo-Agent: {play.agent.NAME}" in body)
    again = play.talk()
    again.say("When are releases cut?")
    play.report.look("the next session is given what this one wrote", "Tuesdays" in "".join(play.given()))
    again.end()
    play.asks_for_silence()
    play.is_told_of()


def compact(play: Play) -> None:
    """The conversation is shortened, what was delivered with it, and that comes again; then it is resumed."""
    talk = play.talk()
    talk.say(PORT)
    play.stage.model.will(Text(play.agent.SUMMARY))
    talk.say(play.agent.COMPACT)
    before = len(play.prompts())
    talk.say(PORT)
    fresh = added(None, play.prompts()[before])
    play.report.look("the conversation was shortened", play.agent.SUMMARY_SAYS in "".join(fresh))
    block_texts = blocks(fresh)
    play.report.look("the index is delivered again, once", sum(INDEX in block for block in block_texts) == 1)
    play.report.look(
        "and the entry", sum("6380" in block for block in block_texts) == 1, f"{len(block_texts)} blocks"
    )
    talk.say(TESTS)
    talk.end()
    play.turns(goes_on=True).say("ok thanks")
    play.report.look("resumed, it is given nothing again", not play.given(), f"{len(play.given())} blocks")
    play.continues(play.prompts()[before:])
    play.stage.wait_for_silence()
    play.report.look("a handoff was left", play.stage.sent("handoff/compaction"))
    play.asks_for_silence()
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
    last = added(None, play.prompts()[-1])
    play.report.look("the conversation was shortened", play.agent.SUMMARY_SAYS in "".join(last))
    count = sum(INDEX in block for block in blocks(last))
    play.report.look("the index is delivered again, in the same turn, once", count == 1, count)
    before = len(play.prompts())
    talk.say(TESTS)
    anew = "".join(blocks(last))
    play.report.look("and what was being asked, with its entry", "6380" in anew)
    is_given = "make db" in anew + "".join(play.given())
    play.report.look("the entry of the prompt before comes again, once it is called for", is_given)
    play.continues(play.prompts()[before - 1 :])
    talk.end()
    play.asks_for_silence()
    play.is_told_of()


def fork(play: Play) -> None:
    """A conversation goes on in a copy, which is another session: it holds what the first one was given."""
    turns = play.turns()
    turns.say(PORT)
    turns.fork(f"{PORT} I forgot it.")
    play.report.look("what was given isn't given again", not play.given(), play.given())
    turns.fork(TESTS)
    given = play.given()
    is_alone = len(given) == 1 and "make db" in given[0]
    play.report.look("what is new to it is given", is_alone, given)
    play.continues(play.prompts())
    play.asks_for_silence()
    play.is_told_of()


def dream(play: Play) -> None:
    """The agent tidies up: what would lose something is refused, the rest is one proposal of a person's."""
    stage, shell = play.stage, play.agent.shell
    kept = _remembered(stage, "redis: port 6380 for all developers", "lesson")
    port = _remembered(stage, FACTS[0][0], FACTS[0][1])  # it is there already
    pinned = _remembered(stage, "deploys wait for the night of day 17", "lesson", "--pin")
    old = _remembered(stage, "builds take 41 minutes", "lesson")
    new = _remembered(stage, "builds take 12 minutes since the cache moved", "lesson")
    merged = "redis listens on port 6380 for all developers, on every machine"
    bad = [
        {"do": "edit", "entries": [old], "text": "builds take long"},
        {"do": "archive", "entries": [pinned]},
        {"do": "merge", "entries": [port, kept], "text": "redis is used"},
    ]
    good = [
        {
            "do": "merge",
            "entries": [port, kept],
            "text": f"[gotcha] {merged}",
            "why": "the same in two notes",
        },
        {"do": "supersede", "entries": [old, new], "why": "the cache moved"},
    ]
    stage.model.will(
        shell("ctxrepo dream"),
        shell(_dreamt(bad)),
        shell(_dreamt(bad[:1] + bad[2:])),
        shell(_dreamt(good)),
        Text("Done."),
    )
    talk = play.talk()
    talk.say("Tidy up your memory, please.")
    text = "".join(map(str, play.prompts()))
    play.report.look("it was told what there is to tidy up", "What there is to tidy up in" in text)
    play.report.look("what is pinned is refused", "it is pinned or has a rule" in text)
    play.report.look("a lost number is refused", "it drops 41, and no other entry says the same" in text)
    play.report.look(
        "so is one that two entries had", "it drops 6380, and no other entry says the same" in text
    )
    items = stage.json("inbox")["data"]["items"]
    play.report.look("there is one proposal", [item["change"] for item in items] == ["tidy"], len(items))
    notes = stage.output("read", "topics/gotcha.md")
    play.report.look("nothing is changed yet", merged not in notes)
    before = stage.machine.git("rev-list", "--count", "main")
    stage.ctxrepo("inbox", "accept", items[0]["id"].partition(":")[2])
    after = stage.machine.git("rev-list", "--count", "main")
    play.report.look("accepted, it is one commit", int(after) == int(before) + 1, f"{before} {after}")
    talk.end()
    again = play.talk()
    again.say("How long do builds take here since the cache moved?")
    given = "".join(play.given())
    play.report.look(
        "the next session is given what holds",
        "12 minutes" in given and "41 minutes" not in given,
        given[-300:],
    )
    stage.ctxrepo("undo")
    stage.ctxrepo("sync")
    texts = stage.output("read", "topics/lesson.md") + stage.output("read", "topics/gotcha.md")
    play.report.look("one undo takes all of it back", merged not in texts and "port 6380 for all" in texts)
    again.end()
    play.asks_for_silence()


def _remembered(stage: Stage, text: str, category: str, *more: str) -> str:
    return str(stage.json("remember", text, "-c", category, *more)["data"]["id"])


def _dreamt(steps: list[dict[str, Any]]) -> str:
    lines = "\n".join(map(json.dumps, steps))
    return f"ctxrepo dream --from - <<'END'\n{lines}\nEND"


def edited(play: Play) -> None:
    """A person edits notes by hand, right before a session and right before a prompt."""
    body = play.stage.memory / "shop" / "MEMORY.md"
    note = note_of(play.stage, "6380")
    _append(body, "- the kiosk is closed on Mondays")
    talk = play.talk()
    talk.say("hello there")
    given = "".join(play.given(0))
    play.report.look("the session has it, body and all", "- the kiosk is closed on Mondays" in given)
    _append(note, "- the kettle on the roof boils at noon")
    question = "When does the kettle on the roof boil?"
    talk.say(question)
    play.report.look("the next prompt has the entry", "boils at noon" in "".join(play.given()))
    talk.say(question)
    play.report.look("and once", not play.given(), play.given())
    play.continues(play.prompts())
    talk.end()
    play.asks_for_silence()
    play.is_told_of()


def worktree(play: Play) -> None:
    """The first session in a worktree that was made a moment ago."""
    tree = play.stage.project.with_name("tree")
    words = ["git", "-C", str(play.stage.project), "worktree", "add", "-q", str(tree)]
    subprocess.run(words, env=play.stage.machine.env, check=True)
    there = replace(play, stage=replace(play.stage, folder=tree))
    talk = there.talk()
    talk.say(PORT)
    given = "".join(there.given(0))
    play.report.look("it is told which folder is its project's", "(this one: `shop/`)" in given)
    play.report.look("it is given that project's index", "shop/topics/gotcha.md — " in given)
    play.report.look("and the entry", "6380" in given)
    talk.end()
    play.asks_for_silence()


def sigterm(play: Play) -> None:
    """The agent is ended in the middle of a turn, after it edited a note."""
    talk, held = play.until_it_waits()
    at = talk.process.kill(signal.SIGTERM)
    held.set()
    play.arrives(
        "what it edited, and wrote by a shell, is on the remote after SIGTERM", at, "6399", "shelled"
    )
    play.asks_for_silence()


def sigkill(play: Play) -> None:
    """The agent is killed in the middle of a turn: what it has written stays all the same."""
    talk, held = play.until_it_waits()
    at = talk.process.kill(signal.SIGKILL)
    held.set()
    play.arrives(
        "what it edited, and wrote by a shell, is on the remote after SIGKILL", at, "6399", "shelled"
    )
    left = play.stage.wait_for_silence(10)
    play.report.look("and nobody is left", not left, left)
    again = play.talk()
    again.begin("hello there")
    again.finish()
    again.end()
    play.asks_for_silence()


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
    play.asks_for_silence()


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
    play.continues(play.prompts())
    talk.end()
    left = play.stage.wait_for_silence()
    play.report.look("no process is left", not left, left)
    play.report.look("what it remembered is committed", play.stage.committed("lift is out of order"))
    problems = [finding["problem"] for finding in play.stage.json("doctor")["data"]["findings"]]
    play.report.look("doctor tells", bool(problems), problems)
    away.rename(play.stage.remote)
    again = play.talk()
    again.say("Is the lift out of order?")
    given = "".join(play.given())
    play.report.look("the next session has index and entry", INDEX in given and "lift is out" in given)
    play.arrives("and what was kept back is on the remote after it", again.end(), "lift is out of order")
    left = play.stage.wait_for_silence()
    play.report.look("no process is left", not left, left)


def ten(play: Play) -> None:
    """Ten prompts over a year's memory: the right entry beside the right one, little or silence elsewhere."""
    play.stage.knows(YEAR, "clinicdesk")
    talk = play.talk()
    for prompt, _ in TEN:
        talk.say(prompt)
    prompts = play.prompts()
    for turn, (prompt, wanted) in enumerate(TEN):
        given = "".join([block for block in play.given(turn) if INDEX not in block])
        if isinstance(wanted, str):
            shown, is_well = f"is given {wanted!r}", wanted in given
        else:
            shown, is_well = f"is given {wanted} characters at most", len(given) <= wanted
        play.report.look(f"{prompt[:60]!r} {shown}", is_well, f"{len(given)} characters")
    play.continues(prompts)
    talk.end()
    play.asks_for_silence()
    play.is_told_of()


YEAR = RECALL_DATA / "clinicdesk" / "memory"

TEN: tuple[tuple[str, str | int], ...] = (
    ("Lab-Sud result files come out with garbage accents since i rewrote the parser", "CP850"),
    ("ok thanks", 0),
    ("add an SPF include for the newsletter tool in deploy/dns", "SPF has 9 lookups of 10"),
    (
        "what did we change in march about sms retries after people got them twice",
        "ask by ref before retrying",
    ),
    ("make it shorter", 0),
    ("the migration job failed on staging with P3009, unblock it", "_prisma_migrations"),
    ("rename the variable to count", 500),
    (
        "une clinique se plaint que ses étiquettes s'impriment tête en bas, "
        "corrige l'orientation dans cd-printd",
        "rouleau est monté",
    ),
    ("continue", 0),
    ("layoutLanes: two zero-length events end up on top of each other, look into it", "given 1 minute"),
)
"""Prompts, and what must stand in what each is given, or how many characters that may be; 0 is silence."""

ALL: dict[str, Callable[[Play], None]] = {
    row.__name__: row
    for row in (
        *(
            short,
            prompts,
            talk,
            ten,
            tools,
            compact,
            dream,
            full,
            fork,
            edited,
            worktree,
            sigterm,
            sigkill,
            two,
            broken,
        ),
        *(sub, once, system, pull, file, off, handover),
    )
}


def _append(file: Path, line: str) -> None:
    with file.open("a", encoding="utf-8") as text:
        text.write(line + "\n")


def _five(play: Play, session: Any) -> None:
    for prompt in (PORT, "ok thanks", TESTS, f"{PORT} I forgot it.", "Write a poem about autumn leaves."):
        session.say(prompt)
    requests, report = play.prompts(), play.report
    first, given = added(None, requests[0]), [play.given(turn) for turn in range(len(requests))]
    index, user = place_of(INDEX, first), place_of(PORT, first)
    where = f"text {index}, his is {user} of {len(first)}"
    report.look("the index stands before the user's text", 0 <= index < user, where)
    entry = [place for place, text in enumerate(first) if "6380" in "".join(blocks([text]))]
    report.look("the entry stands in the first turn, once", len(entry) == 1, f"text {entry}")
    report.look("nothing of ours is in the system prompt", "ctxrepo-memory" not in requests[0].system)
    report.look("'ok thanks' is met with silence", not given[1], f"{len(given[1])} blocks")
    is_alone = len(given[2]) == 1 and "make db" in given[2][0]
    report.look("the entry about the tests comes with its prompt, alone", is_alone, given[2])
    report.look("what was given isn't given again", not given[3], given[3])
    report.look("a prompt that no entry fits is left alone", not given[4], given[4])
    count = sum(INDEX in block for turn in given for block in turn)
    report.look("the index came once in five turns", count == 1, count)
    play.continues(requests)
    session.end()
    play.asks_for_silence()
    play.is_told_of()
