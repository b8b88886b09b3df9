"""Anchors left, deleted and archived on three machines come to the same tape, in whatever order they meet."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from long import rotating
from machines import NOW, Machine, make_machine
from pitape import PiTape

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.anchors.remove_anchors import delete_anchors, reset_tape
from ctxrepo.services.reading.tape_files import tape_here
from ctxrepo.services.saving.commit import commit

PI = "TAPE/shop__anchors.jsonl"


@pytest.fixture
def three(tmp_path: Path, remote: Path) -> tuple[Machine, ...]:
    machines = tuple(make_machine(tmp_path, name) for name in ("ada", "ben", "cyd"))
    for machine in machines:
        machine.init(str(remote))
    machines[0].remember("a start")
    for machine in machines:
        machine.sync()
    return machines


def leave(machine: Machine, name: str, minutes: int = 0) -> str:
    origin = Origin(machine.open().host, f"s-{machine.home.name}", "claude")
    when = NOW + timedelta(minutes=minutes)
    made = anchor(machine.open(), AnchorRequest(name, summary=name), machine.project(), origin, when)
    return made.anchor.id


def delete(machine: Machine, *ids: str) -> None:
    delete_anchors(machine.open(), "shop", ids, Origin("h"), NOW)


def reset(machine: Machine) -> None:
    reset_tape(machine.open(), "shop", "", Origin("h"), NOW)


def on(machine: Machine) -> list[str]:
    return [anchor.name for anchor in tape_here(machine.open(), "shop").anchors]


def archived(machine: Machine) -> set[str]:
    files = (machine.clone / "TAPE/shop/archive").glob("*.jsonl")
    return {json.loads(line)["name"] for file in files for line in file.read_text().splitlines()}


def meet(machines: tuple[Machine, ...], rounds: int = 3) -> None:
    """All of them exchange until there is nothing more to exchange."""
    for _ in range(rounds):
        for machine in machines:
            machine.sync()
    assert len({machine.tree() for machine in machines}) == 1
    for machine in machines:
        assert not (machine.clone / "conflicts").exists(), "a version was kept aside"
        assert machine.ctxrepo("check").returncode == 0


@pytest.mark.parametrize(
    "order", rotating([pytest.param(order) for order in permutations(range(3))], keep=1), ids=str
)
def test_left_on_two_and_deleted_on_the_third_in_any_order(
    three: tuple[Machine, ...], order: tuple[int, ...]
) -> None:
    ada, ben, cyd = three
    old = [leave(ada, "old/one"), leave(ada, "old/two", 1)]
    meet(three, 2)
    delete(ada, old[0])
    leave(ben, "of/ben", 2)
    delete(cyd, *old)
    leave(cyd, "of/cyd", 3)
    meet(tuple(three[n] for n in order))
    for machine in three:
        assert on(machine) == ["of/ben", "of/cyd"]


def test_archived_on_one_deleted_on_another_and_left_on_the_third(three: tuple[Machine, ...]) -> None:
    ada, ben, cyd = three
    old = [leave(ada, "old/one"), leave(ben, "old/two", 1)]
    meet(three, 2)
    reset(ada)
    delete(ben, old[0])
    leave(cyd, "of/cyd", 3)
    reset(cyd)
    leave(cyd, "of/cyd/later", 4)
    meet(three)
    for machine in three:
        assert on(machine) == ["of/cyd/later"]
        assert archived(machine) == {"old/one", "old/two", "of/cyd"}


@pytest.mark.parametrize("number", rotating(range(2), keep=1))
def test_any_deeds_in_any_order_come_to_one_tape_and_nothing_is_lost(
    three: tuple[Machine, ...], number: int
) -> None:
    """What was left and neither deleted nor archived is on the tape of all; what was archived is there."""
    rng = Random(number)
    ids: dict[str, str] = {}
    gone: set[str] = set()
    put_aside: set[str] = set()

    def one_deed(machine: Machine, number: int) -> None:
        known = list(tape_here(machine.open(), "shop").anchors)
        pi = PiTape(machine.clone / PI)
        what = rng.choice(["leave", "leave", "leave", "delete", "reset", "pi leaves", "pi deletes", "sync"])
        if what == "leave":
            ids[leave(machine, f"n/{number}", number)] = f"n/{number}"
        elif what == "pi leaves":
            ids[pi.append(f"p/{number}")] = f"p/{number}"
        elif what == "delete" and known:
            chosen = rng.choice(known)
            delete(machine, chosen.id)
            gone.add(chosen.name)
        elif what == "pi deletes" and (there := pi.anchors()):
            chosen_by_pi = rng.choice(there)
            pi.remove(chosen_by_pi["id"])
            gone.add(chosen_by_pi["name"])
        elif what == "reset" and rng.random() < 0.5:
            reset(machine)
            put_aside.update(anchor.name for anchor in known)
        elif what == "sync":
            machine.sync()

    PiTape(three[0].clone / PI).append("p/first")
    ids["first"] = "p/first"
    three[0].sync()
    for machine in three:
        machine.sync()
    for number in range(18):
        machine = rng.choice(three)
        one_deed(machine, number)
        commit(machine.open(), NOW)  # as the worker does within seconds
    meet(three)
    for machine in three:
        assert set(on(machine)) == set(ids.values()) - gone - put_aside
        assert archived(machine) >= put_aside - gone


class TestPisRewrite:
    """What pi-memory-md writes anew differs in the order of its keys alone: that is no edit."""

    def both(
        self, ada: Callable[[PiTape], object], ben: Callable[[PiTape], object], tmp_path: Path
    ) -> list[str]:
        base = PiTape(tmp_path / "base")
        for name in ("a", "b", "c"):
            base.append(name, summary=f"of {name}")
        ours = base.file.read_text()
        lines = [json.loads(line) for line in ours.splitlines()]
        lines[1] |= {"meta": {**lines[1]["meta"], "handoff": {"goal": "g", "done": []}}}
        text = "".join(json.dumps(line) + "\n" for line in lines)
        sides = []
        for name, change in (("ada", ada), ("ben", ben)):
            tape = PiTape(tmp_path / name)
            tape.file.write_text(text)
            change(tape)
            sides.append(tape.file.read_bytes() if tape.file.exists() else None)
        merged = merge_file(PI, text.encode(), *sides)
        assert not merged.conflict_copies
        swapped = merge_file(PI, text.encode(), sides[1], sides[0])
        assert swapped == merged
        return [json.loads(line)["name"] for line in (merged.data or b"").decode().splitlines()]

    def test_it_deletes_while_we_append(self, tmp_path: Path) -> None:
        names = self.both(lambda pi: pi.remove("pi-a-0000"), lambda pi: pi.append("d"), tmp_path)
        assert names == ["b", "c", "d"]

    def test_it_deletes_on_both_machines(self, tmp_path: Path) -> None:
        assert self.both(lambda pi: pi.remove("pi-a-0000"), lambda pi: pi.remove("pi-c-0002"), tmp_path) == [
            "b"
        ]

    def test_it_is_reset_there_while_another_machine_appends(self, tmp_path: Path) -> None:
        assert self.both(lambda pi: pi.clear(), lambda pi: pi.append("d"), tmp_path) == ["d"]
        assert self.both(lambda pi: pi.clear(), lambda pi: pi.remove("pi-a-0000"), tmp_path) == []

    def test_it_deletes_one_and_we_take_off_another(self, tmp_path: Path) -> None:
        def ours(pi: PiTape) -> None:
            kept = [line for line in pi.file.read_text().splitlines() if '"pi-b-0001"' not in line]
            pi.file.write_text("".join(f"{line}\n" for line in kept))

        assert self.both(lambda pi: pi.remove("pi-a-0000"), ours, tmp_path) == ["c"]
