"""Where agents' writes are staged, an agent proposes with the commands that it has, and a person writes."""

from __future__ import annotations

import json

import pytest
from terminal import Answer, Terminal

from ctxrepo.agents.known import AGENTS
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file

AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"}


@pytest.fixture
def mine(cli: Terminal) -> Terminal:
    cli("remember", "the port is 5")
    assert cli("config", "set", "inbox.policy", "project=stage").code == 0
    return cli


def by_agent(cli: Terminal, *words: str, stdin: bytes = b"") -> Answer:
    return cli(*words, stdin=stdin, **AGENT)


def waits(cli: Terminal) -> list[str]:
    return [item["words"] for item in cli("inbox", "--json").data["items"]]


def note(cli: Terminal) -> str:
    return cli.machine.read("shop/MEMORY.md")


def entry(cli: Terminal) -> str:
    return str(cli("search", "port", "--json").data["hits"][0]["id"])


def test_what_an_agent_remembers_waits_and_what_a_person_remembers_is_there(mine: Terminal) -> None:
    before = note(mine)
    answer = by_agent(mine, "remember", "the wall is blue", "--category", "gotcha")
    assert (answer.code, answer.out.split(":")[0]) == (0, "proposed")
    assert by_agent(mine, "remember", "-", stdin=b"one thing\nanother\n").code == 0
    assert note(mine) == before
    assert waits(mine) == ["add: the wall is blue", "add: one thing", "add: another"]
    mine("remember", "the door is red")
    assert "the door is red" in note(mine)
    assert by_agent(mine, "remember", "everywhere the same", "--scope", "global").out.startswith("remembered")
    name = mine("inbox", "--json").data["items"][0]["id"]
    assert mine("inbox", "accept", name).code == 0
    assert "[gotcha] the wall is blue" in mine.machine.read("shop/topics/gotcha.md")


MARKS = [dict(agent.identity.MARKS) for agent in AGENTS.values() if agent.identity.MARKS]


@pytest.mark.parametrize("marks", MARKS, ids=" ".join)
def test_an_agent_is_no_person_because_its_session_cannot_be_told(
    mine: Terminal, marks: dict[str, str]
) -> None:
    before = note(mine)
    assert mine("remember", "the wall is blue", **marks).out.startswith("proposed")
    assert note(mine) == before
    name = mine("inbox", "--json").data["items"][0]["id"]
    for words in (("inbox", "accept", name), ("config", "set", "inbox.policy", "")):
        assert mine(*words, **marks).code == 6, words
    assert (note(mine), waits(mine)) == (before, ["add: the wall is blue"])


def test_edits_and_removals_of_entries_wait_and_are_done_when_accepted(mine: Terminal) -> None:
    before, name = note(mine), entry(mine)
    answer = by_agent(mine, "edit", name, "--old", "5", "--new", "6")
    assert (answer.code, answer.out.split(":")[0]) == (
        0,
        "proposed, and not written before a person accepts it",
    )
    assert note(mine) == before
    (item,) = mine("inbox", "--json").data["items"]
    shown = mine("inbox", "show", item["id"], "--json").data
    assert (shown["before"], shown["after"], shown["path"]) == (
        "- the port is 5",
        "- the port is 6",
        "shop/MEMORY.md",
    )
    assert mine("inbox", "accept", item["id"]).code == 0
    assert "- the port is 6\n" in note(mine)
    assert f"{name} is {entry(mine)} now" in mine("read", name).err, "the edit is recorded"
    answer = by_agent(mine, "forget", entry(mine), "--json")
    assert answer.data["staged"] is True
    assert mine("inbox", "accept", answer.data["ids"][0]).code == 0
    assert "port" not in note(mine)
    assert mine("undo").code == 0
    assert "- the port is 6\n" in note(mine)


def test_an_entry_that_changed_meanwhile_is_not_edited(mine: Terminal) -> None:
    name = entry(mine)
    ids = by_agent(mine, "edit", name, "--old", "5", "--new", "6", "--json").data["ids"]
    mine("edit", name, "--old", "5", "--new", "7")
    answer = mine("inbox", "accept", *ids)
    assert (answer.code, "was changed since" in answer.err) == (6, True)
    mine("forget", entry(mine))
    answer = mine("inbox", "accept", *ids)
    assert (answer.code, "is gone" in answer.err) == (6, True)
    assert waits(mine) == ["edit: the port is 6"]


