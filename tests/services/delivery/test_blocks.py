"""The packet in files that a person named: it follows the memory, and nothing else in them ever changes."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from copies import Copies
from hypothesis import given, settings
from hypothesis import strategies as st
from long import mostly_long
from machines import NOW, Machine, make_ada

from ctxrepo.domain.tape.touched_files import FirstFile
from ctxrepo.domain.working.managed import BEGIN, END
from ctxrepo.errors import NotFound, Refused, UsageError
from ctxrepo.services.delivery.file_blocks import (
    AddResult,
    add,
    default_file,
    remove,
    renew,
    states_of_blocks,
)
from ctxrepo.services.delivery.start_packet import Start, context
from ctxrepo.services.health.doctor import doctor
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.refresh import faults
from ctxrepo.services.setup.connection import Machine as Place
from ctxrepo.storage.cache.cache import put_faults
from ctxrepo.storage.cache.computed import put_first_files
from ctxrepo.storage.cache.layout import Fault
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(with_a_fact)


def with_a_fact(place: Path) -> Machine:
    ada = make_ada(place)
    ada.remember("redis listens on port 6380", category="gotcha")
    commit(ada.open(), NOW)
    return ada


def put(machine: Machine, name: str = "AGENTS.md") -> AddResult:
    return add(machine.open(), machine.project_folder / name, machine.env)


def states(machine: Machine) -> list[str]:
    return [block.state for block in states_of_blocks(machine.open())]


def grow(machine: Machine, fact: str = "more") -> None:
    """Another note, committed: what a round of the worker begins with."""
    machine.write(f"shop/{fact}.md", f"---\ndescription: About {fact}\n---\n- {fact}\n")
    commit(machine.open(), NOW)


def renewed(machine: Machine, now: datetime = NOW, **how: bool) -> Sequence[str]:
    return [block.state for block in renew(machine.open(), now, **how)]


def test_it_is_the_packet_of_the_project_at_the_end_of_the_file(mine: Machine) -> None:
    file = mine.project_folder / "AGENTS.md"
    file.write_text("# Mine\n")
    put(mine)
    text = file.read_text()
    assert text.startswith(f"# Mine\n\n{BEGIN}\n<ctxrepo-memory tag=")
    assert "shop/topics/gotcha.md — Traps and the way around each" in text
    assert text.endswith(f"\n{END}\n")
    assert len(text.encode()) < 9500 + 100
    assert not put(mine).diff
    assert states(mine) == ["current"]


def test_outside_a_project_it_is_what_holds_everywhere(mine: Machine) -> None:
    (mine.home / "notes").mkdir()
    added = add(mine.open(), mine.home / "notes" / "AGENTS.md", mine.env)
    assert added.block.project == ""
    text = (mine.home / "notes" / "AGENTS.md").read_text()
    assert "global/MEMORY.md" in text
    assert "gotcha" not in text


BYTES = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"\xff", b"# T"]), max_size=6).map(b"".join)


@pytest.mark.parametrize("examples", mostly_long([4, 12], keep=1))
def test_added_renewed_and_removed_a_file_is_as_it_was(mine: Machine, examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.none() | BYTES, st.integers(0, 2))
    def holds(hand: bytes | None, times: int) -> None:
        _is_as_it_was(mine, hand, times)

    holds()


def _is_as_it_was(mine: Machine, hand: bytes | None, times: int) -> None:
    file = mine.project_folder / "AGENTS.md"
    file.unlink(missing_ok=True)
    if hand is not None:
        file.write_bytes(hand)
    put(mine)
    for _ in range(times):
        before = file.read_bytes()
        grow(mine, f"n{len(mine.git('ls-files').split())}")
        assert renewed(mine) == ["stale"]
        assert file.read_bytes() != before
    assert remove(mine.open(), file)
    assert (file.read_bytes() if file.exists() else None) == hand
    assert not mine.open().state.blocks.exists()


def test_added_again_the_way_back_stays_known(mine: Machine) -> None:
    file = mine.project_folder / "AGENTS.md"
    file.write_text("no newline")
    put(mine)
    put(mine, "CLAUDE.md")
    for name in ("AGENTS.md", "CLAUDE.md"):
        assert not put(mine, name).diff
        assert remove(mine.open(), mine.project_folder / name)
    assert file.read_text() == "no newline"
    assert not (mine.project_folder / "CLAUDE.md").exists()


def test_it_is_written_only_when_its_text_differs(mine: Machine) -> None:
    put(mine)
    file = mine.project_folder / "AGENTS.md"
    before = file.stat()
    assert renewed(mine) == ["current"]
    assert renewed(mine) == [], "memory, settings and day are those of the last time"
    mine.write("other/MEMORY.md", "- of another project\n")
    commit(mine.open(), NOW)
    assert renewed(mine) == ["current"]
    assert renewed(mine, NOW + timedelta(days=1)) == ["current"]
    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_worker_renews_it_after_a_commit_and_on_a_new_day(mine: Machine) -> None:
    put(mine)
    mine.remember("a lift is out of order", scope="global")
    mine.worker().run()
    assert "- a lift is out of order" in (mine.project_folder / "AGENTS.md").read_text()
    seen = mine.open().state.blocks.read_text()
    tomorrow = NOW + timedelta(days=1)
    mine.worker(lambda: tomorrow).run()
    assert mine.open().state.blocks.read_text() != seen


def test_what_others_sent_is_in_it(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    put(ada)
    ben.remember("from ben", scope="global")
    ben.sync()
    ada.sync()
    ada.worker().run()
    assert "- from ben" in (ada.project_folder / "AGENTS.md").read_text()


def test_mode_and_link_stay(mine: Machine) -> None:
    file = mine.project_folder / "AGENTS.md"
    file.write_text("x\n")
    file.chmod(0o640)
    (mine.project_folder / "CLAUDE.md").symlink_to("AGENTS.md")
    added = put(mine, "CLAUDE.md")
    assert added.block.path == file.resolve()
    grow(mine)
    assert renewed(mine) == ["stale"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert (mine.project_folder / "CLAUDE.md").is_symlink()
    assert remove(mine.open(), mine.project_folder / "CLAUDE.md")
    assert file.read_text() == "x\n"


def test_no_link_is_followed_out_of_the_checkout(mine: Machine) -> None:
    (mine.home / "other.md").write_text("theirs\n")
    link = mine.project_folder / "AGENTS.md"
    link.symlink_to(mine.home / "other.md")
    with pytest.raises(Refused, match="leads out of the checkout"):
        put(mine)
    link.unlink()
    put(mine)
    (mine.home / "other.md").write_bytes(link.read_bytes())
    link.unlink()
    link.symlink_to(mine.home / "other.md")
    before = (mine.home / "other.md").read_bytes()
    grow(mine)
    assert renewed(mine) == ["unusable"]
    assert not remove(mine.open(), link)
    assert (mine.home / "other.md").read_bytes() == before
    assert states(mine) == []


@pytest.mark.parametrize("path", [".ctxrepo/AGENTS.md", ".ctxrepo/.git/x", "shop/.git/AGENTS.md"])
def test_where_none_may_be(mine: Machine, path: str) -> None:
    with pytest.raises(Refused):
        add(mine.open(), mine.home / path, mine.env)
    assert not (mine.home / path).exists()


def test_a_file_of_the_system_is_left_alone(mine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "etc" / "hosts"
    file.parent.mkdir()
    file.write_text("127.0.0.1 localhost\n")
    with pytest.raises(Refused, match="neither in a checkout nor in your home folder"):
        add(mine.open(), file, mine.env)
    assert file.read_text() == "127.0.0.1 localhost\n"


@pytest.mark.parametrize("data", [b"a\0b", b"x" * (1024 * 1024 + 1)])
def test_what_is_no_text_is_left_alone(mine: Machine, data: bytes) -> None:
    file = mine.project_folder / "AGENTS.md"
    file.write_bytes(data)
    with pytest.raises(Refused):
        put(mine)
    assert file.read_bytes() == data
    assert states(mine) == []


def test_a_folder_that_is_not_there_and_a_place_without_a_checkout(mine: Machine) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        put(mine, "none/AGENTS.md")
    assert default_file(mine.open(), mine.project_folder, "A.md") == mine.project_folder / "A.md"
    with pytest.raises(UsageError, match="in no checkout"):
        default_file(mine.open(), mine.home, "A.md")
    with pytest.raises(NotFound):
        remove(mine.open(), mine.project_folder / "AGENTS.md")


def test_damaged_markers_are_told_and_left(mine: Machine) -> None:
    put(mine)
    file = mine.project_folder / "AGENTS.md"
    file.write_text(file.read_text().replace(END, "<!-- gone -->"))
    before = file.read_bytes()
    grow(mine)
    assert renewed(mine) == ["damaged"]
    memory = mine.open()
    (text,) = [fault.text for fault in faults(memory) if fault.kind == "block"]
    assert str(file) in text
    assert "ctxrepo file add" in text
    with pytest.raises(Refused, match="damaged"):
        remove(memory, file)
    with pytest.raises(Refused, match="damaged"):
        put(mine)
    assert file.read_bytes() == before
    file.write_text("clean\n")
    put(mine)
    assert not [fault for fault in faults(mine.open()) if fault.kind == "block"]


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_a_hand_edit_between_reading_and_writing_is_never_lost(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(mine)
    file = mine.project_folder / "AGENTS.md"
    grow(mine)
    straight = foreign.apply

    def late(changes: Sequence[Change]) -> None:
        if changes[0].path == file:
            file.write_bytes(b"by hand\n" + file.read_bytes())
        straight(changes)

    monkeypatch.setattr(foreign, "apply", late)
    assert renewed(mine) == ["busy"]
    monkeypatch.undo()
    assert renewed(mine) == ["stale"], "it is looked at again, though nothing changed since"
    text = file.read_text()
    assert text.startswith("by hand\n")
    assert "About more" in text


def test_a_file_that_is_gone_or_lost_its_block_stays_so(mine: Machine) -> None:
    put(mine)
    put(mine, "CLAUDE.md")
    (mine.project_folder / "AGENTS.md").unlink()
    (mine.project_folder / "CLAUDE.md").write_text("mine alone\n")
    grow(mine)
    assert renewed(mine) == ["missing", "without"]
    assert not (mine.project_folder / "AGENTS.md").exists()
    assert (mine.project_folder / "CLAUDE.md").read_text() == "mine alone\n"
    assert put(mine, "CLAUDE.md").diff
    assert states(mine) == ["missing", "current"]
    assert remove(mine.open(), mine.project_folder / "CLAUDE.md")
    assert (mine.project_folder / "CLAUDE.md").read_text() == "mine alone\n"


def test_faults_are_not_in_it(mine: Machine) -> None:
    memory = mine.open()
    memory.cache.change(put_faults, [Fault("remote", "the remote refuses")])
    put(mine)
    assert "refuses" not in (mine.project_folder / "AGENTS.md").read_text()


def test_files_touched_last_are_not_in_it(mine: Machine) -> None:
    put(mine)
    touched = FirstFile(str(mine.project_folder), "src/touched.py", 1, "edit 1-9")
    mine.open().cache.change(put_first_files, {("git.example.org/ada/shop", ""): [touched]}, "")
    assert states(mine) == ["current"]
    memory, project = mine.open(), mine.project()
    assert "src/touched.py" in context(memory, project, Start(mine.project_folder)).text
    assert "src/touched.py" not in context(memory, project, Start(mine.project_folder), lasting=True).text


def test_while_the_cache_is_behind_nothing_is_renewed(mine: Machine) -> None:
    put(mine)
    before = (mine.project_folder / "AGENTS.md").read_bytes()
    memory = mine.open()
    memory.state.cache.unlink()
    assert renew(mine.open(), NOW, always=True) == []
    assert (mine.project_folder / "AGENTS.md").read_bytes() == before


def test_git_is_asked_what_it_makes_of_the_file(mine: Machine) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *words], cwd=mine.project_folder, check=True)

    assert put(mine).tracking == "seen"
    (mine.project_folder / ".git/info").mkdir(exist_ok=True)
    (mine.project_folder / ".git/info/exclude").write_text("*.local.md\n")
    assert put(mine, "CLAUDE.local.md").tracking == "ignored"
    git("add", "AGENTS.md")
    git("commit", "-qm", "x")
    assert put(mine).tracking == "tracked"
    (mine.home / "notes").mkdir()
    assert add(mine.open(), mine.home / "notes" / "A.md", mine.env).tracking == "outside"


def test_doctor_tells_of_blocks_that_are_stale_damaged_or_gone(mine: Machine) -> None:
    for name in ("a.md", "b.md", "c.md"):
        put(mine, name)
    (mine.project_folder / "b.md").write_text(BEGIN)
    (mine.project_folder / "c.md").unlink()
    grow(mine)
    place = Place(mine.places, mine.env, Path("/usr/bin/python3"))
    findings = [f for check in doctor(mine.open(), place, NOW) for f in check.findings]
    problems = [f"{f.problem} {f.remedy}" for f in findings if str(mine.project_folder) in f.problem]
    assert len(problems) == 3
    assert "ctxrepo file refresh" in problems[0]
    assert "markers" in problems[1]
    assert "file remove" in problems[2]


def test_a_damaged_register_leaves_files_as_they_are(mine: Machine) -> None:
    put(mine)
    file = mine.project_folder / "AGENTS.md"
    for data in (b"", b"[1]", b'{"version": 1, "blocks": [{}]}', b'{"version": 2}', b"\xff"):
        mine.open().state.blocks.write_bytes(data)
        before = file.read_bytes()
        grow(mine, f"m{len(data)}")
        assert renewed(mine) == []
        assert file.read_bytes() == before
    assert remove(mine.open(), file)


def test_nothing_else_waits_for_a_register_that_cannot_be_used(mine: Machine) -> None:
    put(mine)
    blocks = mine.open().state.blocks
    blocks.unlink()
    blocks.mkdir()
    mine.remember("still committed", scope="global")
    lines: list[str] = []
    mine.worker(log=lines.append).run()
    assert "still committed" in mine.git("log", "-p", "-1", "--format=")
    assert lines == []


def test_after_the_state_is_lost_a_block_is_known_again_by_its_markers(mine: Machine) -> None:
    file = mine.project_folder / "AGENTS.md"
    file.write_text("x\n")
    put(mine)
    mine.open().state.blocks.unlink()
    grow(mine)
    assert put(mine).diff
    assert states(mine) == ["current"]
    assert remove(mine.open(), file)
    assert file.read_text() == "x\n\n"


def test_a_checkout_that_became_another_project_shows_nothing_of_the_former_one(mine: Machine) -> None:
    mine.remember("the shop's own secret plan", pin=True)
    commit(mine.open(), NOW)
    file = mine.project_folder / "AGENTS.md"
    put(mine)
    assert "secret plan" in file.read_text()
    config = mine.project_folder / ".git/config"
    config.write_text(config.read_text().replace("/shop", "/else"))
    mine.remember("what the other project knows", pin=True)
    commit(mine.open(), NOW)
    renewed(mine)
    text = file.read_text()
    assert "what the other project knows" in text
    assert "secret plan" not in text
