"""A version that lost a merge is listed until a person settles it, and nothing else is touched meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada

from ctxrepo.domain.merge.resolve import Keep
from ctxrepo.domain.project.layout import EVIDENCE
from ctxrepo.domain.project.target import parse_destination, parse_target
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file, copy_id
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused, Unreadable, UsageError
from ctxrepo.services.history import conflict_copies
from ctxrepo.services.history.conflict_copies import Conflict, conflicts, find_conflict
from ctxrepo.services.history.settle_conflict import Resolution, drop_all, resolve
from ctxrepo.services.notes.placing import archive, forget, move
from ctxrepo.services.projects.link_project import rename_project
from ctxrepo.services.reading.find import require_project
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.entries import entries_of_note
from ctxrepo.storage.worktree.worktree import Worktree

NOTE = "shop/topics/gotcha.md"
WHOLE = "shop/cart.svg"
LATER = NOW + timedelta(days=3)
BASE, ADAS, BENS = (f"- the port is {n} on all machines\n" for n in (1, 5, 9))


def keep_aside(machine: Machine, copy: ConflictCopy) -> str:
    """Put it there as a merge does; returns the path of its file."""
    path, data = copy_as_file(copy)
    file = machine.clone / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    commit(machine.open(), NOW)
    return path


def settle(machine: Machine, name: str, keep: Keep) -> Resolution:
    memory = machine.open()
    return resolve(memory, name, keep, Origin(memory.host), LATER)


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(with_a_note)


def with_a_note(place: Path) -> Machine:
    ada = make_ada(place)
    ada.write(NOTE, f"---\nupdated: 2026-01-01\n---\n# T\n\n{BENS}- b\n")
    commit(ada.open(), NOW)
    return ada


@pytest.fixture
def version(mine: Machine) -> str:
    """A machine's only version kept aside: its file."""
    return keep_aside(mine, ConflictCopy(NOTE, BASE.strip(), BENS.strip(), ADAS.strip()))


