"""Remotes that send more than a memory may have: refused in a sentence, local work goes on, nothing is walked
twice. `make torture` meets all of them at their full size."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from catalogue import arrived, output_of
from long import rotating
from machines import NOW, Machine, make_machine, make_remote
from torture import bombs, floods
from torture.floods import flood
from torture.forge import Forge

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.guard.bounds import COMMITS, PATHS
from ctxrepo.errors import BeyondBounds
from ctxrepo.services.faults.faults import current_faults
from ctxrepo.services.health.clonecheck import unseen
from ctxrepo.services.health.doctor import doctor
from ctxrepo.services.setup.connection import Machine as Place
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.remote.conversation import Remote

Attack = Callable[[Forge], None]


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


@pytest.fixture
def ada(tmp_path: Path, remote: Path) -> Machine:
    machine = make_machine(tmp_path, "ada")
    machine.init(str(remote))
    machine.remember("the good note is here")
    machine.sync()
    return machine


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the objects that are read, in their order."""
    oids: list[str] = []
    read = Objects.header

    def counted(self: Objects, oid: str, what: str) -> tuple[int, int]:
        oids.append(oid)
        return read(self, oid, what)

    monkeypatch.setattr(Objects, "header", counted)
    return oids


REFUSED: dict[str, tuple[Attack, str]] = {
    "10^10 paths": (lambda forge: floods.fan(forge, 10, 10), "11,111,111,1"),
    "folders alone": (lambda forge: floods.fan(forge, 10, 10, leaf=False), "11,111,111,1"),
    "more digits than numbers have": (
        lambda forge: floods.fan(forge, 100, 3000),
        "1,000,000,000,000,000,000",
    ),
    "deep": (lambda forge: floods.dig(forge, 900), "901 folders within each other, more than the 64"),
    "deeper than Python recurses": (lambda forge: floods.dig(forge, 3000), "3,001 folders"),
    "wide": (lambda forge: floods.widen(forge, PATHS.most), "more than the 250,000"),
    "names": (lambda forge: floods.widen(forge, 900, b"n" * 80_000), "bytes of folder listings"),
    "an octopus": (lambda forge: floods.octopus(forge, 5_000), "5,000 parents, more than the 100"),
    "a delta of half a GB": (lambda forge: bombs.copies(forge, 32, 1), "419,430,400 bytes of memory"),
    "cuttings": (lambda forge: bombs.cuttings(forge, 1, 300), "larger files that its files are cut out of"),
    "a message": (lambda forge: flood("a message of 20 MiB").attack(forge, Path()), "20,9"),
    "a header": (lambda forge: flood("a header of 5 MiB").attack(forge, Path()), "5,2"),
}

CLONED_BY_NOBODY = ("419,430,400 bytes of memory", "larger files that its files are cut out of")


@pytest.mark.parametrize(("attack", "words"), rotating(REFUSED.values()), ids=REFUSED)
def test_what_is_too_much_is_refused_with_the_number_and_work_goes_on(
    tmp_path: Path, remote: Path, ada: Machine, reads: list[str], attack: Attack, words: str
) -> None:
    good = Forge(remote).tip
    attack(Forge(remote))
    ada.remember("written while it was there")
    synced = ada.sync()
    assert (synced.remote.outcome, synced.created) == ("bounds", True)
    assert words in synced.remote.reason
    assert "git log" in synced.remote.next_step
    assert ada.git("rev-parse", "origin/main") == good
    assert "written while it was there" in ada.git("grep", "-h", "written", "HEAD")

    reads.clear()
    assert ada.sync().remote.outcome == "bounds"
    assert len(reads) < 100  # of the verdict, no walk

    ben = make_machine(tmp_path, "ben")
    if words in CLONED_BY_NOBODY:
        Forge(remote).point(good)
        ben.init(str(remote))
        attack(Forge(remote))
    else:
        ben.init(str(remote))
    ben.remember("a new machine works")
    assert ben.sync().remote.outcome == "bounds"

    Forge(remote).point(good)
    assert ada.sync().remote.ok
    assert ben.sync().remote.ok
    arrived(ben, ada, remote, "the good note is here", "written while it was there", "a new machine works")


