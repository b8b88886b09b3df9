"""diff: what changed in the memory, by entry and by whom, in commits and in none, of both machines."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_ada, make_pair

SESSION = "5e55104a-0000-4000-8000-000000000001"
OTHER = "07e55104-0000-4000-8000-000000000002"
TOKEN = "ghp_" + "a1B2" * 9


def in_session(machine: Machine, session: str = SESSION) -> Machine:
    return replace(machine, more={**machine.more, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session})


def diff(machine: Machine, *words: str) -> list[tuple[str, str, str | None, str | None]]:
    """(path, change, before, after) of each entry; ('path', kind, None, None) of files without any."""
    answer = machine.json("diff", *words)
    assert answer["ok"], answer
    rows = []
    for note in answer["data"]["notes"]:
        rows += [(note["path"], e["change"], e["before"], e["after"]) for e in note["entries"]]
        rows += [] if note["entries"] else [(note["path"], note["kind"], None, None)]
    return rows


def head(machine: Machine) -> str:
    machine.ctxrepo("history", "--limit", "1")  # what waits is committed
    return machine.git("rev-parse", "HEAD")


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(with_two_facts)


def with_two_facts(place: Path) -> Machine:
    ada = make_ada(place)
    ada.write("shop/a.md", "---\ndescription: ports\n---\n# T\n\n- the port is 6380\n- the queue is redis\n")
    head(ada)
    return ada


@pytest.fixture
def two(copies: Copies) -> tuple[Machine, Machine]:
    return copies.of(make_pair)


def test_entries_that_came_were_edited_and_went_stand_once_each(mine: Machine) -> None:
    start = head(mine)
    mine.write("shop/a.md", mine.read("shop/a.md").replace("6380", "6390"))
    mine.json("remember", "a new fact", "--note", "a")
    head(mine)
    mine.write("shop/a.md", mine.read("shop/a.md").replace("6390", "6400"))
    mine.json("remember", "it comes and goes", "--note", "a")
    head(mine)
    mine.write(
        "shop/a.md",
        mine.read("shop/a.md").replace("- the queue is redis\n", "").replace("- it comes and goes\n", ""),
    )
    assert sorted(diff(mine, "--from", start), key=str) == [
        ("shop/a.md", "+", None, "a new fact"),
        ("shop/a.md", "-", "the queue is redis", None),
        ("shop/a.md", "~", "the port is 6380", "the port is 6400"),
    ]


def test_by_default_it_is_since_the_same_time_yesterday(mine: Machine) -> None:
    mine.json("remember", "written today")
    assert [after for _, _, _, after in diff(mine)] == [
        "written today",
        "the port is 6380",
        "the queue is redis",
    ]
    data = mine.json("diff")["data"]
    assert data["from"]  # what `init` made is from 2026-11-20


def test_each_change_says_who_made_it_also_on_another_machine(two: tuple[Machine, Machine]) -> None:
    ada, ben = two
    for machine in two:
        machine.sync()
    start = head(ada)
    in_session(ben).json("remember", "by a session of ben's", "-c", "gotcha")
    ben.sync()
    ada.write("shop/b.md", "- by a hand of ada's\n")
    ada.sync()
    notes = {note["path"]: note for note in ada.json("diff", "--from", start)["data"]["notes"]}
    by = notes["shop/topics/gotcha.md"]["entries"][0]["by"]
    assert (by["agents"], by["sessions"], by["hosts"]) == (["claude"], [SESSION], [ben.open().host])
    output = ada.ctxrepo("diff", "--from", start).stdout
    assert f"  claude on {ben.open().host}, session {SESSION[:8]}, " in output
    assert "    + [gotcha] by a session of ben's\n" in output
    assert notes["shop/b.md"]["entries"][0]["by"]["sessions"] == []


def test_of_a_session_only_what_it_left_stands_there(mine: Machine) -> None:
    mine.write("shop/a.md", mine.read("shop/a.md") + "- of a person\n")
    head(mine)
    own = in_session(mine)
    name = own.json("remember", "from the session", "--note", "a")["data"]["id"]
    mine.json("remember", "of a person, in the same commit", "--note", "a")
    head(mine)
    in_session(mine, OTHER).json("remember", "from another session", "--note", "a")
    head(mine)
    own.json("edit", name, "--old", "from the session", "--new", "from the session, edited")
    gone = own.json("remember", "it takes this back itself", "--note", "a")["data"]["id"]
    head(mine)
    own.json("forget", gone)
    own.json("forget", "a#L7")
    assert diff(mine, "--session", SESSION[:6]) == [
        ("shop/a.md", "-", "the queue is redis", None),
        ("shop/a.md", "+", None, "from the session, edited"),
    ]
    assert diff(mine, "--session", OTHER) == [("shop/a.md", "+", None, "from another session")]
    patch = mine.ctxrepo("diff", "--session", SESSION[:6], "--patch").stdout
    assert "from another session" not in [line[1:] for line in patch.splitlines() if line[:1] in "+-"]
    assert diff(own, "--session", "this") == diff(mine, "--session", SESSION)
    assert mine.ctxrepo("diff", "--session", "nobody").returncode == 3
    assert mine.ctxrepo("diff", "--session", "this").returncode == 2


def test_a_note_that_was_renamed_and_one_that_was_removed(mine: Machine) -> None:
    mine.write("shop/gone.md", "- first\n- second\n")
    start = head(mine)
    mine.ctxrepo("move", "a", "shop:b.md")
    mine.ctxrepo("forget", "gone")
    mine.write("shop/b.md", mine.read("shop/b.md").replace("redis", "nats"))
    answer = mine.json("diff", "--from", start)["data"]["notes"]
    assert [(n["path"], n["kind"], n["former"]) for n in answer] == [
        ("shop/b.md", "renamed", "shop/a.md"),
        ("shop/gone.md", "removed", None),
    ]
    assert diff(mine, "--from", start)[0] == ("shop/b.md", "~", "the queue is redis", "the queue is nats")
    assert [change for _, change, *_ in diff(mine, "--from", start)[1:]] == ["-", "-"]
    assert diff(mine, "b", "--from", start) == diff(mine, "--from", start)[:1]
    output = mine.ctxrepo("diff", "--from", start, "--patch").stdout
    assert "rename from shop/a.md\nrename to shop/b.md\n--- a/shop/a.md\n+++ b/shop/b.md\n" in output


def test_a_change_is_known_again_under_each_name_that_its_note_had(mine: Machine) -> None:
    start = head(mine)
    mine.ctxrepo("move", "a", "shop:b.md")
    head(mine)
    mine.write("shop/b.md", mine.read("shop/b.md").replace("redis", "nats"))
    edited = head(mine)
    mine.ctxrepo("move", "b", "shop:c.md")
    (note,) = mine.json("diff", "--from", start)["data"]["notes"]
    assert (note["path"], note["former"]) == ("shop/c.md", "shop/a.md")
    assert [(e["after"], e["by"]["commit"]) for e in note["entries"]] == [("the queue is nats", edited)]


def test_an_entry_that_went_to_another_note_is_told_once(mine: Machine) -> None:
    mine.write("shop/b.md", "- stays here\n")
    start = head(mine)
    mine.ctxrepo("move", "a#L6", "shop:b.md")
    (entry,) = [e for n in mine.json("diff", "--from", start)["data"]["notes"] for e in n["entries"]]
    assert (entry["change"], entry["after"], entry["former"]) == (">", "the port is 6380", "shop/a.md")
    assert (
        "    * moved from shop/a.md\n    + the port is 6380\n" in mine.ctxrepo("diff", "--from", start).stdout
    )
    assert diff(mine, "b#L2", "--from", start) == [("shop/b.md", ">", "the port is 6380", "the port is 6380")]


def test_what_no_commit_holds_is_in_it_and_its_secrets_are_masked(mine: Machine) -> None:
    start = head(mine)
    mine.write("shop/held.md", f"- the token is {TOKEN}\n- and more\n")
    (note,) = mine.json("diff", "--from", start)["data"]["notes"]
    assert (note["path"], note["kind"], note["committed"]) == ("shop/held.md", "new", False)
    for words in ((), ("--patch",), ("--json", "--patch")):
        output = mine.ctxrepo("diff", "--from", start, *words).stdout
        assert TOKEN not in output
        assert "[github-token]" in output
    assert "in no commit yet" in mine.ctxrepo("diff", "--from", start).stdout
    assert diff(mine, "--from", start, "--to", head(mine)) == []


def test_files_that_are_no_notes_and_what_is_no_entry_have_a_line(mine: Machine) -> None:
    start = head(mine)
    (mine.clone / "shop/cart.png").write_bytes(b"\x89PNG\0\1")
    mine.write("shop/a.md", mine.read("shop/a.md").replace("description: ports", "description: 港口"))
    output = mine.ctxrepo("diff", "--from", start).stdout
    assert "* what is no entry: its frontmatter, headings or blank lines" in output
    assert "shop/cart.png (new)\n" in output
    assert "* no note: nothing before, 6 bytes now" in output
    assert ".ctx/" not in output
    patch = mine.ctxrepo("diff", "--from", start, "-p").stdout
    assert "Binary files /dev/null and b/shop/cart.png differ" in patch
    assert "+description: 港口" in patch


def test_wide_signs_and_ticked_boxes_are_told_as_they_are(mine: Machine) -> None:
    mine.write("shop/SCRATCHPAD.md", "- [ ] 港口を確認する\n")
    start = head(mine)
    mine.write("shop/SCRATCHPAD.md", "- [x] 港口を確認する\n- 🚢 sails\x1b[31m\n")
    assert diff(mine, "--from", start) == [
        ("shop/SCRATCHPAD.md", "~", "[ ] 港口を確認する", "[x] 港口を確認する"),
        ("shop/SCRATCHPAD.md", "+", None, "🚢 sails\x1b[31m"),
    ]
    output = mine.ctxrepo("diff", "--from", start).stdout
    assert "    ~ [ ] 港口を確認する\n    → [x] 港口を確認する\n" in output
    assert "\x1b" not in output


def test_a_version_that_a_merge_set_aside_is_named(two: tuple[Machine, Machine]) -> None:
    ada, ben = two
    ada.write("shop/a.md", "- the port is 1 on all machines\n")
    for machine in two:
        machine.sync()
    start = head(ada)
    ada.write("shop/a.md", "- the port is 5 on all machines\n")
    ben.write("shop/a.md", "- the port is 9 on all machines\n")
    for machine in (ada, ben, ada):
        machine.sync()
    output = ada.ctxrepo("diff", "--from", start).stdout
    assert "* a version that a merge set aside: `ctxrepo conflicts` shows it" in output
    assert "    ~ the port is 1 on all machines\n" in output


def test_nothing_changed_is_one_line_and_exit_0(mine: Machine) -> None:
    start = head(mine)
    run = mine.ctxrepo("diff", "--from", start)
    assert (run.returncode, run.stdout) == (0, f"nothing changed since {start[:10]}\n")
    assert mine.json("diff", "--from", start)["data"]["notes"] == []
    assert diff(mine, "a", "--from", start) == []


@pytest.mark.slow
def test_a_moment_is_where_the_branch_was_then(mine: Machine) -> None:
    mine.json("remember", "before it", "--note", "a")
    head(mine)
    time.sleep(1.1)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    time.sleep(1.1)
    mine.json("remember", "after it", "--note", "a")
    end = head(mine)
    mine.json("remember", "later still", "--note", "a")
    assert [row[3] for row in diff(mine, "--since", moment)] == ["after it", "later still"]
    assert [row[3] for row in diff(mine, "--from", moment, "--to", end)] == ["after it"]
    assert "before it" in [row[3] for row in diff(mine, "--from", "2001-01-01", "--to", moment)]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--since", "monday", "--session", "x"], 2),
        (["--since", "monday", "--to", "today"], 2),
        (["--since", "the day of days"], 2),
        (["--from", "0000000"], 3),
        (["never"], 3),
    ],
)
def test_what_cannot_be_meant_is_said(mine: Machine, words: list[str], code: int) -> None:
    run = mine.ctxrepo("diff", *words)
    assert (run.returncode, run.stdout) == (code, "")
