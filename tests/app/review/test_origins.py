"""why: where a note or an entry comes from, through edits, moves, other machines, and what is gone."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from copies import Copies
from machines import Machine, make_ada, make_pair, make_sending
from transcripts import ClaudeTranscript

from ctxrepo.domain.records.save import TOOL, Origin, Save
from ctxrepo.storage.clone.reffiles import WT
from ctxrepo.storage.disk.private import random_name

SESSION = "5e55104a-0000-4000-8000-000000000001"
EARLY = "2001-01-01T09:00:00.000Z"
TOKEN = "ghp_" + "a1B2" * 9


def in_session(machine: Machine, session: str = SESSION) -> Machine:
    """The machine as commands of a session of Claude Code see it."""
    return replace(machine, more={**machine.more, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session})


def why(machine: Machine, target: str) -> dict[str, Any]:
    answer = machine.json("why", target)
    assert answer["ok"], answer
    data: dict[str, Any] = answer["data"]
    return data


def remember(machine: Machine, text: str, *more: str) -> str:
    answer = machine.json("remember", text, *more)
    assert answer["ok"], answer
    return str(answer["data"]["id"])


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(make_ada)


@pytest.fixture
def two(copies: Copies) -> tuple[Machine, Machine]:
    return copies.of(make_pair)


def test_an_entry_is_led_back_to_the_session_and_the_prompt_that_it_comes_from(mine: Machine) -> None:
    transcript = ClaudeTranscript(mine, SESSION)
    transcript.user("what ports are there?", timestamp="2000-12-31T09:00:00.000Z")
    transcript.user(f"\nkeep that the port is 6380, with {TOKEN}\nand more", timestamp=EARLY)
    transcript.user("thanks", timestamp="2200-01-01T09:00:00.000Z")
    name = remember(in_session(mine), "the port is 6380", "-c", "gotcha")
    mine.ctxrepo("anchor", "later", "--summary", "after it")
    origin = why(mine, name)
    assert (origin["id"], origin["text"], origin["gone"]) == (name, "- [gotcha] the port is 6380", False)
    (change,) = origin["changes"]
    assert (change["lines"], change["writers"]["sessions"]) == (["+ [gotcha] the port is 6380"], [SESSION])
    assert change["session"]["prompt"] == "keep that the port is 6380, with [github-token]"
    assert (change["session"]["asked"], change["session"]["agent"]) == (EARLY, "claude")
    assert change["session"]["resume"].endswith(f"claude --resume {SESSION}")
    assert [record["kind"] for record in origin["records"]] == ["stated"]
    assert [why(mine, other)["id"] for other in (name[:6], name[1:], "topics/gotcha#L8")] == [name] * 3
    assert TOKEN not in json.dumps(origin)


def test_the_index_of_sessions_tells_the_same_as_the_transcript(mine: Machine) -> None:
    transcript = ClaudeTranscript(mine, SESSION)
    transcript.user("keep the port", timestamp=EARLY)
    transcript.user("thanks", timestamp="2200-01-01T09:00:00.000Z")
    name = remember(in_session(mine), "the port is 6380")
    before = why(mine, name)["changes"][0]["session"]
    time.sleep(0.02)
    transcript.agent("Noted.")
    assert mine.ctxrepo("search", "port", "--in", "sessions").returncode == 0
    after = why(mine, name)["changes"][0]["session"]
    assert (
        (after["prompt"], after["asked"]) == (before["prompt"], before["asked"]) == ("keep the port", EARLY)
    )
    assert after["resume"] == f"cd {mine.project_folder} && claude --resume {SESSION}"
    transcript.path.unlink()
    assert "any more" in why(mine, name)["changes"][0]["session"]["unknown"]


def test_a_session_that_went_on_since_the_index_read_it_is_read_anew(mine: Machine) -> None:
    transcript = ClaudeTranscript(mine, SESSION)
    transcript.user("an old prompt", timestamp=EARLY)
    assert mine.ctxrepo("search", "old", "--in", "sessions").returncode == 0
    time.sleep(0.02)
    transcript.user("the prompt that it comes from", timestamp="2001-01-02T09:00:00.000Z")
    name = remember(in_session(mine), "the port is 6380")
    assert why(mine, name)["changes"][0]["session"]["prompt"] == "the prompt that it comes from"


def test_what_a_session_wrote_and_a_person_edited_before_the_commit_comes_from_the_session(
    mine: Machine,
) -> None:
    name = remember(in_session(mine), "the port of the tests is 1")
    for old, new in ("12", "23", "34"):
        name = mine.json("edit", name, "--old", f"is {old}", "--new", f"is {new}")["data"]["id"]
    origin = why(mine, name)
    assert origin["changes"][0]["writers"]["sessions"] == [SESSION]
    assert [record["kind"] for record in origin["records"]] == ["stated", "moved", "moved", "moved"]


def test_a_note_is_asked_for_by_the_name_that_it_had(mine: Machine) -> None:
    remember(mine, "the port is 6380", "-c", "gotcha")
    mine.sync()
    mine.ctxrepo("move", "topics/gotcha", "shop:topics/ports")
    origin = why(mine, "topics/gotcha")
    assert (origin["path"], origin["gone"]) == ("shop/topics/ports.md", False)
    assert origin["changes"][-1]["lines"][0] == "* new"


@pytest.mark.slow
def test_the_anchor_before_it_is_named_and_one_after_it_is_not(mine: Machine) -> None:
    agent = in_session(mine)
    assert agent.ctxrepo("handoff", "ports/begin", "--goal", "ports").returncode == 0
    time.sleep(1.1)  # anchors are compared by the second
    name = remember(agent, "the port is 6380")
    time.sleep(1.1)
    assert agent.ctxrepo("handoff", "ports/end", "--goal", "ports").returncode == 0
    session = why(mine, name)["changes"][0]["session"]
    assert session["anchor"]["name"] == "ports/begin"
    assert "after the anchor ports/begin ^" in mine.ctxrepo("why", name).stdout


def test_a_person_beside_a_session_in_one_commit_is_told_apart_by_the_records(mine: Machine) -> None:
    theirs = remember(in_session(mine), "from the session")
    own = remember(mine, "from a person")
    shared = why(mine, theirs)["changes"][0]
    alone = why(mine, own)["changes"][0]
    assert shared["writers"]["sessions"] == [SESSION]
    assert (alone["writers"]["sessions"], alone["writers"]["agents"], alone["session"]) == ([], [], None)


def test_what_another_machine_wrote_says_where_its_transcript_is(two: tuple[Machine, Machine]) -> None:
    ada, ben = two
    name = remember(in_session(ben), "the port is 6380")
    for machine in (ben, ada):
        machine.sync()
    session = why(ada, name)["changes"][0]["session"]
    assert (session["id"], session["prompt"], session["resume"]) == (SESSION, None, None)
    assert session["unknown"] == (
        f"the session ran on {ben.open().host}, and its transcript is not on this machine"
    )
    assert why(ada, name)["usage_here"] is None


def test_an_entry_is_followed_through_an_edit_a_move_and_the_archive(mine: Machine) -> None:
    first = remember(in_session(mine), "the port is 6380", "-c", "gotcha")
    mine.sync()
    second = mine.json("edit", first, "--old", "6380", "--new", "6390")["data"]["id"]
    third = mine.json("move", second, "global:ports.md")["data"]["id"]
    mine.ctxrepo("archive", "global:ports")
    origin = why(mine, first)
    assert (origin["path"], origin["state"]) == (
        "global/archive/ports.md",
        ["archived: no session is given it"],
    )
    lines = [line for change in origin["changes"] for line in change["lines"]]
    assert "+ [gotcha] the port is 6380" in lines  # the last one is where it began
    assert origin["changes"][-1]["writers"]["sessions"] == [SESSION]
    assert {record["kind"] for record in origin["records"]} >= {"stated", "moved", "renamed"}
    assert [why(mine, name)["id"] for name in (second, third)] == [origin["id"]] * 2
    assert why(mine, "global:ports")["path"] == "global/archive/ports.md"


def test_what_is_gone_says_how_it_went_and_what_it_said(mine: Machine) -> None:
    forgotten = remember(in_session(mine), "the port is 6380")
    by_hand = remember(mine, "the queue is redis")
    mine.sync()
    mine.ctxrepo("forget", forgotten)
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace("- the queue is redis\n", ""))
    origin = why(mine, forgotten)
    assert (origin["gone"], origin["text"], origin["state"]) == (
        True,
        "- the port is 6380",
        ["gone: forgotten"],
    )
    assert origin["changes"][0]["lines"] == ["- the port is 6380"]
    assert origin["changes"][-1]["writers"]["sessions"] == [SESSION]
    assert why(mine, by_hand)["state"] == ["gone: removed without a command of ours"]
    assert "as it was last" in mine.ctxrepo("why", forgotten).stdout


def test_a_value_that_was_replaced_and_the_one_that_replaced_it_name_each_other(mine: Machine) -> None:
    old = remember(mine, "ship on tuesdays", "--key", "ship")
    new = remember(mine, "ship on fridays", "--key", "ship")
    assert why(mine, old)["state"] == [f"gone: superseded by {new}", "not committed"]
    mine.sync()
    replaced = [r for r in why(mine, new)["records"] if r["kind"] == "superseded"]
    assert [(record["entry"], record["to"]) for record in replaced] == [(old[1:], new[1:])]
    assert [r["key"] for r in why(mine, new)["records"] if r["kind"] == "stated"] == ["ship"]


def test_pinned_and_superseded_beside_another_are_states(mine: Machine) -> None:
    old, new = remember(mine, "the port is 1"), remember(mine, "ports start at 7000")
    pinned = remember(mine, "never push on fridays", "--pin")
    mine.ctxrepo("remember", "ports start at 7000", "--supersedes", old)
    assert why(mine, pinned)["state"] == ["pinned"]
    assert why(mine, old)["state"] == [f"superseded by {new}: no session is given it"]


def test_what_was_imported_says_from_where_and_of_which_day(mine: Machine) -> None:
    facts = {"content": "an imported fact about ports", "created_at": "2026-03-04T10:00:00Z"}
    (mine.home / "facts.jsonl").write_text(json.dumps(facts) + "\n")
    assert mine.json("import", "jsonl", "--from", str(mine.home / "facts.jsonl"), "--yes")["ok"]
    (hit,) = mine.json("search", "imported")["data"]["hits"]
    (record,) = why(mine, hit["id"])["records"]
    assert (record["source"], record["day"]) == ("jsonl", "2026-03-04")
    assert "stated brought from jsonl of 2026-03-04" in mine.ctxrepo("why", hit["id"]).stdout


def test_deliveries_are_counted_on_this_machine(mine: Machine) -> None:
    name = remember(mine, "The staging port is 5433", "-c", "gotcha")
    mine.worker().run()
    assert why(mine, name)["usage_here"] is None
    assert "this machine knows of no session" in mine.ctxrepo("why", name).stdout
    place = why(mine, name)["at"]
    traces = [
        {"at": time.time() - n, "agent": "claude", "session": f"s-{n % 2}", "given": [[name[1:], place, 1.0]]}
        for n in range(3)
    ]
    mine.open().state.traces.write_text("".join(json.dumps(trace) + "\n" for trace in traces[::-1]))
    mine.worker().run()
    mine.json("stats", "usage")
    usage = why(mine, name)["usage_here"]
    assert usage
    assert (usage["delivered"], usage["sessions"], usage["used"]) == (3, 2, 0)
    assert why(mine, "topics/gotcha")["usage_here"]["delivered"] == 3


def test_what_waits_about_it_is_in_its_state(two: tuple[Machine, Machine]) -> None:
    ada, ben = two
    ada.write("shop/a.md", "- the port is 1 on all machines\n- stays\n")
    for machine in two:
        machine.sync()
    ada.write("shop/a.md", "- the port is 5 on all machines\n- stays\n")
    ben.write("shop/a.md", "- the port is 9 on all machines\n- stays\n")
    for machine in (ada, ben, ada):
        machine.sync()
    assert [item["kind"] for item in why(ada, "a#L1")["items"]] == ["conflict"]
    assert why(ada, "a#L2")["items"] == []
    output = ada.ctxrepo("why", "shop:a").stdout
    assert "in conflict: two machines changed it" in output
    ada.write("shop/held.md", f"- token {TOKEN}\n")
    origin = why(ada, "shop:held")
    assert (origin["state"], origin["changes"], origin["text"]) == (
        ["not committed"],
        [],
        "- token [github-token]\n",
    )
    assert [item["kind"] for item in origin["items"]] == ["held"]


def test_what_is_not_sent_yet_says_so(copies: Copies) -> None:
    ada = copies.of(make_sending)
    name = remember(ada, "the port is 6380")
    assert why(ada, name)["state"] == ["not sent to the remote yet"]
    ada.sync()
    assert why(ada, name)["state"] == []


def test_after_an_amend_the_trailers_still_tell(mine: Machine) -> None:
    name = remember(in_session(mine), "the port is 6380")
    before = why(mine, name)["changes"][0]["commit"]
    mine.git("commit", "-q", "--amend", "--no-edit", "--date", "2026-11-20T12:00:00Z")
    (change,) = why(mine, name)["changes"]
    assert change["commit"] != before
    assert change["writers"]["sessions"] == [SESSION]


def test_in_a_shallow_clone_the_first_commit_is_no_beginning(
    two: tuple[Machine, Machine], tmp_path: Path
) -> None:
    ada, ben = two
    name = remember(in_session(ada), "the port is 6380")
    remember(ada, "another fact")
    ada.sync()
    remember(ada, "a third fact")
    ada.sync()
    remote = ada.git("remote", "get-url", "origin")
    subprocess.run(["rm", "-rf", str(ben.clone)], check=True)
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", f"file://{remote}", str(ben.clone)], check=True, env=ben.env
    )
    assert why(ben, name)["older_missing"]
    assert "what was before isn't known" in ben.ctxrepo("why", name).stdout


def test_what_was_never_there_is_not_found(mine: Machine) -> None:
    assert mine.ctxrepo("why", "^" + "0" * 12).returncode == 3
    assert mine.ctxrepo("why", "never").returncode == 3
    assert mine.ctxrepo("why").returncode == 2


def test_a_note_of_many_changes_tells_the_newest_and_the_first(mine: Machine) -> None:
    for number in range(6):
        remember(mine, f"fact number {number} about things", "-c", "gotcha")
        mine.ctxrepo("history", "--limit", "1")
    origin = why(mine, "topics/gotcha")
    assert (origin["count"], len(origin["changes"])) == (6, 4)
    assert origin["changes"][-1]["lines"][0] == "* new"
    assert "… 2 more changes before that" in mine.ctxrepo("why", "topics/gotcha").stdout


def by_tool(machine: Machine, path: str, old: str, new: str) -> None:
    """A tool of the session changes a note, and its hook notes that."""
    memory, text = machine.open(), machine.read(path).replace(old, new)
    machine.write(path, text)
    origin, tree = Origin("", SESSION, "claude"), memory.objects.ref(WT) or ""
    memory.journal.add([Save(path, None, text.encode(), TOOL, origin, id=random_name(), tree=tree)])


def test_what_an_agents_tool_edited_or_removed_is_its_sessions(mine: Machine) -> None:
    """Though the entries are a person's, and named in what was recorded a moment before."""
    name, other = (remember(mine, f"the {what}", "--note", "topics/a") for what in ("port is 5", "wall"))
    assert mine.ctxrepo("sync").returncode == 0
    by_tool(mine, "shop/topics/a.md", "port is 5", "port is 6")
    changed, written = why(mine, name)["changes"]
    assert (changed["writers"]["sessions"], written["writers"]["sessions"]) == ([SESSION], [])
    by_tool(mine, "shop/topics/a.md", "- the wall\n", "")
    removed, written = why(mine, other)["changes"]
    assert (removed["writers"]["sessions"], written["writers"]["sessions"]) == ([SESSION], [])
    (note,) = mine.json("diff", "--session", SESSION)["data"]["notes"]
    pairs = [(change["before"], change["after"]) for change in note["entries"]]
    assert sorted(pairs) == [("the port is 5", "the port is 6"), ("the wall", None)]