@pytest.mark.slow
def test_what_two_machines_wrote_is_listed_on_both_and_settled_on_both(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.write(NOTE, BASE)
    for machine in pair:
        machine.sync()
    ada.write(NOTE, ADAS)
    ben.write(NOTE, BENS)
    for machine in (ada, ben, ada):
        machine.sync()
    (conflict,) = conflicts(ada.open())
    assert (conflict.copy, conflict.since) == (
        ConflictCopy(NOTE, BASE.strip(), BENS.strip(), ADAS.strip()),
        NOW,
    )
    assert conflict.words == ADAS[2:].strip()
    assert conflicts(ben.open()) == [conflict]
    assert settle(ada, conflict.id, "other") == Resolution(conflict.id, NOTE, is_changed=True)
    for machine in (ada, ben):
        machine.sync()
        assert conflicts(machine.open()) == []
        assert machine.read(NOTE) == ADAS


@pytest.mark.parametrize(
    ("keep", "text"),
    [
        ("kept", f"---\nupdated: 2026-01-01\n---\n# T\n\n{BENS}- b\n"),
        ("other", f"---\nupdated: 2026-11-23\n---\n# T\n\n{ADAS}- b\n"),
        ("both", f"---\nupdated: 2026-11-23\n---\n# T\n\n{BENS}{ADAS}- b\n"),
    ],
)
def test_each_choice_leaves_the_note_so_and_no_version(
    mine: Machine, version: str, keep: Keep, text: str
) -> None:
    settled = settle(mine, version, keep)
    assert settled.is_changed == (keep != "kept")
    assert mine.read(NOTE) == text
    assert not (mine.clone / version).exists()
    written = {w.path for w in mine.open().journal.read() if not w.path.startswith(EVIDENCE)}
    assert written == ({version} if keep == "kept" else {version, NOTE})
    commit(mine.open(), LATER)
    assert mine.git("status", "--porcelain") == ""
    assert conflicts(mine.open()) == []
    assert ADAS.strip() in mine.git("log", "-p", "--", version)


def test_a_version_is_named_by_the_first_digits_of_its_id_or_by_its_file(mine: Machine, version: str) -> None:
    (conflict,) = conflicts(mine.open())
    for name in (conflict.id, conflict.id[:4].upper(), version):
        assert find_conflict(mine.open(), name) == conflict
    for name in ("", "zz", f"{conflict.id}0"):
        with pytest.raises(NotFound):
            find_conflict(mine.open(), name)


def test_digits_that_begin_several_ids_name_none(mine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    alike = [Conflict(f"conflicts/{name}.md", name) for name in ("abcd11", "abcd22")]
    monkeypatch.setattr(conflict_copies, "conflicts", lambda _: alike)
    with pytest.raises(UsageError, match="abcd begins 2 ids"):
        find_conflict(mine.open(), "abcd")
    with pytest.raises(NotFound):
        find_conflict(mine.open(), "abc")


def test_what_changed_meanwhile_is_left_to_a_person(mine: Machine, version: str) -> None:
    mine.write(NOTE, mine.read(NOTE).replace("is 9", "is 99"))
    for keep in ("other", "both"):
        with pytest.raises(Refused, match="isn't any more in"):
            settle(mine, version, keep)
    assert (mine.clone / version).exists()
    assert "is 99" in mine.read(NOTE)
    assert not settle(mine, version, "kept").is_changed


def by_move(machine: Machine) -> str:
    target, to = parse_target("topics/gotcha"), parse_destination("topics/traps")
    move(machine.open(), target, to, machine.project(), Origin("h"), NOW)
    return "shop/topics/traps.md"


def by_archive(machine: Machine) -> str:
    archive(machine.open(), parse_target("topics/gotcha"), machine.project(), Origin("h"), NOW)
    return "shop/archive/topics/gotcha.md"


def by_another_name_of_its_project(machine: Machine) -> str:
    rename_project(machine.open(), require_project(machine.project()), "store", Origin("h"), NOW)
    commit(machine.open(), NOW)
    return "store/topics/gotcha.md"


def by_hand(machine: Machine) -> str:
    (machine.clone / NOTE).rename(machine.clone / "shop/traps.md")
    commit(machine.open(), NOW)
    return "shop/traps.md"


@pytest.mark.parametrize("elsewhere", [by_move, by_archive, by_another_name_of_its_project, by_hand])
def test_a_version_follows_its_note(mine: Machine, elsewhere: Callable[[Machine], str]) -> None:
    mine.remember("registers the project")
    file = keep_aside(mine, ConflictCopy(NOTE, BASE.strip(), BENS.strip(), ADAS.strip()))
    path = elsewhere(mine)
    (conflict,) = conflicts(mine.open())
    assert conflict.copy == ConflictCopy(path, BASE.strip(), BENS.strip(), ADAS.strip())
    assert settle(mine, copy_id(file), "other") == Resolution(copy_id(file), path, is_changed=True)
    assert (ADAS in mine.read(path), conflicts(mine.open())) == (True, [])


def test_a_note_that_is_gone_is_made_anew_by_a_person(mine: Machine, version: str) -> None:
    forget(mine.open(), parse_target("topics/gotcha"), mine.project(), Origin("h"), NOW)
    with pytest.raises(Refused, match="is gone") as refused:
        settle(mine, version, "other")
    assert f"resolve {copy_id(version)} --keep kept" in refused.value.hint


def test_killed_between_note_and_version_it_is_settled_by_the_next_run(
    mine: Machine, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: Worktree, path: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Worktree, "remove", killed)
    with pytest.raises(KeyboardInterrupt):
        settle(mine, version, "both")
    monkeypatch.undo()
    once = mine.read(NOTE)
    assert not settle(mine, version, "both").is_changed
    assert mine.read(NOTE) == once
    assert once.count(ADAS) == 1
    assert conflicts(mine.open()) == []


def test_a_file_taken_whole_is_replaced_to_the_byte_and_what_was_there_is_in_git(mine: Machine) -> None:
    other = b"<other>\xff\r\n"
    path = keep_aside(mine, ConflictCopy(WHOLE, "", "", other.decode("utf-8", "surrogateescape")))
    mine.write(WHOLE, "<typed just now>\n")
    settle(mine, path, "other")
    assert (mine.clone / WHOLE).read_bytes() == other
    assert "<typed just now>" in mine.git("log", "-p", "--all", "--", WHOLE)
    commit(mine.open(), LATER)
    assert (mine.clone / WHOLE).read_bytes() == other


def test_edits_that_are_held_back_are_not_replaced(mine: Machine) -> None:
    path = keep_aside(mine, ConflictCopy(WHOLE, "", "", "<other>"))
    typed = "ghp_" + "a1B2" * 9
    mine.write(WHOLE, typed)
    with pytest.raises(Refused, match="has changes that no commit holds"):
        settle(mine, path, "other")
    assert mine.read(WHOLE) == typed


@pytest.mark.parametrize(
    "path", ["../out.md", ".git/config", ".github/workflows/x.yml", "/etc/x", "a/../../b"]
)
def test_a_version_that_claims_a_path_out_of_reach_is_listed_and_writes_nothing(
    mine: Machine, path: str
) -> None:
    kept = keep_aside(mine, ConflictCopy(path, "", "", "evil"))
    before = sorted(mine.home.rglob("*"))
    with pytest.raises(Refused, match="may not be written"):
        settle(mine, kept, "other")
    assert [p for p in sorted(mine.home.rglob("*")) if p not in before and ".local" not in str(p)] == []
    assert settle(mine, kept, "kept").path == path


def test_a_secret_in_the_other_version_is_refused_and_nothing_is_dropped(mine: Machine) -> None:
    copy = ConflictCopy(NOTE, "", BENS.strip(), "- token ghp_" + "a1B2" * 9)
    path, data = copy_as_file(copy)
    (mine.clone / "conflicts").mkdir()
    (mine.clone / path).write_bytes(data)
    mine.git("add", path)
    mine.git("commit", "-qm", "by hand")
    with pytest.raises(Refused, match="secret"):
        settle(mine, path, "other")
    assert BENS in mine.read(NOTE)
    assert (mine.clone / path).exists()


def test_what_is_none_of_ours_is_listed_last_and_never_dropped(mine: Machine, version: str) -> None:
    torn = keep_aside(mine, ConflictCopy(NOTE, "", "a", "b"))
    mine.write(torn, mine.read(torn)[:-5])
    mine.write("conflicts/by hand.md", "- why?\n")
    (mine.clone / "conflicts/bytes.bin").write_bytes(b"\xff\0")
    (mine.clone / "conflicts/link.md").symlink_to("/etc/passwd")
    mine.write("conflicts/.gitkeep", "")
    before = {p: p.read_bytes() for p in (mine.clone / "conflicts").iterdir()}
    listing = conflicts(mine.open())
    assert listing[0].file == version
    odd = ["conflicts/by hand.md", "conflicts/bytes.bin", "conflicts/link.md", torn]
    assert [(c.file, c.id, c.copy) for c in listing[1:]] == [(p, "", None) for p in odd]
    for path in odd:
        with pytest.raises(Unreadable):
            settle(mine, path, "kept")
    memory = mine.open()
    assert [s.path for s in drop_all(memory, Origin(memory.host), LATER)] == [NOTE]
    left = {p: p.read_bytes() for p in (mine.clone / "conflicts").iterdir()}
    assert left == {p: data for p, data in before.items() if p.name not in version}


def test_all_are_dropped_at_once_more_than_a_person_would_delete_by_hand(mine: Machine) -> None:
    for number in range(25):
        path, data = copy_as_file(ConflictCopy(NOTE, "", BENS.strip(), f"- other {number}"))
        mine.write(path, data.decode())
    memory = mine.open()
    assert len(drop_all(memory, Origin(memory.host), LATER)) == 25
    commit(mine.open(), LATER)
    assert "conflicts" not in mine.git("ls-tree", "-r", "--name-only", "HEAD")
    assert drop_all(mine.open(), Origin(""), LATER) == []


def test_the_version_that_was_kept_is_followed_to_another_note(mine: Machine, version: str) -> None:
    memory = mine.open()
    entry = next(e for e in memory.cache.ask(entries_of_note, NOTE) if "is 9" in e.entry.text).entry
    project, to = mine.project(), parse_destination("topics/ports.md")
    move(memory, parse_target(f"^{entry.id}"), to, project, Origin(memory.host), NOW)
    commit(mine.open(), NOW)
    (conflict,) = conflicts(mine.open())
    assert conflict.copy
    assert conflict.copy.path == "shop/topics/ports.md"
    assert settle(mine, copy_id(version), "other").is_changed
    assert ADAS in mine.read("shop/topics/ports.md")
    assert ADAS not in mine.read(NOTE)
