"""What is played of delivery: each mode, subagents, a silenced session, what a session leaves to the next."""

from __future__ import annotations

from live.play import INDEX, PORT, TESTS, Play
from live.recorded import Prompt, added, blocks
from live.stage import note_of
from live.steps import Text


def handover(play: Play) -> None:
    """Two sessions with a compaction between: index, handoff and entries come where they belong, once."""
    play.stage.model.will(
        play.agent.shell("ctxrepo scratch add 'a test for the retry limit'"),
        play.agent.shell("ctxrepo log 'the cart retries five times now'"),
        play.agent.write(play.stage.project / "src" / "cart.py", "RETRIES = 5\n"),
        Text("Done."),
    )
    talk = play.talk()
    talk.say("Let the cart retry five times.")
    talk.say(PORT)
    play.report.look("its own log and list are no news to it", "that changed" not in "".join(play.given()))
    play.report.look("the entry comes beside its prompt", "6380" in "".join(play.given()))
    begun = play.prompts()
    play.stage.model.will(Text(play.agent.SUMMARY))
    talk.say(play.agent.COMPACT)
    play.stage.wait_for_workers()
    shortened = len(play.prompts())
    talk.say(TESTS)
    anew = "".join(blocks(added(None, play.prompts()[shortened])))
    play.report.look("after the compaction the index stands there once", anew.count(INDEX) == 1)
    play.report.look("what is open, too", "- [ ] a test for the retry limit" in anew)
    play.report.look("and what was being asked", "6380" in anew)
    play.report.look("the next prompt has its own entry", "make db" in "".join(play.given()))
    play.continues(begun)
    play.continues(play.prompts()[shortened:])
    talk.end()
    play.stage.wait_for_silence()
    before = len(play.prompts())
    again = play.talk()
    again.say("ok thanks")
    given = "".join(play.given())
    for what, words in {
        "the handoff": "## Handoff · handoff/compaction",
        "what it was to do": "Goal: Let the cart retry five times.",
        "what was last asked": PORT,
        "the log of today": "the cart retries five times now",
        "the file it wrote": "src/cart.py",
    }.items():
        play.report.look(f"the next session is given {what}", words in given)
    again.say(PORT)
    play.report.look("and an entry beside the prompt it is for", "6380" in "".join(play.given()))
    play.continues(play.prompts()[before:])
    again.end()
    play.asks_for_silence()
    play.is_told_of()


def sub(play: Play) -> None:
    """A subagent is started: it is shown the index, reads a note, and is asked to leave writing to others."""
    task = "Look up in the notes where redis listens."
    script = play.stage.project / "scripts" / "reindex.py"
    play.stage.model.will(
        play.agent.subagent(task),
        play.agent.read(note_of(play.stage, "6380")),
        play.agent.write(script, "print()\n"),
        Text("On 6380."),
        Text(),
    )
    talk = play.talk()
    talk.say(f"{PORT} Have a subagent look.")
    prompts = play.prompts()
    its = [prompt for prompt in prompts if any(text == task for _, texts in prompt.texts for text in texts)]
    mine = [prompt for prompt in prompts if prompt not in its]
    given = blocks(added(None, its[0])) if its else []
    size = len("".join(given).encode())
    last = added(its[-2], its[-1]) if len(its) > 1 else []
    play.report.look("it is told what memory says of a file it wrote", "rebuilt by" in "".join(blocks(last)))
    play.report.look("the subagent is given one block, with the index", [INDEX in b for b in given] == [True])
    play.report.look("of at most 3,000 bytes", 0 < size <= 3000, size)
    play.report.look("that asks it not to write", "Don't write to it" in "".join(given))
    play.report.look(
        "nothing of that is said to who started it", "Don't write to it" not in mine[-1].messages[-1]
    )
    play.continues(its)
    play.continues(mine)
    talk.say(TESTS)
    play.report.look("who started it is given its entries as ever", "make db" in "".join(play.given()))
    talk.end()
    play.asks_for_silence()
    play.is_told_of()
    row = play.stage.json("doctor", "--hooks")["data"]["hooks"][0]["events"]["SubagentStart"]
    seen = (row["happened"], row["noted"], row["ran"], row["given"]["sent"])
    play.report.look("`doctor --hooks` knows of it, and what it was told", seen == (1, 1, 1, 1), row)


def once(play: Play) -> None:
    """In mode `once` the index comes at the start, and nothing beside a prompt."""
    _modes(play, "once", index=1, entry=False)


def system(play: Play) -> None:
    """In mode `system` the index stands in the system prompt, and entries beside prompts."""
    packet = play.stage.output("context")
    requests = _modes(play, "system", *play.agent.with_system(packet), index=0, entry=True)
    in_system = [INDEX in prompt.system for prompt in requests]
    play.report.look("the packet is in every system prompt", all(in_system), f"{len(in_system)} requests")


def pull(play: Play) -> None:
    """In mode `pull` the rules come at the start, and what the agent asks for."""
    requests = _modes(play, "pull", index=0, entry=False)
    rules = "".join(blocks(added(None, requests[0])))
    play.report.look("the rules tell how to ask", "`ctxrepo search`" in rules, f"{len(rules)} characters")
    play.stage.model.will(play.agent.shell("ctxrepo search redis"), Text())
    talk = play.talk()
    talk.say("Look in your memory where redis listens.")
    play.report.look("what it asks for it gets", "6380" in "".join(added(None, play.prompts()[-1])))
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
    play.asks_for_silence()


def _modes(play: Play, mode: str, *more: str, index: int, entry: bool) -> list[Prompt]:
    """Two prompts in a delivery mode; how often the index stands in the conversation, and whether the entry
    comes that fits. The requests."""
    play.stage.ctxrepo("config", "set", "delivery.mode", mode)
    talk = play.talk(*more)
    for prompt in (PORT, TESTS):
        talk.say(prompt)
    prompts = play.prompts()
    count = "".join(added(None, prompts[-1])).count(INDEX)
    play.report.look(f"the index is in the conversation {index} times", count == index, count)
    fits = ["6380" in "".join(play.given(0)), "make db" in "".join(play.given(1))]
    play.report.look(f"the entries come: {entry}", fits == [entry, entry], fits)
    play.continues(prompts)
    talk.end()
    play.asks_for_silence()
    return prompts
