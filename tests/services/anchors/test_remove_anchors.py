"""Anchors are taken off a tape: on every machine, off pi-memory-md's tape too, and undo brings them back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from machines import NOW, Machine
from terminal import Terminal

from ctxrepo.services.anchors.session_anchors import leave_event_anchor
from ctxrepo.storage.state.spool import SpoolEvent

PI = "TAPE/shop__anchors.jsonl"
ONE = {
    "id": "pi-0001-aaaa",
    "timestamp": "2026-11-19T10:00:00.000Z",
    "name": "pi/one",
    "type": "handoff",
    "meta": {"trigger": "keyword", "keywords": ["k"], "summary": "of pi"},
    "sessionId": "pi-s",
    "sessionEntryId": "leaf",
}
S = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "aaaa1111-0000"}


@pytest.fixture
def cli(ada: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    ada.init()
    return Terminal(ada, monkeypatch, capsys)


def left(cli: Terminal) -> list[str]:
    return [a["name"] for a in cli("tape", "list", "--context", "0", "--json").data["anchors"]]


def id_of(cli: Terminal, name: str) -> str:
    anchors = cli("tape", "list", "--context", "0", "--json").data["anchors"]
    return str(next(a["id"] for a in anchors if a["name"] == name))


def tape_of(cli: Terminal) -> Path:
    (path,) = (p for p in (cli.machine.clone / "TAPE/shop").iterdir() if p.is_file())
    return path


class TestDelete:
    """D62."""

    def test_d62_it_returns_what_it_deleted_and_leaves_a_tombstone_in_place(self, cli: Terminal) -> None:
        cli("anchor", "stays")
        cli("anchor", "goes", "--summary", "wrong")
        name = id_of(cli, "goes")
        (gone,) = cli("tape", "delete", name, "--json").data["deleted"]
        assert (gone["id"], gone["name"], gone["summary"]) == (name, "goes", "wrong")
        assert left(cli) == ["stays"]
        *_, grave = map(json.loads, tape_of(cli).read_text().splitlines())
        assert (grave["id"], list(grave), grave["name"]) == (name, ["id", "deleted", "name"], "goes")
        assert cli("check").code == 0

    def test_d62_ids_as_they_are_printed_and_several_at_once(self, cli: Terminal) -> None:
        for name in ("a", "b", "c"):
            cli("anchor", name)
        printed = [word for word in cli("tape", "list").out.split() if word.startswith("^")]
        assert cli("tape", "delete", *printed[:2]).code == 0
        assert left(cli) == ["c"]

    @pytest.mark.parametrize("wrong", ["nosuch", "goo", "^", "00000000"])
    def test_d62_one_unknown_id_and_nothing_is_deleted(self, cli: Terminal, wrong: str) -> None:
        cli("anchor", "good")
        answer = cli("tape", "delete", id_of(cli, "good"), wrong)
        assert (answer.code, answer.is_one_line(), repr(wrong) in answer.err) == (3, True, True)
        assert left(cli) == ["good"]

    def test_undo_brings_it_back(self, cli: Terminal) -> None:
        cli("anchor", "goes", "--summary", "right after all")
        before = tape_of(cli).read_text()
        cli("tape", "delete", id_of(cli, "goes"))
        assert cli("undo").code == 0
        assert left(cli) == ["goes"]
        assert tape_of(cli).read_text() == before
        assert "right after all" in cli("context").out
        assert "undo tape delete" in cli.machine.git("log", "-1", "--format=%s")

    @pytest.mark.slow
    def test_undo_brings_it_back_after_others_wrote_to_the_same_tape(
        self, pair: tuple[Machine, Machine]
    ) -> None:
        ada, ben = pair
        name = ada.json("anchor", "goes", "--summary", "s")["data"]["id"]
        ada.sync()
        ben.sync()
        ada.ctxrepo("tape", "delete", name)
        ada.sync()
        ben.sync()
        ben.ctxrepo("anchor", "of/ben")
        ben.sync()
        ada.sync()
        assert ada.ctxrepo("undo").returncode == 0
        ada.sync()
        ben.sync()
        for machine in pair:
            anchors = machine.json("tape", "list", "--context", "0")["data"]["anchors"]
            assert sorted(anchor["name"] for anchor in anchors) == ["goes", "of/ben"]

    def test_what_happened_to_a_session_is_deleted_here(self, cli: Terminal) -> None:
        machine = cli.machine
        event = SpoolEvent("start", "claude", "aaaa1111-0000", str(machine.project_folder))
        leave_event_anchor(machine.open(), event, machine.env, NOW)
        name = id_of(cli, "session/new")
        answer = cli("tape", "delete", name)
        assert (answer.code, answer.err) == (0, "")
        assert left(cli) == []
        assert cli("undo").code == 0
        assert left(cli) == ["session/new"]

    def test_the_newest_that_is_left_is_told_again(self, cli: Terminal) -> None:
        cli("anchor", "first", "--summary", "the right way")
        cli("anchor", "second", "--summary", "the wrong way")
        cli("tape", "delete", id_of(cli, "second"))
        output = cli("context").out
        assert ("the right way" in output, "the wrong way" in output) == (True, False)


class TestPi:
    """W18: what pi-memory-md wrote is taken off its own tape, and every other byte stays."""

    def test_d62_off_its_tape_and_back_again(self, cli: Terminal) -> None:
        torn = '{"torn'
        cli.machine.write(PI, f"{torn}\n{json.dumps(ONE, separators=(',', ':'))}\n")
        cli("anchor", "ours")
        before = cli.machine.read(PI)
        assert left(cli) == ["pi/one", "ours"]
        assert cli("tape", "delete", "pi-0001-aaaa", id_of(cli, "ours")).code == 0
        assert cli.machine.read(PI) == f"{torn}\n"
        assert left(cli) == []
        assert cli("undo").code == 0
        assert sorted(cli.machine.read(PI).splitlines()) == sorted(before.splitlines())
        assert left(cli) == ["pi/one", "ours"]
        assert cli("anchor", "again").code == 0
        assert cli.machine.read(PI).count("\n") == 4

    def test_w18_its_tape_is_emptied_into_the_archive(self, cli: Terminal) -> None:
        cli.machine.write(PI, json.dumps(ONE, separators=(",", ":")) + "\n")
        cli("anchor", "ours", "--summary", "of ours")
        done = cli("tape", "reset", "--json").data
        assert done["archived"] == 2
        (path,) = done["paths"]
        archived = {line["id"]: line for line in map(json.loads, cli.machine.read(path).splitlines())}
        assert {key: archived["pi-0001-aaaa"][key] for key in ONE} == ONE
        assert len(archived) == 2
        assert cli.machine.read(PI) == ""
        assert cli("check").code == 0
        assert cli("undo").code == 0
        assert left(cli)[:2] == ["pi/one", "ours"]
        assert cli.machine.read(PI).count("\n") == 2


class TestReset:
    """D63, W18."""

    def test_d63_all_go_to_the_archive_in_one_commit_and_an_anchor_says_so(self, cli: Terminal) -> None:
        cli("anchor", "a", **S)
        cli("anchor", "b")
        cli.machine.sync()
        before = cli.machine.git("rev-list", "--count", "HEAD")
        done = cli("tape", "reset", "--json").data
        assert list(done) == ["archived", "paths", "anchor"]
        assert (done["archived"], done["anchor"]["name"]) == (2, "session/reset")
        (path,) = done["paths"]
        host = cli.machine.open().host
        assert path.startswith(f"TAPE/shop/archive/{host}-")
        names = [json.loads(line)["name"] for line in cli.machine.read(path).splitlines()]
        assert sorted(names) == ["a", "b"]
        assert left(cli) == ["session/reset"]
        cli.machine.sync()
        assert int(cli.machine.git("rev-list", "--count", "HEAD")) == int(before) + 1
        assert cli.machine.git("log", "-1", "--format=%s") == "memory(shop): reset tape"
        assert cli("check").code == 0
        assert cli("context").out.count("## Handoff") == 0

    def test_d63_of_one_session(self, cli: Terminal) -> None:
        cli("anchor", "a", **S)
        cli("anchor", "b")
        done = cli("tape", "reset", "--session", "aaaa", "--json").data
        assert (done["archived"], left(cli)) == (1, ["b", "session/reset"])
        cli("anchor", "c", **S)
        assert cli("tape", "reset", "--session", "this", "--json", **S).data["archived"] == 1

    @pytest.mark.parametrize("unknown", ["this", "", " "])
    def test_where_no_session_is_known_nothing_is_archived(self, cli: Terminal, unknown: str) -> None:
        cli("anchor", "a", **S)
        cli("anchor", "b")
        answer = cli("tape", "reset", "--session", unknown)
        assert (answer.code, answer.is_one_line(), "--session" in answer.err) == (2, True, True)
        assert left(cli) == ["a", "b"]

    def test_what_stood_here_only_is_archived_here_and_that_is_said(self, cli: Terminal) -> None:
        cli("anchor", "shared")
        cli("config", "set", "tape.sync", "none")
        cli("anchor", "local")
        answer = cli("tape", "reset")
        aside = str(cli.machine.open().state.root / "anchors.archived")
        assert (answer.out.count("TAPE/shop/archive/"), f"{aside} (1)" in answer.out) == (1, True)
        assert (aside in answer.err, "doesn't bring that back" in answer.err) == (True, True)
        assert '"local"' in Path(aside).read_text()
        assert cli("undo").code == 0
        assert left(cli) == ["shared", "session/reset"]

    @pytest.mark.parametrize("verb", ["delete", "reset"])
    def test_of_what_stood_here_only_the_newest_that_is_left_is_told(self, cli: Terminal, verb: str) -> None:
        cli("config", "set", "tape.sync", "none")
        cli("anchor", "first", "--summary", "the right way")
        cli("anchor", "second", "--summary", "the wrong way", **S)
        cli("tape", verb, *((id_of(cli, "second"),) if verb == "delete" else ("--session", "aaaa")))
        output = cli("context").out
        assert ("the right way" in output, "the wrong way" in output) == (True, False)
        cli("tape", "delete", id_of(cli, "first"))
        assert "Handoff" not in cli("context").out

    def test_reset_again_after_undo_is_nothing_to_mend(self, cli: Terminal) -> None:
        cli("anchor", "a")
        for words in (("tape", "reset"), ("undo",), ("tape", "reset")):
            assert cli(*words).code == 0
        answer = cli("check")
        assert (answer.code, answer.err) == (0, ""), answer.out

    def test_undo_brings_all_back(self, cli: Terminal) -> None:
        for name in ("a", "b"):
            cli("anchor", name)
        cli("tape", "reset")
        assert cli("undo").code == 0
        assert left(cli) == ["a", "b", "session/reset"]
        assert cli("check").code == 0

    def test_an_empty_tape(self, cli: Terminal) -> None:
        done = cli("tape", "reset", "--json").data
        assert (done["archived"], done["paths"]) == (0, [])

    def test_where_no_sessions_are_kept_no_anchor_says_so(self, cli: Terminal) -> None:
        cli("anchor", "a")
        cli("config", "set", "tape.enabled", "false")
        assert cli("tape", "reset", "--json").data["anchor"] is None
        assert left(cli) == []

    def test_more_than_one_file_holds_is_archived_in_several(self, cli: Terminal) -> None:
        made = cli("anchor", "a", "--json").data
        line = json.loads(cli.machine.read(made["path"]))
        lines = [json.dumps(line | {"id": f"id-{n:06}", "meta": {"summary": "x" * 2000}}) for n in range(400)]
        cli.machine.write(made["path"], "".join(f"{line}\n" for line in lines))
        done = cli("tape", "reset", "--json").data
        assert (done["archived"], len(done["paths"])) == (400, 2)
        assert sum(cli.machine.read(path).count("\n") for path in done["paths"]) == 400
        assert cli("check").code == 0

    @pytest.mark.slow
    def test_w18_what_another_machine_left_meanwhile_stays(self, pair: tuple[Machine, Machine]) -> None:
        ada, ben = pair
        ada.ctxrepo("anchor", "old")
        ada.sync()
        ben.sync()
        ben.ctxrepo("anchor", "new", "--summary", "of ben")
        assert ada.ctxrepo("tape", "reset").returncode == 0
        ada.sync()
        ben.sync()
        ada.sync()
        for machine in pair:
            anchors = machine.json("tape", "list", "--type", "handoff", "--context", "0")["data"]["anchors"]
            assert [anchor["name"] for anchor in anchors] == ["new"]
        assert ada.tree() == ben.tree()


@pytest.mark.slow
def test_anchors_that_stay_on_this_machine_are_undone_like_others(cli: Terminal) -> None:
    cli("config", "set", "tape.sync", "none")
    cli("remember", "a fact from before")
    cli("anchor", "local/x", "--summary", "one")
    cli("anchor", "local/y")

    def names() -> list[str]:
        return [anchor["name"] for anchor in cli("tape", "list", "--json").data["anchors"]]

    assert cli("undo").out.startswith("undone: anchor local/y\n  - local/y\n")
    assert names() == ["local/x"]
    cli("undo")
    assert "a fact from before" in cli("undo").out
    assert names() == []
    for left in ([], ["local/x"], ["local/x", "local/y"]):
        assert cli("undo", "--redo").code == 0
        assert names() == left
    cli("tape", "delete", "local/x")
    assert names() == ["local/y"]
    assert cli("handoff", "--show").out.startswith("local/y")
    assert "  + local/x\n" in cli("undo").out
    assert sorted(names()) == ["local/x", "local/y"]
    assert cli("tape", "list", "--json").data["anchors"][0]["summary"] == "one"


def test_a_name_that_two_anchors_have_names_neither(cli: Terminal) -> None:
    for summary in ("one", "two"):
        cli("anchor", "twice", "--summary", summary)
    refused = cli("tape", "delete", "twice")
    assert (refused.code, "2 anchors are called 'twice': ^" in refused.err) == (3, True)
    assert len(cli("tape", "list", "--json").data["anchors"]) == 2
