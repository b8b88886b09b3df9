"""What waits for a decision, as a person meets it: listed, shown, accepted, declined, edited, taken back."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from terminal import Terminal

from ctxrepo.app.repository import decide as deciding
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.services.review.items import items_to_decide

NOTE = "shop/topics/gotcha.md"
KEY = "AKIA" + "QYLPMN5HFIQR7XYA"


@pytest.fixture
def mine(cli: Terminal) -> Terminal:
    cli("remember", "the port is 5", "--category", "gotcha")
    return cli


def proposed(cli: Terminal, text: str, *words: str) -> str:
    return str(cli("remember", text, "--stage", *words, "--json", CLAUDECODE="1").data["id"])


def log_of(cli: Terminal) -> list[str]:
    return cli.machine.git("log", "--format=%s").split("\n")


def test_nothing_waits(cli: Terminal) -> None:
    assert cli("inbox").out == "nothing waits for a decision\n"
    assert cli("inbox", "--json").data == {"items": []}


def test_a_proposal_is_listed_and_shown_with_what_decides_it(mine: Terminal) -> None:
    name = proposed(mine, "the queue is drained by hand", "--category", "gotcha", "--key", "queue", "--pin")
    host = mine.machine.open().host
    answer = mine("inbox")
    line = f"{name}  proposal  shop  just now  claude on {host}  set queue: the queue is drained by hand\n"
    assert answer.out == line
    assert f"look at one with `ctxrepo inbox show {name}`" in answer.err
    answer = mine("inbox", "show", name[:6])
    assert (
        "waits    somebody proposed to remember this, in gotcha, under the key queue, pinned\n" in answer.out
    )
    ways = answer.out.split("to decide:\n")[1].split("\n")
    assert [way.strip() for way in ways] == [
        f"ctxrepo inbox accept {name}",
        f"ctxrepo inbox edit {name}",
        f"ctxrepo inbox decline {name}",
        "",
    ]
    for way in ways[:1]:
        assert mine(*way.split()[1:]).code == 0
    assert mine("inbox").out == "nothing waits for a decision\n"


def test_an_accepted_proposal_is_what_remember_would_have_made(mine: Terminal) -> None:
    mine("remember", "the queue drains itself", "--key", "queue")
    words = ("--category", "gotcha", "--key", "queue", "--tag", "ops", "--pin")
    name = proposed(mine, "the queue is drained by hand", *words)
    answer = mine("inbox", "accept", f"proposal:{name}", "--json")
    (decision,) = answer.data["decided"]
    assert (answer.code, decision["verb"], decision["undo"], decision["waits"]) == (
        0,
        "accept",
        "undo",
        False,
    )
    assert mine("read", decision["entry"]).out.endswith(
        "- [gotcha] queue: the queue is drained by hand #ops\n"
    )
    assert "the queue drains itself" not in mine("read", "MEMORY.md").out, "its key has another value now"
    name = proposed(mine, "the queue is drained by hand", *words)
    assert "already" not in mine("inbox", "accept", name).err
    assert mine("search", "drained", "--json").data["hits"][0]["pinned"] is True


def test_each_decision_is_a_commit_that_says_it_and_undo_takes_back_the_last(mine: Terminal) -> None:
    names = [proposed(mine, text) for text in ("first of all", "second to none", "third time lucky")]
    mine("sync")
    before = len(log_of(mine))
    assert mine("inbox", "accept", names[0], names[1]).code == 0
    assert mine("inbox", "decline", names[2], "--reason", "nobody needs it").code == 0
    assert len(log_of(mine)) == before + 3
    verbs = [subject.split(": ")[1].split()[0] for subject in log_of(mine)[:3]]
    assert verbs == ["decline", "accept", "accept"]
    assert "* declined: third time lucky (nobody needs it)" in mine.machine.git("log", "-1", "--format=%b")
    assert log_of(mine)[0] == "memory(shop): decline a proposal"
    assert log_of(mine)[1] == "memory(shop): accept MEMORY"
    file = mine.machine.read(f"inbox/{mine.machine.open().host}.jsonl")
    assert '"reason": "nobody needs it"' in file
    assert "* proposed: third time lucky" in mine("undo").out
    assert [item["name"] for item in items(mine)] == [names[2]]
    assert mine("undo").code == 0
    assert [item["name"] for item in items(mine)] == [names[1], names[2]]
    assert "second to none" not in mine("read", "MEMORY.md").out
    assert "first of all" in mine("read", "MEMORY.md").out
    assert mine("undo", "--redo").code == 0
    assert "second to none" in mine("read", "MEMORY.md").out


def items(cli: Terminal) -> list[dict[str, str]]:
    items = cli("inbox", "--json").data["items"]
    return [item | {"name": item["id"].partition(":")[2]} for item in items]


def test_an_edited_text_is_accepted_instead(mine: Terminal, tmp_path: Path) -> None:
    name = proposed(mine, "the port is 6", "--category", "gotcha", "--tag", "ops")
    assert mine("inbox", "edit", name, "--text", "the port is 7").code == 0
    assert mine("read", NOTE).out.endswith("- [gotcha] the port is 7 #ops\n")
    other = proposed(mine, "the wall is blue")
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/blue/green/ "$1"\n')
    editor.chmod(0o755)
    assert mine("inbox", "edit", other, EDITOR=str(editor)).code == 0
    assert "- the wall is green\n" in mine("read", "MEMORY.md").out
    third = proposed(mine, "the door is red")
    assert (
        mine("inbox", "edit", third, EDITOR=str(editor)).out
        == f"unchanged, and it waits on: proposal:{third}\n"
    )
    assert mine("inbox", "edit", third, EDITOR="").code == 2
    assert mine("inbox", "edit", third, "--text", " ").code == 2
    assert mine("inbox", "edit", third, "--text", "the door is open").code == 0
    assert mine("undo").code == 0
    assert [item["name"] for item in items(mine)] == [third]
    assert "the door" not in mine("read", "MEMORY.md").out


def test_what_can_not_be_accepted_waits_on_and_holds_up_no_other(mine: Terminal) -> None:
    old = mine("remember", "the wall is blue", "--json").data["id"]
    name = proposed(mine, "the wall is green", "--supersedes", old)
    other = proposed(mine, "the door is red")
    mine("forget", old)
    answer = mine("inbox", "accept", name)
    assert (answer.code, "is gone" in answer.err, "It was forgotten" in answer.err) == (6, True, True)
    answer = mine("inbox", "accept", name, other)
    assert (answer.code, "not decided: proposal:" in answer.out, "accepted: ^" in answer.out) == (
        6,
        True,
        True,
    )
    assert [item["name"] for item in items(mine)] == [name]


def test_a_key_that_was_set_meanwhile_is_shown_before_and_told_after(mine: Terminal) -> None:
    mine("remember", "argo", "--key", "deploy", "--note", "topics/d")
    name = proposed(mine, "flux", "--key", "deploy")
    mine("remember", "jenkins", "--key", "deploy", "--note", "topics/d")
    shown = mine("inbox", "show", name).out
    assert ("\n-- deploy: jenkins\n" in shown, "\n+- deploy: flux\n" in shown) == (True, True)
    answer = mine("inbox", "accept", name)
    assert answer.out.split("\n")[1] == '  ~ deploy: flux (was "deploy: jenkins")'


def test_an_entry_to_supersede_is_followed_where_it_moved_and_not_where_it_changed(mine: Terminal) -> None:
    old = mine("remember", "deploys on Monday at noon", "--json").data["id"]
    name, other = (proposed(mine, f"deploys on {day}", "--supersedes", old) for day in ("Tuesday", "Sunday"))
    moved = mine("move", old, "topics/deploys.md", "--json").data["id"]
    assert "-- deploys on Monday at noon" in mine("inbox", "show", name).out
    answer = mine("inbox", "accept", name)
    assert answer.out.split("\n")[1] == '  ~ deploys on Tuesday (was "deploys on Monday at noon")'
    assert mine("undo").code == 0
    mine("edit", moved, "--old", "noon", "--new", "night")
    answer = mine("inbox", "accept", other)
    assert (answer.code, "was changed since" in answer.err) == (6, True)


def test_what_is_known_already_is_accepted_and_told(mine: Terminal) -> None:
    name = proposed(mine, "the port is 5", "--category", "gotcha")
    assert "it is in memory already: ^" in mine("inbox", "show", name).out
    output = mine("inbox", "accept", name).out
    assert "is in memory already; `ctxrepo undo` takes it back\n" in output
    assert mine("undo").code == 0
    assert [item["name"] for item in items(mine)] == [name]


def test_what_waits_is_looked_for_once_however_many_are_decided(
    mine: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Mock(wraps=items_to_decide)
    monkeypatch.setattr(deciding, "items_to_decide", look)
    names = [proposed(mine, f"the team prefers plan {number} over plan {number + 1}") for number in range(5)]
    look.reset_mock()
    answer = mine("inbox", "accept", *names)
    assert (answer.code, look.call_count) == (0, 2), "before and after"
    assert answer.err.count("says much the same; if") == 3
    assert "so do 2 more" not in answer.err
    assert "so do 1 more" in answer.err


def test_names_are_whole_or_begin_one_item(mine: Terminal) -> None:
    first, second = (proposed(mine, text) for text in ("one thing", "another thing"))
    assert mine("inbox", "show", "zzzz").code == 3
    for short in ("proposal:", first[:3], f"proposal:{first[:3]}"):
        answer = mine("inbox", "decline", short)
        assert (answer.code, "Give at least 4 characters of an id" in answer.err) == (3, True), short
    for enough in (first[:4], f"proposal:{first[:4]}", f"^{first}"):
        assert f"proposal:{first}" in mine("inbox", "show", enough, "--json").out
    assert mine("inbox", "decline", first, "zzzz").code == 3
    assert len(items(mine)) == 2, "nothing is decided when a name is wrong"
    assert second


def test_a_line_that_can_not_be_read_is_an_item_that_can_be_declined(mine: Terminal) -> None:
    mine.machine.write("inbox/ben.jsonl", '{"id": "abc", "verb": "sing", "text": "x"}\n{"torn\n')
    unreadable = items(mine)
    assert {item["why"] for item in unreadable} == {"a line of the inbox that can't be read as a proposal"}
    assert len(unreadable) == 2
    for item in unreadable:
        answer = mine("inbox", "accept", item["name"])
        assert (answer.code, f"`ctxrepo inbox decline {item['name']}`" in answer.err) == (6, True)
        assert mine("inbox", "decline", item["name"]).code == 0
    assert items(mine) == []
    assert '{"torn' not in mine.machine.read("inbox/ben.jsonl")


def test_secrets_of_other_machines_are_masked(mine: Terminal) -> None:
    line = '{"id": "abc123", "ts": "2026-01-01T00:00:00Z", "verb": "remember", "scope": "global", '
    line += f'"text": "key {KEY}", "note": "topics/{KEY}.md", "agent": "{KEY}"}}\n'
    mine.machine.write("inbox/ben.jsonl", line)
    for words in ((), ("--json",), ("show", "abc123"), ("show", "abc123", "--json")):
        answer = mine("inbox", *words)
        assert KEY not in answer.out + answer.err
    answer = mine("inbox", "accept", "abc123")
    assert (answer.code, KEY in answer.out + answer.err) == (6, False)


def test_the_other_kinds_are_decided_by_the_same_words(mine: Terminal) -> None:
    path, data = copy_as_file(
        ConflictCopy(NOTE, "- the port is 1", "- [gotcha] the port is 5", "- the port is 9")
    )
    mine.machine.write(path, data.decode())
    (item,) = items(mine)
    assert item["kind"] == "conflict"
    assert "+- the port is 9" in mine("inbox", "show", item["name"]).out
    assert mine("inbox", "accept", item["name"]).code == 0
    assert mine("read", NOTE).out.endswith("- the port is 9\n")
    assert mine("undo").code == 0
    assert mine("inbox", "decline", item["name"]).code == 0
    assert mine("read", NOTE).out.endswith("- [gotcha] the port is 5\n")
    mine.machine.write(NOTE, f"- key {KEY}\n")
    (item,) = items(mine)
    for verb in ("accept", "decline"):
        answer = mine("inbox", verb, item["id"])
        assert (answer.code, "Edit the file: line 1" in answer.err) == (6, True)


def test_deletions_are_decided_together(mine: Terminal) -> None:
    for number in range(12):
        mine.machine.write(f"shop/n{number}.md", f"- note {number}\n")
    mine("sync")
    for number in range(12):
        (mine.machine.clone / f"shop/n{number}.md").unlink()
    names = [item["id"] for item in items(mine)]
    answer = mine("inbox", "accept", names[0])
    assert (answer.code, "`ctxrepo sync --accept deletions`" in answer.err) == (2, True)
    assert mine("inbox", "decline", *names).code == 0
    assert items(mine) == []
    assert (mine.machine.clone / "shop/n0.md").exists()