def test_what_is_to_be_removed_is_listed_as_that_and_told_when_it_is_gone(mine: Terminal) -> None:
    (name,) = by_agent(mine, "forget", entry(mine), "--json").data["ids"]
    assert waits(mine) == ["remove: the port is 5"]
    assert "remove: the port is 5" in mine("review", "--plain").out
    shown = mine("inbox", "show", name).out
    assert ("waits    an agent removed this entry" in shown, "\n-- the port is 5\n" in shown) == (True, True)
    answer = mine("inbox", "accept", name)
    assert answer.out.split("\n")[1] == "  - the port is 5"
    assert mine("undo").code == 0
    answer = mine("inbox", "accept", name, "--json")
    (change,) = answer.data["decided"][0]["changes"]
    assert change == {"path": "shop/MEMORY.md", "was": "- the port is 5", "now": ""}


def test_a_note_to_be_removed_says_so_and_stays_where_it_was_changed_since(mine: Terminal) -> None:
    mine("remember", "blue", "--note", "topics/walls")
    (name,) = by_agent(mine, "forget", "topics/walls.md", "--json").data["ids"]
    assert waits(mine) == ["remove note: blue"]
    assert "waits    an agent removed this note" in mine("inbox", "show", name).out
    mine("remember", "green", "--note", "topics/walls")
    shown = mine("inbox", "show", name).out
    assert f"but      shop/topics/walls.md was changed since {name} was proposed" in shown
    assert "inbox accept" not in shown
    answer = mine("inbox", "accept", name)
    assert (answer.code, "was changed since" in answer.err) == (6, True)
    assert waits(mine) == ["remove note: blue"]
    mine("forget", "topics/walls.md#L8")
    assert mine("inbox", "accept", name).out.split("\n")[1] == "  - blue"
    assert not (mine.machine.clone / "shop/topics/walls.md").exists()


def test_a_change_of_a_note_that_is_done_already_gets_no_verdict(mine: Terminal) -> None:
    words = ("edit", "topics/walls", "--old", "about walls", "--new", "of walls")
    mine("new", "topics/walls", "-d", "about walls")
    (name,) = by_agent(mine, *words, "--json").data["ids"]
    assert mine(*words).code == 0
    answer = mine("inbox", "accept", name)
    assert (answer.code, "has nothing left" in answer.err) == (6, True)
    assert len(waits(mine)) == 1


def test_a_new_note_waits_as_a_whole(mine: Terminal) -> None:
    answer = by_agent(
        mine, "new", "topics/walls", "-d", "about walls", "--from", "-", "--json", stdin=b"- blue\n"
    )
    assert not (mine.machine.clone / "shop/topics/walls.md").exists()
    assert mine("inbox", "accept", *answer.data["ids"]).code == 0
    undone = mine("undo").out
    assert undone.startswith("undone: accept: add note topics/walls.md\n")
    assert "  * proposed: add note topics/walls.md\n" in undone
    assert mine("undo", "--redo").out.startswith("done again: accept: add note topics/walls.md")
    text = mine.machine.read("shop/topics/walls.md")
    assert "description: about walls" in text
    assert text.endswith("- blue\n")
    ids = by_agent(mine, "edit", "topics/walls", "--old", "about walls", "--new", "of walls", "--json").data[
        "ids"
    ]
    mine("remember", "green", "--note", "topics/walls")
    assert mine("inbox", "accept", *ids).code == 0
    text = mine.machine.read("shop/topics/walls.md")
    assert "description: of walls" in text
    assert text.endswith("- blue\n- green\n"), "what was written meanwhile stays"


def test_what_can_not_be_proposed_is_refused_and_says_what_can(mine: Terminal) -> None:
    before = note(mine)
    answer = by_agent(mine, "archive", "MEMORY.md")
    assert (answer.code, "agents may only propose" in answer.err) == (6, True)
    assert note(mine) == before
    assert by_agent(mine, "log", "tidied up").code == 0, "what is going on is no fact"
    assert by_agent(mine, "scratch", "add", "paint the wall").code == 0
    assert waits(mine) == []