def test_what_was_proposed_and_accepted_comes_from_the_session_that_proposed_it(mine: Machine) -> None:
    ClaudeTranscript(mine, SESSION).user("keep the port", timestamp=EARLY)
    host, session = mine.open().host, in_session(mine)
    proposed = session.json("remember", "the port is 6380", "--stage", "--note", "topics/a")["data"]["id"]
    assert mine.ctxrepo("inbox", "accept", proposed).returncode == 0
    name = mine.json("search", "6380")["data"]["hits"][0]["id"]
    (written,) = why(mine, name)["changes"]
    assert written["writers"]["sessions"] == []
    assert written["session"]["prompt"] == "keep the port"
    by = written["proposed"]
    assert (by["id"], by["agent"], by["session"], by["host"]) == (proposed, "claude", SESSION, host)
    output = mine.ctxrepo("why", name).stdout
    assert f"by claude on {host}, session 5e55104a" in output
    assert "accepted; proposed 20" in output
    assert mine.ctxrepo("config", "set", "inbox.policy", "stage").returncode == 0
    (proposed,) = session.json("forget", name)["data"]["ids"]
    assert [item["id"] for item in why(mine, name)["items"]] == [f"proposal:{proposed}"]
    assert mine.ctxrepo("inbox", "accept", proposed).returncode == 0
    removed, written = why(mine, name)["changes"]
    assert (removed["proposed"]["id"], bool(written["proposed"])) == (proposed, True)


def test_what_was_undone_is_gone_by_that(mine: Machine) -> None:
    name = remember(mine, "the port is 6380")
    assert mine.ctxrepo("undo").returncode == 0
    assert why(mine, name)["state"][0] == "gone: undone"