def test_a_person_is_told_by_sync_status_doctor_and_the_session(remote: Path, ada: Machine) -> None:
    floods.fan(Forge(remote), 10, 10)
    run = ada.process("sync")
    assert run.returncode == 5
    (line,) = output_of(run).splitlines()
    assert "11,111,111,1" in line
    assert "250,000" in line
    assert "git log" in line
    for words in ("status", "doctor"):
        assert "more than a memory may be" in output_of(ada.process(words))
    assert any("more than a memory may be" in fault.text for fault in current_faults(ada.open()))


def test_a_folder_in_a_billion_places_is_read_once(remote: Path, ada: Machine, reads: list[str]) -> None:
    floods.fan(Forge(remote), 10, 10)
    ada.sync()
    assert len(reads) < 300


@pytest.mark.parametrize(
    "attack",
    rotating([lambda f: floods.dig(f, 3000), lambda f: floods.fan(f, 10, 10)], keep=1),
)
def test_who_merged_it_with_their_own_git_is_told_and_goes_back(
    remote: Path, ada: Machine, attack: Attack
) -> None:
    attack(Forge(remote))
    ada.git("fetch", "-q", "origin")
    ada.git("update-ref", "refs/heads/main", "origin/main")
    before = ada.git("rev-parse", "main~1")
    fact = ada.process("remember", "written on top of it")
    assert fact.returncode == 0, output_of(fact)
    for words in COMMANDS:
        run = ada.process(*words)
        assert run.returncode in (0, 1, 3), output_of(run)
        output_of(run)
    assert "take main back" in output_of(ada.process("sync"))
    assert "take main back" in output_of(ada.process("status"))
    assert "take main back" in output_of(ada.process("doctor"))

    ada.git("update-ref", "refs/heads/main", before)
    Forge(remote).point(before)
    assert ada.sync().remote.ok
    assert "written on top of it" in ada.git("grep", "-h", "written", "HEAD")


COMMANDS = (
    ("context",),
    ("search", "good"),
    ("list",),
    ("list", "--tree"),
    ("recall", "the good note"),
    ("history",),
    ("history", "MEMORY.md"),
    ("why", "MEMORY.md"),
    ("diff", "--since", "2001-01-01"),
    ("review", "--html"),
    ("log",),
    ("check",),
    ("doctor",),
    ("undo",),
    ("cache", "verify"),
    ("cache", "rebuild"),
    ("conflicts", "list"),
    ("project", "list"),
)


LOOKS = (("history",), ("history", "--json"), ("history", "MEMORY.md"), ("why", "MEMORY.md"), ("diff",))


def test_a_bomb_in_the_middle_of_the_history_stops_only_who_looks_at_it(remote: Path, ada: Machine) -> None:
    """Its last commit is good, so it is taken; the version in between can't be listed."""
    flood("a bomb that was taken back").attack(Forge(remote), Path())
    ada.remember("written meanwhile")
    assert ada.sync().remote.ok
    for words in COMMANDS:
        run = ada.process(*words)
        assert run.returncode in (0, 1, 3), (words, output_of(run))
        output_of(run)


@pytest.mark.parametrize(
    "name",
    rotating(
        ["a message in no encoding", "an encoding nobody knows", "the year 500000", "a time before all",
         "a time zone of 99 hours", "100,000 headers", "a message of 500 KiB", "an octopus of 90"],
    ),
)  # fmt: skip
def test_an_odd_commit_is_taken_and_shown(remote: Path, ada: Machine, name: str) -> None:
    flood(name).attack(Forge(remote), Path())
    ada.remember("written meanwhile")
    assert ada.sync().remote.ok
    for words in (*LOOKS, ("log",), ("status",), ("review", "--html")):
        run = ada.process(*words)
        assert run.returncode == 0, output_of(run)
        assert len(output_of(run)) < 100_000


