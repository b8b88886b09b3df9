"""Anchors that stay on this machine: written, kept, put aside."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.saves import put
from ctxrepo.lazy import make_all
from ctxrepo.storage.sessions import local_tape
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.user.places import RepositoryPlaces


@pytest.fixture
def tape(tmp_path: Path) -> LocalTape:
    return LocalTape(RepositoryPlaces(tmp_path))


def made(name: str, project: str = "shop") -> Anchor:
    return Anchor(name, "2026-11-20T12:00:00.000Z", name, "handoff", "s", name, project=project, agent="pi")


def names(tape: LocalTape, project: str = "shop") -> list[str]:
    return sorted(anchor.name for anchor in tape.anchors(project))


def test_each_scope_has_its_own(tape: LocalTape) -> None:
    tape.note(made("a"))
    tape.note(made("b", "other"))
    tape.keep(made("c"))
    assert names(tape) == ["a", "c"]
    assert names(tape, "other") == ["b"]
    assert [anchor.name for anchor in tape.handoffs("shop")] == ["c"]
    assert tape.projects() == {"shop"}


def test_a_torn_line_spoils_only_itself(tape: LocalTape, tmp_path: Path) -> None:
    (tmp_path / "anchors.jsonl").write_text('{"id": "x", "na')
    tape.note(made("a"))
    assert names(tape) == ["a"]


def test_a_full_file_is_put_beside_and_still_read(
    tape: LocalTape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_tape, "SESSION_BYTES", 100)
    tape.note(made("a"))
    tape.note(made("b"))
    assert (tmp_path / "anchors.old").exists()
    assert names(tape) == ["a", "b"]


def test_what_is_put_aside_is_read_no_more_and_not_lost(tape: LocalTape, tmp_path: Path) -> None:
    for name in "abc":
        tape.note(made(name))
    tape.keep(made("d"))
    assert tape.archive({"a", "d", "nosuch"}) == 2
    assert names(tape) == ["b", "c"]
    aside = (tmp_path / "anchors.archived").read_text()
    assert ('"a"' in aside, '"d"' in aside, '"b"' in aside) == (True, True, False)
    assert tape.archive({"nosuch"}) == 0


def test_a_handoff_that_can_not_be_written_is_not_acknowledged(tape: LocalTape, tmp_path: Path) -> None:
    (tmp_path / "handoffs.jsonl").mkdir()
    with pytest.raises(CtxrepoError, match="can't be written"):
        tape.keep(made("a"))


def test_who_appends_while_others_are_taken_out_loses_nothing(tape: LocalTape) -> None:
    make_all()
    for n in range(20):
        tape.note(made(f"old-{n}"))

    def add() -> None:
        for n in range(40):
            tape.note(replace(made(f"new-{n}"), project="shop"))

    thread = threading.Thread(target=add)
    thread.start()
    for n in range(20):
        tape.take_out({f"old-{n}"})
    thread.join()
    assert names(tape) == sorted(f"new-{n}" for n in range(40))


def test_anchors_follow_folders_that_are_called_otherwise_also_where_two_change_places(
    tape: LocalTape, tmp_path: Path
) -> None:
    tape.note(made("a", "shop"))
    tape.note(made("b", "other"))
    tape.keep(made("c", "shop"))
    with (tmp_path / "anchors.jsonl").open("a") as file:
        file.write("torn {\n")
    tape.follow({"shop": "other", "other": "shop"})
    assert (names(tape), names(tape, "other")) == (["b"], ["a", "c"])
    assert "torn {" in (tmp_path / "anchors.jsonl").read_text()


def test_each_file_is_rewritten_beside_itself(
    tape: LocalTape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_tape, "SESSION_BYTES", 100)
    for name in "ab":
        tape.note(made(name))
    used: list[str] = []

    def noted(folder: str, name: str, data: bytes) -> None:
        used.append(name)
        put(folder, name, data)

    monkeypatch.setattr(local_tape, "put", noted)
    tape.take_out({"a", "b"})
    assert (names(tape), sorted(used)) == ([], ["anchors.jsonl", "anchors.old"])
