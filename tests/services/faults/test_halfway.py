"""Halfway: an `init` or a sync that was ended while it wrote notes is told, and the next one ends it."""

from __future__ import annotations

from connecting import workplace
from machines import Machine, make_machine

from ctxrepo.services.faults.finding import halfway
from ctxrepo.services.health.status import status
from ctxrepo.services.locate.identify import Location
from ctxrepo.storage.clone.reffiles import WT, WT_NEXT


def test_what_is_whole_is_no_finding(ada: Machine) -> None:
    ada.init()
    assert halfway(ada.open()) is None
    ada.remember("x")
    assert halfway(ada.open()) is None
    ada.sync()
    assert halfway(ada.open()) is None


def test_a_first_checkout_that_was_ended_is_told_and_a_second_init_ends_it(
    pair: tuple[Machine, Machine], remote: object
) -> None:
    ada, _ = pair
    ada.remember("one")
    ada.sync()
    carl = make_machine(ada.home.parent, "carl")
    carl.init(str(remote))
    objects = carl.open().objects
    tree = objects.tree_of(objects.ref("refs/heads/main"))
    assert tree
    (carl.clone / "shop" / "MEMORY.md").unlink()
    objects.drop_ref(WT)
    objects.set_ref(WT_NEXT, tree)
    half = halfway(carl.open())
    assert half
    assert half.remedy == "Run `ctxrepo init` again to finish it."
    assert "interrupted" in status(carl.open(), Location(None), workplace(carl)).obstacle
    carl.init(str(remote))
    assert halfway(carl.open()) is None
    assert "- one" in carl.read("shop/MEMORY.md")


def test_files_of_a_sync_that_was_ended_are_told(ada: Machine) -> None:
    ada.init()
    ada.remember("x")
    ada.sync()
    objects = ada.open().objects
    objects.set_ref(WT_NEXT, objects.edit(objects.ref(WT), {"shop/y.md": objects.store(b"- y\n")}))
    half = halfway(ada.open())
    assert half
    assert half.remedy == "`ctxrepo sync` ends it."