def test_an_agent_decides_nothing_where_it_may_only_propose(mine: Terminal) -> None:
    name = str(by_agent(mine, "remember", "the wall is blue", "--json").data["id"])
    for verb in ("accept", "decline"):
        answer = by_agent(mine, "inbox", verb, name)
        assert (answer.code, "waits for a person's yes" in answer.err) == (6, True)
    other = str(
        by_agent(mine, "remember", "the sky is blue", "--scope", "global", "--stage", "--json").data["id"]
    )
    assert by_agent(mine, "inbox", "accept", other).code == 0, "there it may write"
    for _ in range(3):
        assert by_agent(mine, "undo").code == 0, "it may take back what it wrote and proposed"
    assert waits(mine) == []


def test_an_agent_decides_no_other_kind_either_and_lifts_no_rule(mine: Terminal) -> None:
    for number in range(12):
        mine.machine.write(f"shop/n{number}.md", f"- note {number}\n")
    path, data = copy_as_file(
        ConflictCopy("shop/MEMORY.md", "- the port is 1", "- the port is 5", "- the port is 9")
    )
    mine.machine.write(path, data.decode())
    mine("sync")
    for number in range(12):
        (mine.machine.clone / f"shop/n{number}.md").unlink()
    items = mine("inbox", "--json").data["items"]
    names = {item["kind"]: item["id"] for item in items}
    deletions = [item["id"] for item in items if item["kind"] == "deletion"]
    conflict = names["conflict"].partition(":")[2]
    for words in (
        ("inbox", "accept", *deletions),
        ("inbox", "decline", *deletions),
        ("sync", "--accept", "deletions"),
        ("inbox", "accept", conflict),
        ("inbox", "decline", conflict),
        ("conflicts", "resolve", conflict, "--keep", "kept"),
        ("conflicts", "resolve", "--all", "--keep", "kept"),
        ("config", "set", "inbox.policy", "direct"),
        ("config", "unset", "inbox.policy"),
    ):
        answer = by_agent(mine, *words)
        assert answer.code == 6, words
        assert "waits for a person's yes, and claude is none" in answer.err + answer.out, words
    assert mine("inbox", "--json").data["items"] == items
    (mine.machine.clone / "shop/MEMORY.md").unlink()  # which no commit has found yet
    assert by_agent(mine, "sync", "--accept", "deletions").code == 6
    assert by_agent(mine, "config", "set", "sync.timeout", "20").code == 0
    assert mine("config", "set", "inbox.policy", "direct").code == 0, "a person may"


def test_the_second_change_of_an_entry_by_a_session_takes_the_place_of_the_first(mine: Terminal) -> None:
    name = entry(mine)
    for port in "67":
        by_agent(mine, "edit", name, "--old", "5", "--new", port)
    assert waits(mine) == ["edit: the port is 7"]
    by_agent(mine, "forget", name)
    assert waits(mine) == ["remove: the port is 5"]
    assert by_agent(mine, "undo").code == 0
    assert waits(mine) == ["edit: the port is 7"]


def test_a_rule_for_no_project_is_told(mine: Terminal) -> None:
    registry = mine.machine.read("ctxrepo.toml")
    mine.machine.write("ctxrepo.toml", f'{registry}\n[policy]\ninbox = ["projct=stage"]\n')
    assert "a rule for projct, which is no project's folder" in mine("check").out


def test_the_memory_itself_can_stage_more_and_never_less(mine: Terminal) -> None:
    registry = mine.machine.read("ctxrepo.toml")
    mine.machine.write("ctxrepo.toml", registry + '\n[policy]\ninbox = ["global=stage", "project=direct"]\n')
    assert by_agent(mine, "remember", "one", "--scope", "global").out.startswith("proposed")
    assert by_agent(mine, "remember", "two").out.startswith("proposed")
    mine("config", "unset", "inbox.policy")
    assert by_agent(mine, "remember", "three").out.startswith("remembered")


def test_rules_are_for_agents_and_a_wrong_one_is_told(mine: Terminal) -> None:
    mine("config", "set", "inbox.policy", "codex:*=stage")
    assert by_agent(mine, "remember", "one").out.startswith("remembered")
    answer = mine("config", "set", "inbox.policy", "claud:*=stage")
    assert "names claud, and there is no such agent" in answer.err
    assert mine("config", "set", "inbox.policy", "staged").code == 2
    assert json.loads(mine("config", "get", "inbox.policy", "--json").out)["data"]["value"] == [
        "claud:*=stage"
    ]
