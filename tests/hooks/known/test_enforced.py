"""Which rules hold on a machine: those that a person approved there, as they and their entries are now."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from world import World

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Evidence, Kind
from ctxrepo.hooks.known.enforced import approval, approvals, held_rules, set_approval
from ctxrepo.hooks.known.world import APPROVALS

RULE, OTHER = "block command kubectl apply", "warn command kubectl apply"


def test_what_is_approved_is_so_until_it_is_taken_back(tmp_path: Path) -> None:
    state, one, other = str(tmp_path), approval("a", "text", RULE), approval("b", "text", RULE)
    assert approvals(state) == set()
    assert set_approval(state, one, is_on=True)
    assert set_approval(state, other, is_on=True)
    assert approvals(state) == {one, other}
    assert set_approval(state, one, is_on=False)
    assert approvals(state) == {other}
    assert set_approval(state, one, is_on=True)
    assert approvals(state) == {one, other}
    assert (tmp_path / APPROVALS).stat().st_mode & 0o777 == 0o600


def test_another_entry_text_or_rule_is_not_what_was_approved() -> None:
    known = approval("a", "text", RULE)
    assert (
        len({known, approval("b", "text", RULE), approval("a", "text.", RULE), approval("a", "text", OTHER)})
        == 4
    )
    assert approval("a", "a \ud800 b", RULE), "what isn't text is taken for something"


@pytest.mark.parametrize("make", ["missing", "folder", "bytes", "torn"])
def test_where_none_can_be_read_nothing_is_approved(tmp_path: Path, make: str) -> None:
    file, state = tmp_path / APPROVALS, str(tmp_path)
    if make == "folder":
        file.mkdir()
        assert not set_approval(state, approval("a", "text", RULE), is_on=True)
    elif make == "bytes":
        file.write_bytes(b"\xff\xfe\0\n+")
    elif make == "torn":
        file.write_text(f"+{approval('a', 'text', RULE)}"[:-3])
    assert approval("a", "text", RULE) not in approvals(state)


SHOP, OTHER_SHOP = "shop/MEMORY.md", "other/MEMORY.md"
NOTES = {SHOP: "- nobody deploys by hand\n", OTHER_SHOP: "- tabs, not spaces\n"}
EDITED = "- nobody deploys by foot\n"


def id_of(path: str, text: str) -> str:
    (entry,) = Note(path, text).entries
    return entry.id


FIRST, SECOND = (id_of(path, text) for path, text in NOTES.items())


def said(number: int, kind: Kind, entry: str, rule: str = "", to: str = "") -> Evidence:
    return Evidence(f"e{number}", f"2026-11-{number:02}", kind, entry, "shop/MEMORY.md", to, rule=rule)


def held(world: World, *folders: str) -> list[str]:
    """The rules that hold in these folders of the memory, each with the words of its entry."""
    with closing(sqlite3.connect(world.folder / "cache.db")) as cache:
        rules = held_rules(cache, json.dumps(folders), approvals(str(world.folder)))
    return [f"{one.entry} {one.rule.line}: {one.text.strip()}" for one in rules]


def test_only_those_hold_that_are_approved_as_they_are_now(world: World) -> None:
    both = [said(1, "enforced", FIRST, RULE), said(2, "enforced", SECOND, OTHER)]
    world.cache("c2", NOTES, records=both)
    assert held(world, "shop", "other") == []
    world.approve(FIRST, RULE)
    world.approve(SECOND, OTHER)
    of_first = f"{FIRST} {RULE}: - nobody deploys by hand"
    of_second = f"{SECOND} {OTHER}: - tabs, not spaces"
    assert sorted(held(world, "shop", "other")) == sorted([of_first, of_second])
    assert held(world, "other") == [of_second]
    assert held(world) == []
    edited = [*both, said(3, "moved", FIRST, to=id_of(SHOP, EDITED))]
    world.cache("c3", {SHOP: EDITED}, records=edited)
    assert held(world, "shop") == [], "another text"
    world.approve(id_of(SHOP, EDITED), RULE)
    assert len(held(world, "shop")) == 1
    world.cache("c4", NOTES, records=both)
    assert held(world, "shop") == [of_first], "which is what was approved"
    world.cache("c5", {}, records=[*both, said(3, "enforced", FIRST, "block tool Bash")])
    assert held(world, "shop") == [], "another rule"
    world.cache("c6", {}, records=[*both, said(3, "enforced", FIRST)])
    assert held(world, "shop") == [], "none any more"


@pytest.mark.parametrize("end", ["forgotten", "superseded", "gone"])
def test_a_rule_ends_with_its_entry(world: World, end: str) -> None:
    enforced = said(1, "enforced", FIRST, RULE)
    world.cache("c2", NOTES, records=[enforced])
    world.approve(FIRST, RULE)
    assert len(held(world, "shop")) == 1
    if end == "superseded":
        world.cache("c3", {}, records=[enforced, said(2, "superseded", FIRST, to=SECOND)])
    else:
        ended = [said(2, "forgotten", FIRST)] if end == "forgotten" else []
        world.cache("c3", {SHOP: "- something else\n"}, records=[enforced, *ended])
    assert held(world, "shop") == []


def test_a_rule_of_a_later_version_holds_nobody(world: World) -> None:
    line = "delay command git push"
    world.cache("c2", NOTES, records=[said(1, "enforced", FIRST, line)])
    world.approve(FIRST, line)
    assert held(world, "shop") == []
