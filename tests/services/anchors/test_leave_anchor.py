"""Anchors are left on the tape, in a shape that others read too, and the newest one is told."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from machines import NOW, Machine

from ctxrepo.agents.known import session_in
from ctxrepo.domain.project.layout import tape_folder
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.errors import Refused, UsageError
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, AnchorResult, anchor
from ctxrepo.services.reading.tape_files import handoff_text, newest_handoff
from ctxrepo.services.saving.commit import commit


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def leave(machine: Machine, name: str, minutes: int = 0, **more: Any) -> AnchorResult:
    origin = Origin("ignored", "session-1", "claude")
    when = NOW + timedelta(minutes=minutes)
    return anchor(machine.open(), AnchorRequest(name, **more), machine.project(), origin, when)


def newest(machine: Machine) -> Anchor | None:
    memory = machine.open()
    head = commit(memory, NOW).head
    return newest_handoff(memory, memory.objects.tree_of(head), "shop")


def test_a_line_has_the_keys_that_pi_memory_md_reads_in_their_order(mine: Machine) -> None:
    made = leave(mine, " task/begin ", summary="s", keywords=["k"])
    line = json.loads(mine.read(made.path))
    assert list(line)[:7] == ["id", "timestamp", "name", "type", "meta", "sessionId", "sessionEntryId"]
    assert (line["name"], line["sessionId"], line["timestamp"]) == (
        "task/begin",
        "session-1",
        "2026-11-20T12:00:00.000Z",
    )
    assert made.path == f"TAPE/shop/{mine.open().host}-202611.jsonl"
    assert '"shop"' in mine.read("ctxrepo.toml")


def test_a_legacy_tape_is_added_to_while_it_is_there(mine: Machine) -> None:
    mine.write("TAPE/shop__anchors.jsonl", '{"torn')
    made = leave(mine, "x")
    first, second = mine.read("TAPE/shop__anchors.jsonl").splitlines()
    assert (first, json.loads(second)["id"]) == ('{"torn', made.anchor.id)
    assert tape_folder("TAPE/shop__anchors.jsonl") == "shop"


def test_what_was_left_on_purpose_comes_before_what_was_gathered_of_that_session(mine: Machine) -> None:
    leave(mine, "meant", 0, summary="go on with the client")
    leave(mine, "handoff/compaction", 5, summary="gathered", trigger="compaction")
    latest = newest(mine)
    assert latest
    assert latest.name == "meant"
    other = Origin("ignored", "session-2", "claude")
    later = NOW + timedelta(minutes=9)
    kept = AnchorRequest("handoff/compaction", "of another session", trigger="compaction")
    anchor(mine.open(), kept, mine.project(), other, later)
    latest = newest(mine)
    assert latest
    assert latest.summary == "of another session"


def test_the_newest_that_says_something_is_told(mine: Machine) -> None:
    leave(mine, "older", 0, summary="older")
    leave(mine, "newer", 5, summary="newer", purpose="go on")
    leave(mine, "bare", 9, trigger="compaction")
    latest = newest(mine)
    assert latest is not None
    assert handoff_text(latest) == "newer\npurpose: go on"


def test_without_a_summary_the_name_is_what_there_is(mine: Machine) -> None:
    leave(mine, "only/name")
    latest = newest(mine)
    assert latest is not None
    assert handoff_text(latest) == "only/name"


def test_no_tape_no_handoff(mine: Machine) -> None:
    assert newest(mine) is None
    mine.write("TAPE/shop/x.jsonl", 'garbage\n{"type": "handoff"}\n{"name": 3, "type": "handoff"}\n')
    assert newest(mine) is None


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\nb", "a\x1b[0m"])
def test_a_name_is_one_line(mine: Machine, name: str) -> None:
    with pytest.raises(UsageError):
        leave(mine, name)


@pytest.mark.parametrize(
    "more",
    [
        {"summary": "x" * 1001},
        {"purpose": "x" * 201},
        {"purpose": "a\nb"},
        {"keywords": ["good", "a\x1bb"]},
        {"keywords": ["x" * 201]},
        {"keywords": ["x"] * 51},
        {"entry": "a\nb"},
    ],
)
def test_what_it_says_is_bounded(mine: Machine, more: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="an anchor"):
        leave(mine, "x", **more)
    assert not (mine.clone / "TAPE").exists()


def test_as_much_as_it_may_say(mine: Machine) -> None:
    leave(mine, "x", summary=("word " * 200).strip() + "\n\n", purpose="x" * 200, keywords=["k" * 200] * 50)
    assert newest(mine)


def test_a_long_summary_of_another_machine_is_cut_where_it_is_told(mine: Machine) -> None:
    made = leave(mine, "x", summary="short").path
    mine.write(made, mine.read(made).replace("short", "long " * 20_000))
    latest = newest(mine)
    assert latest
    assert len(handoff_text(latest)) <= 1000


def test_a_secret_is_refused_before_it_is_on_disk(mine: Machine) -> None:
    with pytest.raises(Refused):
        leave(mine, "x", summary="ghp_" + "a1B2" * 9)
    assert not (mine.clone / "TAPE").exists()


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("TAPE/shop/host-202611.jsonl", "shop"),
        ("TAPE/global/h.jsonl", "global"),
        ("TAPE/shop/readme.md", ""),
        ("shop/TAPE/x.jsonl", ""),
        ("global/x.jsonl", ""),
    ],
)
def test_whose_tape_a_file_is(path: str, folder: str) -> None:
    assert tape_folder(path) == folder


def test_what_stayed_here_is_shared_once_anchors_are(mine: Machine) -> None:
    mine.ctxrepo("config", "set", "tape.sync", "none")
    assert leave(mine, "x", summary="s").path == ""
    assert leave(mine, "x", 1, summary="s").existing
    mine.ctxrepo("config", "set", "tape.sync", "handoffs")
    made = leave(mine, "x", 2, summary="s")
    assert (made.existing, made.path.startswith("TAPE/shop/")) == (False, True)
    assert leave(mine, "x", 3, summary="s").existing


def test_a_bad_line_on_pis_tape_keeps_no_anchor_from_being_left(mine: Machine) -> None:
    bad = json.dumps({"id": "x", "note": "ghp_" + "a1B2" * 9}) + "\n"
    mine.write("TAPE/shop__anchors.jsonl", bad)
    made = leave(mine, "ours")
    assert "TAPE/shop__anchors.jsonl" in made.notice
    assert (mine.read("TAPE/shop__anchors.jsonl"), '"ours"' in mine.read(made.path)) == (bad, True)
    run = mine.ctxrepo("anchor", "again")
    assert (run.returncode, "pi-memory-md doesn't know this anchor" in run.stderr) == (0, True)
    mine.write("TAPE/shop__anchors.jsonl", "")
    assert leave(mine, "later", 5).notice == ""
    assert mine.read("TAPE/shop__anchors.jsonl").count("\n") == 3


def test_a_session_whose_id_is_no_plain_text_is_none(mine: Machine) -> None:
    origin = Origin("ignored", "a\nb", "claude")
    made = anchor(mine.open(), AnchorRequest("x"), mine.project(), origin, NOW)
    assert made.anchor.session_id == "cli"
    assert session_in({"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "a\nb"}) == ("", "")
    assert session_in({"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "ab"}) == ("claude", "ab")
