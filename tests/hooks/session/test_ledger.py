"""What a session was given is remembered by entry and hash, apart from every other session."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks.session.ledger import MAX_BYTES, OLD_FOLDER, add, clear, ledger_path, move_old_ledgers
from ctxrepo.hooks.session.record import SessionRecord, read_ledger

REPO = "a" * 12


def told(record: SessionRecord) -> dict[str, object]:
    """What a ledger tells, without what it is silent about."""
    values = {name: getattr(record, name) for name in SessionRecord.__slots__}
    return {name: value for name, value in values.items() if value}


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


class TestFormerPlace:
    """Ledgers as a version left them that knew one repository: below its state, and without its mark."""

    @pytest.fixture
    def former(self, tmp_path: Path) -> Path:
        folder = tmp_path / REPO / OLD_FOLDER
        folder.mkdir(parents=True, mode=0o700)
        (folder / "claude-s-1").write_text("began 5\nentry abc h1\ngeneration 3\n")
        (folder / "claude-s-2").write_text("entry def h2\n")
        return folder

    def move(self, former: Path) -> None:
        move_old_ledgers(str(former.parent.parent), str(former.parent))

    def test_they_are_moved_and_go_on_with_what_they_say(self, tmp_path: Path, former: Path) -> None:
        for _ in range(2):
            self.move(former)
            assert not former.exists()
        path = ledger_path(str(tmp_path), "claude", "s-1")
        add(path, [f"@{REPO} entry abc h9"])
        assert told(read_ledger(path, REPO)) == {"began": 5, "entries": {"abc": "h9"}, "generation": 3}
        assert sorted(os.listdir(tmp_path / "sessions")) == ["claude-s-1", "claude-s-2"]
        assert (tmp_path / "sessions").stat().st_mode & 0o777 == 0o700

    def test_what_an_earlier_version_wrote_afterwards_comes_behind(
        self, tmp_path: Path, former: Path
    ) -> None:
        path = ledger_path(str(tmp_path), "claude", "s-1")
        add(path, [f"@{REPO} entry first h0", f"@{REPO} generation 2"])
        self.move(former)
        found = read_ledger(path, REPO)
        assert (found.entries, found.generation) == ({"first": "h0", "abc": "h1"}, 3)
        assert not former.exists()

    def test_a_link_in_their_place_is_not_followed(self, tmp_path: Path, former: Path) -> None:
        former.rename(tmp_path / "elsewhere")
        former.symlink_to(tmp_path / "elsewhere")
        self.move(former)
        assert sorted(os.listdir(tmp_path / "elsewhere")) == ["claude-s-1", "claude-s-2"]

    def test_nothing_is_moved_through_a_link_in_the_place_of_the_folder(
        self, tmp_path: Path, former: Path
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "sessions").symlink_to(tmp_path / "elsewhere")
        self.move(former)
        assert os.listdir(tmp_path / "elsewhere") == []
        assert sorted(os.listdir(former)) == ["claude-s-1", "claude-s-2"]

    def test_whoever_comes_at_the_same_time_leaves_none(
        self, tmp_path: Path, former: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listed = os.listdir(former)
        self.move(former)
        former.mkdir()
        (former / "claude-s-3").write_text("entry ghi h3\n")
        monkeypatch.setattr(os, "listdir", lambda _: [*listed, "claude-s-3"])
        self.move(former)
        monkeypatch.undo()
        assert len(os.listdir(tmp_path / "sessions")) == 3