@pytest.mark.parametrize("name", rotating(["a time below zero", "the year 292277026596"], keep=1))
def test_a_time_that_no_calendar_has_raises_nothing(remote: Path, ada: Machine, name: str) -> None:
    """git's own check refuses some; a person's git may have taken it."""
    flood(name).attack(Forge(remote), Path())
    assert ada.sync().remote.outcome in ("malformed", "ok")
    ada.git("-c", "fetch.fsckObjects=false", "fetch", "-q", "origin")
    ada.git("update-ref", "refs/heads/main", "origin/main")
    ada.remember("written on top of it")
    for words in (*LOOKS, ("log",), ("status",), ("review", "--html")):
        run = ada.process(*words)
        assert run.returncode == 0, output_of(run)
        output_of(run)


def test_the_shared_branch_is_no_commit(remote: Path, ada: Machine) -> None:
    good = Forge(remote).tip
    floods.tags(Forge(remote), 300)
    synced = ada.sync()
    assert synced.remote.outcome == "malformed"
    Forge(remote).point(good)
    assert ada.sync().remote.ok


def test_a_long_chain_is_taken_by_walks_that_count_it_once(
    remote: Path, ada: Machine, reads: list[str]
) -> None:
    floods.chain(Forge(remote), 5_000)
    assert ada.sync().remote.ok
    assert len(reads) < 20 * 5_000
    reads.clear()
    assert ada.sync().remote.ok
    assert len(reads) < 1_000


def test_a_history_is_as_long_as_it_may_be(
    remote: Path, ada: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it came in pieces that are each within the bound."""
    monkeypatch.setattr("ctxrepo.services.faults.bounds.COMMITS", small := type(COMMITS)(300, "commits", ""))
    monkeypatch.setattr("ctxrepo.storage.objects.reading.COMMITS", small)
    for _ in range(2):
        floods.chain(Forge(remote), 120)
        assert ada.sync().remote.ok
    floods.chain(Forge(remote), 120)
    assert "commits, more than the 300" in ada.sync().remote.reason


def test_what_is_written_here_is_committed_and_not_sent_when_it_is_too_much(
    remote: Path, ada: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxrepo.storage.objects.trees.PATHS", type(PATHS)(30, "files and folders", ""))
    before = Forge(remote).tip
    for number in range(40):
        ada.write(f"global/n{number}.md", f"- number {number}\n")
    synced = ada.sync()
    assert (synced.remote.outcome, synced.created) == ("bounds", True)
    assert Forge(remote).tip == before
    ada.write("global/one-more.md", "- one more\n")
    assert ada.sync().created
    place = Place(ada.places, ada.env, Path(sys.executable))
    (problem,) = (
        finding.problem
        for look in doctor(ada.open(), place, NOW)
        for finding in look.findings
        if look.name == "remote"
    )
    assert "does not reach its remote: it would make this more than a memory may be" in problem


def test_what_git_could_not_take_is_not_asked_for_again(
    remote: Path, ada: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[str] = []
    fetch = Remote.fetch

    def counted(self: Remote, also: str = "") -> RemoteAnswer:
        requests.append(also)
        return fetch(self, also)

    monkeypatch.setattr(Remote, "fetch", counted)
    good = Forge(remote).tip
    bombs.copies(Forge(remote), 32, 1)
    first, second = ada.sync().remote, ada.sync().remote
    assert first == second
    assert f"commit {Forge(remote).tip[:10]}: " in first.reason
    assert len(requests) == 1
    Forge(remote).point(good)
    assert ada.sync().remote.ok
    assert ada.sync().remote.ok
    assert len(requests) == 3


def test_zeros_go_through_git_in_pieces(remote: Path, ada: Machine) -> None:
    bombs.zeros(Forge(remote), 450 * 2**20)
    assert ada.sync().remote.ok


def test_who_lists_what_is_not_written_here_measures_it_first(remote: Path, ada: Machine) -> None:
    floods.fan(Forge(remote), 10, 10)
    ada.git("fetch", "-q", "origin")
    ada.git("update-ref", "refs/heads/main", "origin/main")
    with pytest.raises(BeyondBounds, match="11,111,111,1"):
        list(unseen(ada.open()))
