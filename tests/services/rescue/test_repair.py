"""Repair: what is spoiled goes aside, what is missing comes back, and nothing sound is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from catalogue import object_of, spoil
from copies import Copies
from long import rotating
from machines import NOW, Machine, make_pair

from ctxrepo.errors import Damaged
from ctxrepo.services.health.clonecheck import damage
from ctxrepo.services.rescue.repair import RepairResult, _Repair, repair, with_repair
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.sync.sync import sync


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(half_sent)


@pytest.fixture
def remote(mine: Machine) -> Path:
    return mine.home.with_name("memory.git")


@pytest.fixture
def ben(mine: Machine) -> Machine:
    return Machine(mine.home.with_name("ben"))


def half_sent(place: Path) -> Machine:
    ada, _ = make_pair(place)
    ada.remember("sent before")
    ada.sync()
    ada.remember("committed here")
    commit(ada.open(), NOW)
    return ada


def heal(machine: Machine) -> list[RepairResult]:
    memory = machine.open()
    repairs: list[RepairResult] = []
    with_repair(memory, NOW, lambda: sync(memory, NOW), repairs.append)
    assert list(damage(machine.open())) == []
    return repairs


@pytest.mark.slow
def test_a_sound_clone_is_left_as_it_is(mine: Machine) -> None:
    before = {p: p.read_bytes() for p in (mine.clone / ".git").rglob("*") if p.is_file()}
    assert repair(mine.open(), NOW) == RepairResult((), (), None)
    after = {p: p.read_bytes() for p in (mine.clone / ".git").rglob("*") if p.is_file()}
    new = {p for p in after if p not in before}
    assert {p: after[p] for p in before} == before
    assert all(p.parent.parent.name == "objects" for p in new), "the folder on disk as a tree, at most"


def test_one_call_heals_and_tells(mine: Machine) -> None:
    spoil(object_of(mine, "HEAD"))
    (repair,) = heal(mine)
    assert repair.aside is not None
    assert f"{mine.clone / '.git/ctxrepo/broken'}" in repair.words
    assert "1 object file moved aside" in repair.words
    assert heal(mine) == []


def test_a_lost_commit_takes_nothing_back(mine: Machine) -> None:
    """It changed one line and took another away: the commit before it must bring neither again."""
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace("sent before", "said anew"))
    commit(mine.open(), NOW)
    spoil(object_of(mine, "HEAD"))
    mine.write("shop/topics/hand.md", "- by hand, not committed\n")
    heal(mine)
    there = mine.git("grep", "-h", "", "HEAD")
    assert ("said anew" in there, "by hand" in there, "sent before" in there) == (True, True, False)
    assert mine.git("ls-files", "conflicts") == ""


@pytest.mark.slow
def test_news_of_others_survive_a_lost_record(mine: Machine, ben: Machine) -> None:
    """Nothing tells what the files are based on, and another machine has changed the same note."""
    mine.sync()
    ben.sync()
    ben.remember("from elsewhere")
    ben.sync()
    for name in ("refs/heads/main", "refs/ctxrepo/wt", "refs/ctxrepo/wt-next", "logs/refs/heads/main"):
        (mine.clone / ".git" / name).write_text("")
    mine.remember("written meanwhile")
    heal(mine)
    there = mine.git("grep", "-h", "", "HEAD")
    assert all(f in there for f in ("from elsewhere", "written meanwhile", "committed here", "sent before"))


def test_without_remote_and_history_the_files_are_the_memory(ada: Machine) -> None:
    ada.init()
    ada.remember("only here")
    ada.sync()
    for file in (ada.clone / ".git/objects").glob("??/*"):
        spoil(file, b"x")
    (repair,) = heal(ada)
    assert "refs/heads/main was dropped" in repair.words
    assert "only here" in ada.git("grep", "-h", "only", "HEAD")
    (note,) = (ada.clone / ".git/ctxrepo/broken").glob("*/refs.txt")
    assert note.read_text().startswith("refs/heads/main ")


def test_a_remote_that_is_away_is_told_and_the_rest_goes_on(mine: Machine, remote: Path) -> None:
    remote.rename(remote.with_name("away.git"))
    spoil(object_of(mine, "HEAD~1"))
    outcome = repair(mine.open(), NOW)
    assert "the remote could not be asked" in outcome.words
    heal(mine)
    assert {"- sent before", "- committed here"} <= set(mine.read("shop/MEMORY.md").splitlines())


def test_what_a_person_has_begun_is_not_touched(mine: Machine) -> None:
    mine.git("switch", "-q", "-c", "idea")
    (mine.clone / ".git/refs/ctxrepo/wt").write_text("")
    before = mine.git("for-each-ref", "refs/heads")
    repair(mine.open(), NOW)
    assert mine.git("for-each-ref", "refs/heads") == before
    assert (mine.clone / ".git/HEAD").read_text() == "ref: refs/heads/idea\n"


def test_damage_that_stays_is_raised(mine: Machine) -> None:
    def fails() -> None:
        raise Damaged("something else")

    with pytest.raises(Damaged, match="something else"):
        with_repair(mine.open(), NOW, fails)


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    rotating(
        [
            pytest.param((_Repair, "_store_what_is_here")),
            pytest.param((_Repair, "_ask_remote")),
            pytest.param((_Repair, "_strangers")),
            pytest.param((_Repair, "_drop")),
            pytest.param((_Repair, "_index")),
        ]
    ),
    ids=lambda step: step[1],
)
def test_a_repair_that_is_killed_is_begun_again(
    mine: Machine, step: tuple[type, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped before each of its steps, it leaves the clone damaged or whole, never in between."""
    spoil(object_of(mine, "HEAD"))
    (mine.clone / ".git/refs/ctxrepo/wt").write_text("")

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(*step, die)
        with pytest.raises(Killed):
            repair(mine.open(), NOW)
    heal(mine)
    there = mine.git("grep", "-h", "", "HEAD")
    assert ("sent before" in there, "committed here" in there) == (True, True)
