"""What somebody deleted without a command, and more than is likely: nothing of it is sent before a yes."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
from copies import Copies
from long import rotating
from machines import NOW, Machine, make_pair
from saves import checked_out, leave

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.target import Target, parse_target
from ctxrepo.services.rescue.mend import mend
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.saving.commit import CommitRequest, commit
from ctxrepo.services.sync.sync import sync
from ctxrepo.storage.cache.cache import all_faults
from ctxrepo.storage.cache.layout import Fault

Pair = tuple[Machine, Machine]


@pytest.fixture
def pair(copies: Copies) -> Pair:
    return copies.of(well_filled)


def well_filled(place: Path) -> Pair:
    """Two machines with 12 notes and one of 30 entries."""
    ada, ben = make_pair(place)
    for number in range(12):
        ada.write(f"shop/topics/n{number}.md", f"- of note {number}\n")
    ada.write("shop/long.md", "".join(f"- entry {n} {'x' * n}\n" for n in range(30)))
    ada.sync()
    ben.sync()
    return ada, ben


def told_of(machine: Machine) -> list[str]:
    """What a sync of this moment tells."""
    return [*sync(machine.open(), datetime.now(UTC)).notices]


def there(machine: Machine) -> int:
    return len(machine.git("ls-tree", "-r", "--name-only", "HEAD", "shop/topics").splitlines())


def test_many_notes_are_held_back_and_the_rest_goes_on(pair: Pair) -> None:
    ada, ben = pair
    shutil.rmtree(ada.clone / "shop" / "topics")
    ada.remember("written beside it")
    run = ada.ctxrepo("sync")
    assert run.returncode == 6
    assert "sync --accept deletions" in run.stderr
    ben.sync()
    assert there(ben) == 12
    assert "written beside it" in ben.read("shop/MEMORY.md")
    assert not (ada.clone / "shop" / "topics").exists()
    assert "held back" in ada.ctxrepo("status").stdout


def test_a_yes_lets_them_go(pair: Pair) -> None:
    ada, ben = pair
    shutil.rmtree(ada.clone / "shop" / "topics")
    ada.sync()
    assert ada.ctxrepo("sync", "--accept", "deletions").returncode == 0
    ben.sync()
    assert there(ben) == there(ada) == 0
    assert ada.ctxrepo("sync").returncode == 0


def test_doctor_brings_them_back(pair: Pair) -> None:
    ada, _ = pair
    shutil.rmtree(ada.clone / "shop" / "topics")
    assert ada.ctxrepo("sync").returncode == 6
    ada.ctxrepo("doctor", "--fix")
    assert ada.read("shop/topics/n3.md") == "- of note 3\n"
    assert ada.ctxrepo("sync").returncode == 0


def test_doctor_brings_back_what_a_command_had_made_of_it_and_not_what_that_edited(pair: Pair) -> None:
    ada, _ = pair
    ada.ctxrepo("edit", "shop:long.md", "--old", "entry 7 ", "--new", "the seventh ")
    ada.write("shop/long.md", "")
    assert ada.sync().held
    ada.ctxrepo("doctor", "--fix")
    ada.sync()
    text = ada.read("shop/long.md")
    assert (text.count("- "), "the seventh" in text, "entry 7 " in text) == (30, True, False)


def test_a_note_that_lost_most_of_its_entries_is_held_back(pair: Pair) -> None:
    ada, ben = pair
    ada.write("shop/long.md", "- entry 0 \n")
    held = ada.sync().held
    assert [r.path for r in held] == ["shop/long.md"]
    ben.sync()
    assert ben.read("shop/long.md").count("- entry") == 30


@pytest.mark.parametrize("is_held_already", rotating([True, False], keep=1))
def test_a_command_on_such_a_note_is_no_yes(pair: Pair, is_held_already: bool) -> None:
    ada, ben = pair
    ada.write("shop/long.md", "- entry 0 \n")
    if is_held_already:
        assert ada.sync().held
    ada.remember("written after that", note=parse_target("shop:long.md"))
    assert [r.path for r in ada.sync().held] == ["shop/long.md"]
    ben.sync()
    assert ben.read("shop/long.md").count("- entry") == 30
    ada.ctxrepo("doctor", "--fix")
    ben.sync()
    for machine in pair:
        machine.sync()
        assert machine.read("shop/long.md").count("- entry") == 30
        assert "- written after that" in machine.read("shop/long.md")


def test_what_commands_take_out_themselves_is_meant(pair: Pair) -> None:
    ada, _ = pair
    ada.write("shop/long.md", ada.read("shop/long.md").replace("- entry 29", "- entry nine-and-twenty"))
    for number in range(15):
        target = f"^{entries_of('shop/long.md', ada.read('shop/long.md'))[0].id}"
        assert ada.ctxrepo("forget", target).returncode == 0, number
    assert ada.sync().held == ()
    assert ada.git("show", "HEAD:shop/long.md").count("- entry") == 15


def test_a_commit_by_a_person_passes(pair: Pair) -> None:
    ada, ben = pair
    ada.git("rm", "-rq", "shop/topics")
    ada.git("commit", "-qm", "tidied up")
    assert ada.sync().held == ()
    ben.sync()
    assert there(ben) == 0


def test_an_emptied_worktree_is_filled_again(pair: Pair) -> None:
    ada, ben = pair
    for item in ada.clone.iterdir():
        if item.name not in (".git", ".gitattributes"):
            shutil.rmtree(item) if item.is_dir() else item.unlink()
    ada.remember("written into the void")
    assert ada.sync().held == ()
    assert ada.read("shop/topics/n3.md") == "- of note 3\n"
    assert "written into the void" in ada.read("shop/MEMORY.md")
    ben.sync()
    assert there(ben) == 12


def remove_note(machine: Machine) -> None:
    (machine.clone / "shop/long.md").unlink()


def empty_note(machine: Machine) -> None:
    machine.write("shop/long.md", "")


def remove_project(machine: Machine) -> None:
    shutil.rmtree(machine.clone / "shop")


def rename_to_no_note(machine: Machine) -> None:
    (machine.clone / "shop/long.md").rename(machine.clone / "shop/long.txt")


@pytest.mark.parametrize("remove", [remove_note, empty_note, remove_project, rename_to_no_note])
def test_a_note_or_folder_counts_the_entries_it_had(pair: Pair, remove: Callable[[Machine], None]) -> None:
    ada, ben = pair
    remove(ada)
    assert ada.ctxrepo("sync").returncode == 6
    assert "sync --accept deletions" in ada.ctxrepo("status").stdout
    ben.sync()
    assert ben.read("shop/long.md").count("- entry") == 30
    ada.ctxrepo("doctor", "--fix")
    assert ada.read("shop/long.md").count("- entry") == 30
    assert ada.sync().held == ()


def test_what_is_held_back_stays_so_when_another_machine_writes_to_one_of_the_notes(pair: Pair) -> None:
    """Of files that come from the remote alone too few entries are missing to be held back."""
    ada, ben = pair
    cut = [f"shop/topics/cut{n}.md" for n in range(5)]
    for path in cut:
        ada.write(path, "".join(f"- {path} says {n}\n" for n in range(4)))
    ada.sync()
    ben.sync()
    for path in cut:
        ada.write(path, f"- {path} says 0\n")
    assert [r.path for r in ada.sync().held] == cut
    ben.remember("added meanwhile", note=parse_target(f"shop:{cut[2].removeprefix('shop/')}"))
    ben.sync()
    assert [r.path for r in ada.sync().held] == cut
    assert {item.path for item in items_to_decide(ada.open())} == {*cut}
    ben.sync()
    for machine in pair:
        assert [machine.git("show", f"HEAD:{path}").count(" says ") for path in cut] == [4] * 5


@pytest.mark.parametrize("decision", ["accept", "fix"])
@pytest.mark.parametrize("is_whole", [False, True], ids=["most entries", "the whole note"])
def test_what_is_held_back_follows_a_note_that_another_machine_moved(
    pair: Pair, is_whole: bool, decision: str
) -> None:
    ada, ben = pair
    if is_whole:
        (ada.clone / "shop" / "long.md").unlink()
    else:
        ada.write("shop/long.md", "- entry 0 \n")
    assert ada.sync().held
    assert ben.ctxrepo("move", "shop:long.md", "shop:topics/far.md").returncode == 0
    ben.sync()
    for _ in range(2):
        assert [refusal.path for refusal in ada.sync().held] == ["shop/topics/far.md"]
    assert not (ada.clone / "shop" / "long.md").exists()
    ada.ctxrepo(*(["sync", "--accept", "deletions"] if decision == "accept" else ["doctor", "--fix"]))
    assert not ada.sync().held
    ben.sync()
    assert ada.tree() == ben.tree()
    left = (0 if is_whole else 1) if decision == "accept" else 30
    paths = ben.git("ls-tree", "-r", "--name-only", "HEAD", "shop").splitlines()
    counts = {path: ben.git("show", f"HEAD:{path}").count("- entry") for path in paths}
    assert {path: count for path, count in counts.items() if count} == (
        {"shop/topics/far.md": left} if left else {}
    )


@pytest.mark.parametrize("decision", ["accept", "fix"])
def test_what_is_held_back_follows_a_project_that_another_machine_renamed(pair: Pair, decision: str) -> None:
    ada, ben = pair
    ada.remember("which registers the project")
    ada.sync()
    ben.sync()
    ada.write("shop/long.md", "- entry 0 \n")
    assert ada.sync().held
    assert ben.ctxrepo("project", "rename", "store").returncode == 0
    ben.sync()
    assert [refusal.path for refusal in ada.sync().held] == ["store/long.md"]
    assert not (ada.clone / "shop").exists()
    ada.ctxrepo(*(["sync", "--accept", "deletions"] if decision == "accept" else ["doctor", "--fix"]))
    assert not ada.sync().held
    ben.sync()
    assert ada.tree() == ben.tree()
    assert ben.read("store/long.md").count("- entry") == (1 if decision == "accept" else 30)
    assert not (ben.clone / "shop").exists()


def test_a_confirmed_deletion_of_a_note_leaves_what_another_machine_changed_in_it(pair: Pair) -> None:
    ada, ben = pair
    (ada.clone / "shop" / "long.md").unlink()
    assert ada.sync().held
    assert ben.ctxrepo("edit", "shop:long.md", "--old", "entry 7 ", "--new", "the seventh ").returncode == 0
    ben.sync()
    assert ada.sync().held
    assert ada.ctxrepo("sync", "--accept", "deletions").returncode == 0
    ben.sync()
    assert ada.tree() == ben.tree()
    assert [line for line in ben.read("shop/long.md").splitlines() if line[:1] == "-"] == [
        f"- the seventh {'x' * 7}"
    ]


def test_a_note_moved_by_hand_is_not_held_back(pair: Pair) -> None:
    ada, ben = pair
    (ada.clone / "shop/long.md").rename(ada.clone / "shop/topics/longer.md")
    (ada.clone / "shop/topics").rename(ada.clone / "shop/notes")
    assert ada.sync().held == ()
    assert ada.sync().notices == ()
    ben.sync()
    assert ben.read("shop/notes/longer.md").count("- entry") == 30


def test_copied_first_and_removed_after_a_commit_is_moved_too(pair: Pair) -> None:
    ada, _ = pair
    shutil.copytree(ada.clone / "shop/topics", ada.clone / "shop/notes")
    ada.sync()
    shutil.rmtree(ada.clone / "shop/topics")
    done = ada.sync()
    assert (done.held, done.notices) == ((), ())


def test_a_command_that_moves_what_stands_in_its_place_is_no_yes_to_a_deletion(pair: Pair) -> None:
    ada, ben = pair
    (ada.clone / "shop/long.md").unlink()
    ada.remember("written after that", note=parse_target("shop:long.md"))
    assert ada.ctxrepo("move", "shop:long.md", "shop:topics/short.md").returncode == 0
    assert [r.path for r in ada.sync().held] == ["shop/long.md"]
    ben.sync()
    assert ben.read("shop/long.md").count("- entry") == 30
    assert ben.read("shop/topics/short.md").count("written after that") == 1
    ada.ctxrepo("doctor", "--fix")
    assert ada.read("shop/long.md").count("- entry") == 30
    assert ada.sync().held == ()


def test_a_few_deletions_are_told_with_what_brings_them_back(pair: Pair) -> None:
    ada, ben = pair
    for number in range(3):
        (ada.clone / f"shop/topics/n{number}.md").unlink()
    ada.remember("in the same breath")
    run = ada.ctxrepo("sync")
    assert run.returncode == 0
    assert "shop/topics/n0.md and 2 more: 3 entries deleted by hand; `ctxrepo undo " in run.stderr
    ben.sync()
    assert there(ben) == 9
    (line,) = ada.json("status")["data"]["deleted"]
    assert line in run.stderr
    assert line in ada.ctxrepo("status").stdout
    assert Fault("deletion", line) in ada.open().cache.ask(all_faults)  # each session is told these
    assert line not in ada.ctxrepo("doctor").stdout
    undo = line.split("`")[1].split()[1:]
    assert ada.ctxrepo(*undo).returncode == 0
    ada.sync()
    assert there(ada) == 12
    assert "in the same breath" in ada.read("shop/MEMORY.md")
    assert ada.json("status")["data"]["deleted"] == []
    assert ada.open().cache.ask(all_faults) == []


def lose_lines(machine: Machine) -> None:
    lines = machine.read("shop/long.md").splitlines(keepends=True)
    machine.write("shop/long.md", "".join(lines[:3] + lines[9:]))


def lose_the_note(machine: Machine) -> None:
    (machine.clone / "shop/topics/n0.md").unlink()


def rename_the_note(machine: Machine) -> None:
    (machine.clone / "shop/long.md").rename(machine.clone / "shop/short.md")


def rename_the_project(machine: Machine) -> None:
    assert machine.ctxrepo("project", "rename", "store").returncode == 0


def rename_the_folder(machine: Machine) -> None:
    (machine.clone / "shop").rename(machine.clone / "store")


RENAMES = [rename_the_note, rename_the_project, rename_the_folder]


@pytest.mark.parametrize("rename", RENAMES)
@pytest.mark.parametrize("lose", [lose_lines, lose_the_note])
def test_what_was_deleted_comes_back_to_where_its_note_is_by_then(
    pair: Pair, lose: Callable[[Machine], None], rename: Callable[[Machine], None]
) -> None:
    ada, ben = pair
    ada.remember("so that the folder is a project's")
    ada.sync()
    lose(ada)
    (line,) = told_of(ada)
    rename(ada)
    assert line in told_of(ada)
    assert told_of(ben)
    assert ben.ctxrepo(*line.split("`")[1].split()[1:]).returncode == 0
    for machine in (ben, ada):
        assert not [line for line in told_of(machine) if "deleted by hand" in line]
        notes = [note for note in machine.clone.glob("*/**/*.md") if "conflicts" not in note.parts]
        lines = [line for note in notes for line in note.read_text().split("\n")]
        assert sum(line.startswith("- entry ") for line in lines) == 30
        assert sum(line.startswith("- of note ") for line in lines) == 12
        assert {note.relative_to(machine.clone).parts[0] for note in notes} <= {"global", "shop", "store"}
        assert not ((machine.clone / "shop").exists() and (machine.clone / "store").exists())


def test_lines_that_moved_to_a_note_that_no_worker_looked_at_are_no_deletion(pair: Pair) -> None:
    ada, _ = pair
    (ada.clone / "shop/long.md").rename(ada.clone / "shop/short.md")
    ada.remember("a late fact", note=Target("project", "long.md"))
    commit(ada.open(), NOW, CommitRequest(only=()))
    assert told_of(ada) == []
    assert "a late fact" in ada.read("shop/long.md")
    assert ada.read("shop/short.md").count("- entry ") == 30


def test_what_a_command_wrote_stays_where_a_deletion_beside_it_is_undone(pair: Pair) -> None:
    ada, ben = pair
    lose_lines(ada)
    ada.remember("a late fact", note=Target("project", "long.md"))
    (line,) = told_of(ada)
    assert ada.ctxrepo(*line.split("`")[1].split()[1:]).returncode == 0
    for machine in (ada, ben):
        machine.sync()
        assert "a late fact" in machine.read("shop/long.md")
        assert machine.read("shop/long.md").count("- entry ") == 30


def test_a_note_that_another_machine_wrote_to_is_back_without_what_was_new_in_it(pair: Pair) -> None:
    """A change wins over the deletion of the note, and only with what that machine had."""
    ada, ben = pair
    path = "shop/topics/n1.md"
    ada.write(path, "- of note 1\n- and new here\n")
    ada.sync(send=False)
    (ada.clone / path).unlink()
    ben.write(path, "- of note 1\n- and new there\n")
    ben.sync()
    notice = next(line for line in told_of(ada) if "deleted by hand" in line)
    assert "and new there" in ada.read(path)
    assert ada.ctxrepo("undo", notice.partition("`ctxrepo undo ")[2].partition("`")[0]).returncode == 0
    assert "and new here" in ada.read(path)


def test_what_was_committed_in_the_background_is_told_by_the_next_sync(pair: Pair) -> None:
    ada, _ = pair
    (ada.clone / "shop/topics/n0.md").unlink()
    ada.worker().run()
    assert "n0.md: 1 entry deleted by hand" in ada.ctxrepo("sync").stderr


def test_what_a_command_or_a_commit_of_a_person_takes_away_is_not_told(pair: Pair) -> None:
    ada, _ = pair
    ada.git("rm", "-q", "shop/topics/n0.md")
    ada.git("commit", "-qm", "tidied up")
    assert ada.ctxrepo("archive", "shop:topics/n1").returncode == 0
    assert told_of(ada) == []


def test_a_day_later_nobody_is_told_any_more(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, _ = pair
    (ada.clone / "shop/topics/n0.md").unlink()
    assert told_of(ada)
    later = time.time() + 90_000
    monkeypatch.setattr(time, "time", lambda: later)
    assert told_of(ada) == []


def test_less_than_a_share_of_a_long_note_is_told_on_both_machines(pair: Pair) -> None:
    ada, ben = pair
    lines = ada.read("shop/long.md").splitlines(keepends=True)
    ada.write("shop/long.md", "".join(lines[:3] + lines[9:]))
    assert "shop/long.md: 6 entries deleted by hand; `ctxrepo undo " in ada.ctxrepo("sync").stderr
    (line,) = told_of(ben)
    assert "shop/long.md: 6 entries deleted by hand" in line
    for machine in pair:
        assert line in machine.ctxrepo("status").stdout
        assert Fault("deletion", line) in machine.open().cache.ask(all_faults)


def test_a_projects_line_in_the_registry_is_told_on_both_machines_until_it_is_back(pair: Pair) -> None:
    """Without it no session is given the notes of the project."""
    ada, ben = pair
    ada.remember("a fact of the project")
    for machine in pair:
        machine.sync()
    before = ada.read("ctxrepo.toml")
    lines = before.splitlines(keepends=True)
    ada.write("ctxrepo.toml", "".join(each for each in lines if "example.org" not in each))
    ada.ctxrepo("sync")
    (line,) = told_of(ben)
    assert "ctxrepo.toml: 1 entry deleted by hand; `ctxrepo undo " in line
    for machine in pair:
        assert line in machine.ctxrepo("status").stdout
        assert Fault("deletion", line) in machine.open().cache.ask(all_faults)
    assert ben.ctxrepo("undo", line.partition("`ctxrepo undo ")[2].partition("`")[0]).returncode == 0
    assert ben.read("ctxrepo.toml") == before
    ben.sync()
    assert told_of(ada) == []


def test_a_line_that_is_changed_in_a_file_without_entries_is_no_deletion(pair: Pair) -> None:
    ada, _ = pair
    ada.write("ctxrepo.toml", ada.read("ctxrepo.toml").replace("# Shared", "# Common"))
    assert told_of(ada) == []


def test_a_machine_that_was_away_is_told_once_of_what_is_older_than_a_day(pair: Pair) -> None:
    ada, _ = pair
    (ada.clone / "shop/topics/n0.md").unlink()
    for machine in pair:
        (line,) = machine.sync().notices  # the tests' moment is long past
        assert "shop/topics/n0.md: 1 entry deleted by hand" in line
        assert machine.sync().notices == ()


def test_what_a_machine_deleted_while_this_one_committed_is_told(pair: Pair) -> None:
    """Its commit is new here, though the newest of ours is later."""
    ada, ben = pair
    (ben.clone / "shop/topics/n0.md").unlink()
    ben.sync()
    ada.write("shop/other.md", "- written meanwhile\n")
    commit(ada.open(), NOW + timedelta(hours=1))
    (line,) = ada.sync().notices
    assert "shop/topics/n0.md: 1 entry deleted by hand" in line


def test_a_commit_of_a_clock_that_is_behind_hides_no_deletion(pair: Pair) -> None:
    ada, _ = pair
    (ada.clone / "shop/topics/n0.md").unlink()
    commit(ada.open(), datetime.now(UTC))
    ada.write("shop/other.md", "- written with another clock\n")
    commit(ada.open(), NOW)
    (line,) = ada.json("status")["data"]["deleted"]
    assert "shop/topics/n0.md: 1 entry deleted by hand" in line


def test_a_few_lines_are_told_by_sync_alone(pair: Pair) -> None:
    ada, _ = pair
    ada.write("shop/long.md", "".join(ada.read("shop/long.md").splitlines(keepends=True)[4:]))
    (line,) = told_of(ada)
    assert "shop/long.md: 4 entries deleted by hand" in line
    assert ada.json("status")["data"]["deleted"] == ada.open().cache.ask(all_faults) == []


def test_a_line_in_other_words_or_elsewhere_is_no_deletion(pair: Pair) -> None:
    ada, _ = pair
    lines = ada.read("shop/long.md").splitlines(keepends=True)
    ada.write("shop/long.md", "".join([*lines[20:], *lines[:20]]).replace("entry 7 ", "the entry 7 "))
    assert told_of(ada) == []


@pytest.mark.parametrize("is_committed", [True, False])
def test_what_was_taken_back_once_is_settled_whatever_a_command_takes_away_later(
    pair: Pair, is_committed: bool
) -> None:
    ada, ben = pair
    for number in range(3):
        (ada.clone / f"shop/topics/n{number}.md").unlink()
    (line,) = told_of(ada)
    assert ada.ctxrepo(*line.split("`")[1].split()[1:]).returncode == 0
    if is_committed:
        assert told_of(ada) == []
    assert ada.ctxrepo("forget", "shop:topics/n1").returncode == 0
    assert told_of(ada) == []
    if is_committed:
        assert told_of(ben) == []


def test_what_was_brought_back_by_hand_is_settled_note_by_note(pair: Pair) -> None:
    ada, _ = pair
    texts = {path: ada.read(path) for path in ("shop/topics/n0.md", "shop/topics/n1.md")}
    for path in texts:
        (ada.clone / path).unlink()
    assert told_of(ada)
    ada.write("shop/topics/n0.md", texts["shop/topics/n0.md"])
    assert told_of(ada)
    assert ada.ctxrepo("forget", "shop:topics/n0").returncode == 0
    ada.write("shop/topics/n1.md", texts["shop/topics/n1.md"])
    assert told_of(ada) == []


def entry_named(machine: Machine, text: str) -> str:
    """The id that `search` gives."""
    (hit,) = machine.json("search", text, "--limit", "1")["data"]["hits"]
    return str(hit["id"])


SHORT = "- entry 0 \n- entry 1 x\n"

ON_AN_ENTRY = {
    "forget": (),
    "edit": ("--old", "entry", "--new", "said anew:"),
    "archive": (),
    "move": ("shop:elsewhere.md",),
}


@pytest.mark.parametrize(
    ("command", "number", "is_meant"), rotating(product(ON_AN_ENTRY, [0, 20], [True, False]), keep=3)
)
def test_a_command_on_an_entry_of_such_a_note_is_done_to_that_one(
    pair: Pair, command: str, number: int, is_meant: bool
) -> None:
    ada, ben = pair
    entries = entries_of("shop/long.md", ada.read("shop/long.md"))
    lines = ada.read("shop/long.md").splitlines(keepends=True)
    ada.write("shop/long.md", "".join(lines[20:]))  # what stands at a line now is another entry
    assert [r.path for r in ada.sync().held] == ["shop/long.md"]
    done = ada.ctxrepo(command, f"^{entries[number].id}", *ON_AN_ENTRY[command])
    assert (done.returncode, done.stderr) == (0, "")
    assert f"- entry {number} " not in ada.ctxrepo("read", "shop:long").stdout
    assert [r.path for r in ada.sync().held] == ["shop/long.md"]
    out = ("sync", "--accept", "deletions") if is_meant else ("doctor", "--fix")
    ada.ctxrepo(*out)
    ada.sync()
    ben.sync()
    left = {n for n in range(20 if is_meant else 0, 30) if n != number}
    for machine in pair:
        text = machine.read("shop/long.md")
        assert {n for n in range(30) if f"- entry {n} " in text} == left
        assert text.count("said anew") == (command == "edit")


@pytest.mark.parametrize("command", [("forget",), ("archive",), ("move", "shop:elsewhere.md")])
def test_such_a_note_stays_where_it_is_until_somebody_decides(pair: Pair, command: tuple[str, ...]) -> None:
    ada, _ = pair
    ada.write("shop/long.md", SHORT)
    assert ada.sync().held
    verb, *to = command
    done = ada.ctxrepo(verb, "shop:long.md", *to)
    assert done.returncode == 6
    assert "shop/long.md is held back: entries of it were deleted by hand" in done.stderr
    assert "`ctxrepo sync --accept deletions`" in done.stderr
    assert "`ctxrepo doctor --fix`" in done.stderr
    ada.ctxrepo("doctor", "--fix")
    assert ada.read("shop/long.md").count("- entry") == 30
    assert ada.ctxrepo(verb, "shop:long.md", *to).returncode == 0
    assert not (ada.clone / "shop/long.md").exists()


@pytest.mark.parametrize("is_meant", [True, False])
def test_what_is_held_back_stays_so_when_a_command_brings_one_of_the_notes_back(
    pair: Pair, is_meant: bool
) -> None:
    """Of the others alone too few entries are missing to be held back."""
    ada, ben = pair
    gone = [f"shop/topics/gone{n}.md" for n in range(3)]
    for path in gone:
        ada.write(path, "".join(f"- {path} says {n}\n" for n in range(4)))
    ada.sync()
    for path in gone:
        (ada.clone / path).unlink()
    assert [r.path for r in ada.sync().held] == gone
    ada.remember("written after that", note=parse_target("shop:topics/gone0.md"))
    for _ in range(2):
        assert [r.path for r in ada.sync().held] == gone[1:]
    if is_meant:
        ada.ctxrepo("sync", "--accept", "deletions")
    else:
        ada.ctxrepo("doctor", "--fix")
    assert ada.sync().held == ()
    ben.sync()
    for machine in pair:
        assert "written after that" in machine.read(gone[0])
        assert [(machine.clone / path).exists() for path in gone] == [True, not is_meant, not is_meant]


@pytest.mark.parametrize("entries", [12, 30])
def test_a_note_stays_held_back_though_commands_make_the_share_or_number_less(
    pair: Pair, entries: int
) -> None:
    ada, _ = pair
    lines = [f"- line {n} {'y' * n}\n" for n in range(entries)]
    ada.write("shop/cut.md", "".join(lines))
    ada.sync()
    ada.write("shop/cut.md", "".join(lines[10:]))
    assert [r.path for r in ada.sync().held] == ["shop/cut.md"]
    for number in range(6):
        ada.remember(f"{number} more", note=parse_target("shop:cut.md"))
    assert ada.ctxrepo("forget", entry_named(ada, "line 4 yyyy")).returncode == 0
    assert [r.path for r in ada.sync().held] == ["shop/cut.md"]
    ada.write("shop/cut.md", "".join(lines) + ada.read("shop/cut.md"))
    assert ada.sync().held == ()


def test_commands_in_a_row_see_what_each_other_made_of_such_a_note(pair: Pair) -> None:
    ada, _ = pair
    ada.remember("port: 80", note=parse_target("shop:long.md"))
    ada.write("shop/long.md", SHORT)
    assert ada.sync().held
    for port in (81, 82):
        run = ada.ctxrepo("remember", f"{port}", "--key", "port", "--note", "long.md")
        assert (run.returncode, run.stderr) == (0, "")
    assert (
        ada.ctxrepo(
            "edit", entry_named(ada, "entry 20 xx"), "--old", "entry 20", "--new", "the twentieth"
        ).returncode
        == 0
    )
    assert ada.ctxrepo("forget", entry_named(ada, "the twentieth")).returncode == 0
    ada.ctxrepo("doctor", "--fix")
    text = ada.read("shop/long.md")
    assert (text.count("port:"), "port: 82" in text, text.count("- entry")) == (1, True, 29)


def test_links_that_follow_a_move_leave_such_a_note_whole(pair: Pair) -> None:
    ada, _ = pair
    ada.write("shop/long.md", ada.read("shop/long.md") + "- see [[topics/n1]]\n")
    ada.sync()
    ada.write("shop/long.md", SHORT + "- see [[topics/n1]]\n")
    assert ada.sync().held
    assert ada.ctxrepo("move", "shop:topics/n1.md", "shop:topics/one.md").returncode == 0
    assert ada.sync().held
    assert ada.git("show", "HEAD:shop/long.md").count("- entry") == 30
    ada.ctxrepo("doctor", "--fix")
    text = ada.read("shop/long.md")
    assert (text.count("- entry"), text.count("[[topics/one]]"), text.count("[[")) == (30, 1, 1)


@pytest.mark.parametrize("is_whole", [True, False])
def test_what_is_held_back_is_there_for_all_commands(pair: Pair, is_whole: bool) -> None:
    ada, ben = pair
    cut = entries_of("shop/long.md", ada.read("shop/long.md"))[20]
    (ada.clone / "shop/long.md").unlink()
    if not is_whole:
        ada.write("shop/long.md", "- entry 0 \n")
    assert ada.ctxrepo("doctor").returncode == 1  # no agent is connected
    assert "long.md" not in ada.ctxrepo("doctor").stdout
    assert ada.ctxrepo("sync").returncode == 6
    assert "entry 20" in ada.ctxrepo("read", f"^{cut.id}").stdout
    assert "long.md" in ada.ctxrepo("list", "--scope", "shop").stdout
    assert "entry 20" in ada.ctxrepo("read", "shop:long").stdout
    assert "entry 20" in ada.ctxrepo("read", "shop:long.md#L21").stdout
    assert "shop/long.md: held back: " in ada.ctxrepo("check").stdout
    assert "shop/long.md held back" in ada.ctxrepo("doctor").stdout
    if is_whole:
        assert ada.ctxrepo("forget", f"^{cut.id}").returncode == 0
        assert told_of(ada) == []
        ben.sync()
        for machine in pair:
            assert (
                machine.read("shop/long.md").count("- entry"),
                "entry 20" in machine.read("shop/long.md"),
            ) == (29, False)


@pytest.mark.parametrize("way", ["rm", "emptied"])
@pytest.mark.parametrize(
    ("committed", "elsewhere"),
    [(True, True), (True, False), (False, False)],
    ids=["in another note", "in its note", "just remembered, in its note"],
)
def test_a_key_that_was_stated_anew_after_a_hand_took_its_note_has_one_value(
    ada: Machine, way: str, committed: bool, elsewhere: bool
) -> None:
    ada.init()
    ada.write("shop/MEMORY.md", "".join(f"- The pump of hall {n} is old\n" for n in range(12)))
    ada.remember("6000", key="db.port")
    if committed:
        ada.sync()
    (ada.clone / "shop/MEMORY.md").unlink()
    if way == "emptied":
        ada.write("shop/MEMORY.md", "")
    ada.remember("use the managed instance", key="db.port", category="gotcha" if elsewhere else "")
    list(mend(ada.open(), NOW))
    ada.sync()
    texts = [file.read_text() for file in (ada.clone / "shop").rglob("*.md")]
    lines = [line for text in texts for line in text.splitlines()]
    assert sum("The pump of hall" in line for line in lines) == 12
    values = [line.partition("port: ")[2] for line in lines if "db.port" in line]
    assert values == ["use the managed instance"]


@pytest.mark.parametrize("left", [0, 5], ids=["the note is gone", "a part is left"])
@pytest.mark.parametrize("way", ["remember", "by key", "restore"])
def test_what_is_remembered_again_while_its_deletion_is_held_back_stays(
    ada: Machine, left: int, way: str
) -> None:
    key = "hall" if way == "by key" else ""
    ada.init()
    lines = [f"- Hall {n} has a pump" for n in range(30)]
    ada.write("shop/halls.md", "\n".join(lines) + "\n")
    note = parse_target("shop:halls.md")
    entry = ada.remember("Ask Bob before", note=note, key=key).id
    ada.sync()
    if left:
        ada.write("shop/halls.md", "\n".join(lines[:left]) + "\n")
    else:
        (ada.clone / "shop/halls.md").unlink()
    assert ada.sync().held
    if way == "restore":
        assert "held back" in ada.ctxrepo("restore", "shop:halls.md").stderr
        assert ada.ctxrepo("restore", f"^{entry}").returncode == 0
    else:
        assert ada.remember("Ask Bob before", note=note, key=key).existing
    assert ada.ctxrepo("sync", "--accept", "deletions").returncode == 0
    kept = ada.read("shop/halls.md")
    assert "Ask Bob before" in kept
    assert kept.count("has a pump") == (left or 30)  # one who writes to a note that is gone brings it back


@pytest.mark.parametrize("line", ["", "- the tool's own line\n"], ids=["all", "all but a new line"])
def test_what_an_agents_tool_deleted_is_in_view_until_a_person_decides_and_comes_back(
    ada: Machine, line: str
) -> None:
    ada.init()
    lines = [f"- Hall {n} has a pump" for n in range(30)]
    ada.write("shop/halls.md", "\n".join(lines) + "\n")
    ada.sync()
    tree = checked_out(ada)
    ada.write("shop/halls.md", line)
    leave(ada, "shop/halls.md", line.encode(), tree)
    assert ada.sync().held
    assert "Hall 17 has a pump" in ada.ctxrepo("search", "17").stdout
    assert "says what the notes say" in ada.ctxrepo("cache", "verify").stdout
    assert any("back again" in deed for deed in mend(ada.open(), NOW))
    assert {*lines, *line.splitlines()} <= {*ada.read("shop/halls.md").splitlines()}
    assert not ada.sync().held
    assert "Hall 17 has a pump" in ada.git("show", "HEAD:shop/halls.md")


@pytest.mark.parametrize("count", [1, 12], ids=["few", "many"])
def test_what_a_tool_has_just_written_and_an_editor_overwrites_is_a_deletion_by_hand(
    ada: Machine, count: int
) -> None:
    ada.init()
    ada.write("shop/halls.md", "- one\n- two\n")
    ada.sync()
    stale, tree = ada.read("shop/halls.md"), checked_out(ada)
    lines = [f"- Hall {n} has a pump\n" for n in range(count)]
    leave(ada, "shop/halls.md", (stale + "".join(lines)).encode(), tree)
    ada.write("shop/halls.md", stale + "- typed meanwhile\n")
    if count > 1:
        assert ada.sync().held
        assert any("back again" in deed for deed in mend(ada.open(), NOW))
    else:
        (line,) = told_of(ada)
        assert line.startswith("shop/halls.md: 1 entry deleted by hand; `ctxrepo undo ")
        assert ada.git("log", "-1", "--format=%(trailers:key=Ctxrepo-Agent)").strip() == ""
        assert "claude" in ada.git("log", "-3", "--format=%(trailers:key=Ctxrepo-Agent)")
        assert ada.ctxrepo("undo", line.split("`ctxrepo undo ")[1][:10]).returncode == 0
    kept = ada.read("shop/halls.md").splitlines(keepends=True)
    assert {*lines, "- one\n", "- two\n"} <= {*kept}


def test_an_entry_that_moves_and_gets_lines_below_it_is_not_told_as_deleted(ada: Machine) -> None:
    ada.init()
    ada.write("shop/facts.md", "- fact a\n- fact b\n- fact c\n")
    told_of(ada)
    below = "  with a line below a and quite some more words that explain it\n"
    ada.write("shop/facts.md", f"- fact c\n- fact a\n{below}- fact b\n")
    assert not told_of(ada)
    ada.write("shop/facts.md", f"- fact c\n- other\n{below}")
    assert told_of(ada)


CONFIRMED = "by hand, and somebody confirmed that"


@pytest.mark.parametrize("is_changed_there", [False, True])
def test_a_yes_is_told_once_on_each_machine_and_can_be_taken_back(pair: Pair, is_changed_there: bool) -> None:
    ada, ben = pair
    told_of(ada)
    (ada.clone / "shop/long.md").unlink()
    told_of(ada)
    if is_changed_there:
        ben.write("shop/long.md", ben.read("shop/long.md").replace("- entry 3 xxx\n", "") + "- more\n")
        told_of(ben)
        told_of(ada)
    commit(ada.open(), datetime.now(UTC), CommitRequest(deletions=True))
    entries = 29 if is_changed_there else 30
    for machine in (ada, ben):
        lines = [line for line in told_of(machine) if CONFIRMED in line]
        assert [line.partition(";")[0] for line in lines] == [
            f"shop/long.md: {entries} entries deleted {CONFIRMED}"
        ]
        assert not [line for line in told_of(machine) if CONFIRMED in line]
        assert "entries deleted" not in machine.ctxrepo("status").stdout
    assert ben.ctxrepo("undo", lines[0].split("`ctxrepo undo ")[1][:10]).returncode == 0
    text = ben.read("shop/long.md")
    assert text.count("- entry ") == entries
    assert ("- more" in text) == is_changed_there


def test_a_yes_to_what_another_machine_has_changed_meanwhile_is_not_told_as_a_deletion(pair: Pair) -> None:
    ada, ben = pair
    told_of(ada)
    (ada.clone / "shop/long.md").unlink()
    told_of(ada)
    ben.write("shop/long.md", ben.read("shop/long.md") + "- more\n")
    told_of(ben)
    commit(ada.open(), datetime.now(UTC), CommitRequest(deletions=True))
    for machine in (ada, ben):
        lines = told_of(machine)
        assert [line for line in lines if "it is there again" in line]
        assert not [line for line in lines if CONFIRMED in line]
    assert ben.read("shop/long.md").count("- entry ") == 30
