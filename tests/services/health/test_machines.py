"""Which machines share the memory, as commits tell on each of them, and what isn't known of them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from connecting import workplace
from machines import NOW, Machine

import ctxrepo
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.health.machines import KnownMachine, known_machines
from ctxrepo.services.health.status import status
from ctxrepo.services.locate.identify import Location
from ctxrepo.services.notes.proposing import propose
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.saving.commit import commit


def known(machine: Machine, now: datetime = NOW) -> dict[str, KnownMachine]:
    memory = machine.open()
    stands = status(memory, Location(machine.project()), workplace(machine))
    machines = known_machines(memory, stands, now)
    assert machines[0].is_here
    assert machines[0].host == memory.host
    assert [other for other in machines[1:] if other.is_here] == []
    named = [other.last for other in machines[1:] if other.host and other.last]
    assert named == sorted(named, reverse=True)
    return {other.host: other for other in machines}


def write(machine: Machine, text: str, when: datetime, agent: str = "") -> None:
    memory = machine.open()
    remember(memory, Fact(text, scope="global"), None, Origin(memory.host, agent=agent), when)
    commit(machine.open(), when)


@pytest.mark.slow
def test_each_machine_is_told_on_the_other_from_its_commits(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    write(ada, "of ada", NOW - timedelta(days=10), "claude")
    write(ada, "of ada, later", NOW - timedelta(days=2), "codex")
    ada.sync()
    write(ben, "of ben", NOW - timedelta(days=1))
    for machine in (ben, ada):
        machine.sync()
    name, other = (machine.open().host for machine in pair)
    for machine in pair:
        peer = known(machine)[name]
        assert (peer.commits - peer.week, peer.agents) == (1, ["claude", "codex"])
        assert (peer.version, peer.authors) == (ctxrepo.__version__, ["ada"])
    assert (known(ada)[other].agents, known(ada)[other].is_here) == ([], False)
    assert known(ada)[other].last == NOW, "its merge is the last that is known of it"
    assert (known(ada)[other].commits, known(ada)[other].week) == (1, 1), "and no work"
    later = known(ada, NOW + timedelta(days=9))
    assert {other.week for other in later.values()} == {0}


def test_a_version_that_no_commit_names_is_not_known(ada: Machine) -> None:
    ada.init()
    for hosts, version in ((["old-1"], ""), (["new-1"], "9.9"), (["old-1", "new-1"], "9.8")):
        trailers = [f"Ctxrepo-Host: {host}" for host in hosts] + [f"Ctxrepo-Version: {version}"] * bool(
            version
        )
        ada.git("commit", "-q", "--allow-empty", "-m", "\n".join(("memory: edit x", "", *trailers)))
    machines = known(ada)
    assert machines["old-1"].version == ""
    assert machines["new-1"].version == "", "its last commit is of two machines, and says it of neither"
    ada.git("commit", "-q", "--allow-empty", "-m", "x\n\nCtxrepo-Host: new-1\nCtxrepo-Version: 9.10\n")
    assert known(ada)["new-1"].version == "9.10"
    ada.git("commit", "-q", "--allow-empty", "-m", "x\n\nCtxrepo-Host: new-1\n")
    assert known(ada)["new-1"].version == "", "it went back to one that doesn't say"
    assert known(ada)[ada.open().host].version == ctxrepo.__version__, "this one is known all the same"


def test_commits_by_hand_are_of_no_known_machine(ada: Machine) -> None:
    ada.init()
    assert "" not in known(ada)
    ada.git("commit", "-q", "--allow-empty", "-m", "by hand")
    unnamed = known(ada)[""]
    assert (unnamed.commits, unnamed.authors, unnamed.version, unnamed.to_send) == (1, ["ada"], "", None)
    assert list(known(ada))[-1] == ""


def test_what_waits_stands_at_the_machine_it_came_from(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    memory = ben.open()
    for text in ("maybe so", "or so"):
        propose(memory, Fact(text, scope="global"), None, Origin(memory.host, "s-1", "claude"), NOW)
    for machine in (ben, ada):
        machine.sync()
    assert dict(known(ada)[memory.host].waits) == {"proposal": 2}
    write(ada, "not sent", NOW)
    here = known(ada)[ada.open().host]
    assert (dict(here.waits), here.to_send) == ({}, 1)
    assert known(ada)[memory.host].to_send is None


@pytest.mark.parametrize("gone", ["", "elsewhere-9"])
def test_a_proposal_of_a_machine_without_commits_is_not_lost(ada: Machine, gone: str) -> None:
    ada.init()
    propose(ada.open(), Fact("so", scope="global"), None, Origin(gone, "s-1", "claude"), NOW)
    other = known(ada)[gone]
    assert (other.last, other.commits, dict(other.waits)) == (None, 0, {"proposal": 1})
