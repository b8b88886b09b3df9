"""What is noted of a session is so at once, and is in its ledger after it was saved."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.hooks.session.session import GONE, Session, given_before_writes, read_ledger


def test_what_is_noted_is_so_at_once_and_saved_in_its_order(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s-1")
    session.gave({"abc": "h1"})
    assert session.record.entries == {"abc": "h1"}
    session.saw(7)
    session.asked("staging port")
    assert (session.record.generation, session.record.asked) == (7, ["staging port"])
    assert read_ledger(session.path).entries == {}
    session.save()
    session.save()
    assert Path(session.path).read_text() == "entry abc h1\ngeneration 7\nasked staging port\n"


def test_what_it_wrote_itself_was_not_given_to_it(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s-1")
    session.added("own", "h1")
    session.added("both", "h1")
    session.gave({"both": "h2", "given": "h1"})
    session.added("given", "h2")
    assert session.record.entries.keys() - session.record.own == {"both", "given"}


def test_the_last_of_what_it_made_of_a_note_counts(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s-1")
    session.wrote("shop/a b.md", b"one")
    session.knows("shop/a b.md", "h2")
    session.wrote("shop/gone.md", None)
    assert session.record.wrote == {"shop/a b.md": "h2", "shop/gone.md": GONE}


def test_a_write_comes_with_what_was_given_before_it(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s-1")
    session.gave({"abc": "h1"})
    session.wrote("shop/a.md", None)
    session.gave({"def": "h2"})
    session.wrote("shop/b.md", None)
    session.save()
    assert given_before_writes(session.path) == [
        ("shop/a.md", {"abc": "h1"}),
        ("shop/b.md", {"abc": "h1", "def": "h2"}),
    ]


def test_only_what_is_so_of_the_session_itself_survives_forgetting(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s-1")
    session.began("/code")
    session.gave({"abc": "h1"})
    session.save()
    session.forgot()
    assert (session.record.entries, session.record.cwd, session.record.began > 0) == ({}, "/code", True)
