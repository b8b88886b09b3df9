"""What a session was given is remembered by entry and hash, apart from every other session."""

from __future__ import annotations

import resource
import signal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks.session.ledger import add, clear, read_ledger
from ctxrepo.hooks.session.ledger_file import MAX_BYTES, faults_told, ledger_path, mark_of
from ctxrepo.hooks.session.ledger_words import FAULT, SessionRecord

REPO = "a" * 12


def told(record: SessionRecord) -> dict[str, object]:
    """What a ledger tells, without what it is silent about."""
    return {name: value for name, value in vars(record).items() if value}


def test_what_is_added_is_read(tmp_path: Path) -> None:
    path = ledger_path(str(tmp_path), "claude", "s-1")
    add(path, ["entry abc h1", "generation 3", "fault f1", "project ?"])
    add(path, ["entry abc h2", "entry def h3", "generation 4", "project shop"])
    assert told(read_ledger(path, REPO)) == {
        "entries": {"abc": "h2", "def": "h3"},
        "generation": 4,
        "faults": {"f1"},
        "project": "shop",
    }


def test_clearing_forgets(tmp_path: Path) -> None:
    path = ledger_path(str(tmp_path), "claude", "s-1")
    add(path, ["entry abc h1"])
    clear(path)
    clear(path)
    assert told(read_ledger(path, REPO)) == {}


def test_a_session_without_an_id_has_none(tmp_path: Path) -> None:
    assert ledger_path(str(tmp_path), "claude", "") == ""
    add("", ["entry abc h1"])
    clear("")
    assert told(read_ledger("", REPO)) == {}


def test_torn_and_foreign_lines_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(
        b"entry\nentry x\ngeneration many\ngeneration 9999999999999999999\n\xff\xfe\nfault \nentry a b\nent"
    )
    assert told(read_ledger(str(path), REPO)) == {"entries": {"a": "b"}}


@given(st.text())
def test_every_session_id_makes_a_file_of_its_own_in_its_folder(session: str) -> None:
    path = Path(ledger_path("/state", "claude", session or "x"))
    assert path.parent == Path("/state/sessions")
    assert len(path.name) < 100
    assert path.name.startswith("claude-")


def test_it_stays_bounded_and_keeps_the_newest(tmp_path: Path) -> None:
    path = ledger_path(str(tmp_path), "claude", "s")
    for n in range(40):
        add(path, [f"entry e{n}x{i} {'h' * 16}" for i in range(400)])
    assert Path(path).stat().st_size <= MAX_BYTES
    assert "e39x399" in read_ledger(path, REPO).entries
    assert "e0x0" not in read_ledger(path, REPO).entries


def test_where_it_cannot_be_written_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file in the way")
    add(ledger_path(str(tmp_path), "claude", "s"), ["entry a b"])


def test_on_a_full_disk_it_forgets_nothing(tmp_path: Path) -> None:
    path = ledger_path(str(tmp_path), "claude", "s-1")
    add(path, ["entry abc h1"])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    was = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
    try:
        add(path, ["entry def h2", "generation 7"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, was)
    assert told(read_ledger(path, REPO)) == {"entries": {"abc": "h1"}}
    add(path, ["generation 7"])
    assert told(read_ledger(path, REPO)) == {"entries": {"abc": "h1"}, "generation": 7}


def test_the_faults_that_were_told_are_known_without_the_words_of_a_ledger(tmp_path: Path) -> None:
    path = ledger_path(str(tmp_path), "claude", "s-1")
    add(path, [mark_of("r1") + FAULT.line("f1"), mark_of("r2") + FAULT.line("f2"), "fault-like f3"])
    assert faults_told(path, "r1") == {"f1"} == read_ledger(path, "r1").faults
    assert faults_told(ledger_path(str(tmp_path), "claude", ""), "r1") == set()
