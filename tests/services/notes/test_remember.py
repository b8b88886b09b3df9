"""One fact becomes one entry: where it goes, what it replaces, and what survives it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from machines import NOW, Machine

from ctxrepo.domain.project.target import Target, parse_target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused, UsageError
from ctxrepo.hooks.known.cached import generation_of
from ctxrepo.hooks.known.packet_rows import changed_since
from ctxrepo.hooks.session.ledger import add
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.hooks.session.session import Session
from ctxrepo.services.inbox.staging import waiting
from ctxrepo.services.notes.proposing import propose, propose_all
from ctxrepo.services.notes.remarks import RememberResult
from ctxrepo.services.notes.remember import plan_entry, remember, remember_all
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.entries import entries_of_scopes, entry_by_id
from ctxrepo.storage.memory import Memory


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def marks(machine: Machine, entry_id: str) -> tuple[bool, bool]:
    """(pinned, struck) of an entry once everything is committed."""
    memory = machine.open()
    commit(memory, NOW)
    entry = memory.cache.ask(entry_by_id, entry_id)
    assert entry is not None
    return entry.is_pinned, entry.is_struck


def test_a_fact_goes_to_the_projects_memory_under_notes(mine: Machine) -> None:
    made = mine.remember("make test runs everything")
    assert made.at == "shop/MEMORY.md#L9"
    assert mine.read("shop/MEMORY.md").endswith("## Notes\n\n- make test runs everything\n")
    assert '"git.example.org/ada/shop" = "shop"' in mine.read("ctxrepo.toml")


def test_category_tags_and_key_stand_in_the_entry_and_choose_its_note(mine: Machine) -> None:
    mine.remember("6380", category="Gotcha", tags=("redis", "#ports"), key="redis-port")
    assert mine.read("shop/topics/gotcha.md").endswith("- [Gotcha] redis-port: 6380 #redis #ports\n")


def test_the_second_fact_of_a_section_follows_the_first(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "# Top\n\n## Notes\n\n- one\n  more of one\n\n## After\n\n- last\n")
    mine.remember("two")
    assert mine.read("shop/MEMORY.md") == (
        "# Top\n\n## Notes\n\n- one\n  more of one\n- two\n\n## After\n\n- last\n"
    )


@pytest.mark.parametrize("ends", ["\n", "\r\n", ""])
def test_every_other_byte_of_the_note_stays(mine: Machine, ends: str) -> None:
    note = (
        b"---\n# why\ndescription:   odd   spacing # kept\n---\n- caf\xc3\xa9 \xff\xfe\n- last"
        + ends.encode()
    )
    (mine.clone / "global").mkdir(exist_ok=True)
    (mine.clone / "global/odd.md").write_bytes(note)
    mine.remember("new", note=parse_target("global:odd.md"))
    assert (mine.clone / "global/odd.md").read_bytes().startswith(note)
    assert (mine.clone / "global/odd.md").read_bytes().endswith(b"- new\n")


def test_updated_is_bumped_where_it_is_and_never_added(mine: Machine) -> None:
    mine.write("global/dated.md", "---\nupdated: 2020-01-01 # keep me not\ntags: [a]\n---\n- x\n")
    mine.write("global/plain.md", "- x\n")
    for name in ("dated", "plain"):
        mine.remember("y", note=parse_target(f"global:{name}"))
    assert mine.read("global/dated.md").startswith("---\nupdated: 2026-11-20\ntags: [a]\n---\n")
    assert "updated" not in mine.read("global/plain.md")


def test_the_same_words_twice_are_one_entry(mine: Machine) -> None:
    result = mine.remember("port is 6380")
    before = mine.read("shop/MEMORY.md")
    again = mine.remember("  port   is 6380 ")
    assert (again.id, again.existing) == (result.id, True)
    assert mine.read("shop/MEMORY.md") == before


def test_a_category_goes_to_the_note_that_is_called_by_its_plural(mine: Machine) -> None:
    mine.write("shop/topics/lessons.md", "- one\n")
    assert mine.remember("two", category="lesson").at == "shop/topics/lessons.md#L2"
    mine.write("shop/topics/lesson.md", "- three\n")
    assert mine.remember("four", category="lesson").at == "shop/topics/lesson.md#L2"


def test_a_key_replaces_the_scopes_entry_wherever_it_stands(mine: Machine) -> None:
    old = mine.remember("6379", key="redis-port", category="gotcha")
    new = mine.remember("6380", key="redis-port")
    assert new.replaced == (old.id,)
    assert mine.read("shop/topics/gotcha.md").endswith("- redis-port: 6380\n")
    assert not (mine.clone / "shop/MEMORY.md").exists()
    other = mine.remember("6379", key="redis-port", scope="global")
    assert other.replaced == ()


def test_two_keys_of_one_note_are_replaced_in_one_write(mine: Machine) -> None:
    mine.write("shop/topics/ports.md", "# Ports\n\n- redis: 6379\n- http: 80\n")
    facts = [Fact("6380\nsince May", key="redis"), Fact("81", key="http")]
    remember_all(mine.open(), facts, mine.project(), Origin("ada"), NOW)
    assert mine.read("shop/topics/ports.md") == "# Ports\n\n- redis: 6380\n  since May\n- http: 81\n"


def test_an_entry_in_a_note_of_another_encoding_is_not_replaced_by_its_key(mine: Machine) -> None:
    note = mine.clone / "shop/topics/ports.md"
    note.parent.mkdir(parents=True)
    saved = "- redis: 6379\n".encode("utf-16")
    note.write_bytes(saved)
    with pytest.raises(Refused, match=r"ports\.md is UTF-16"):
        mine.remember("6380", key="redis")
    assert note.read_bytes() == saved


def test_what_is_superseded_stays_in_the_note_and_leaves_delivery(mine: Machine) -> None:
    old = mine.remember("deploy by hand")
    new = mine.remember("deploy through CI", supersedes=Target(entry_id=old.id))
    assert "deploy by hand" in mine.read("shop/MEMORY.md")
    assert (marks(mine, old.id), marks(mine, new.id)) == ((False, True), (False, False))


def test_what_was_superseded_holds_again_when_it_is_said_again(mine: Machine) -> None:
    old = mine.remember("deploy by hand")
    mine.remember("deploy through CI", supersedes=Target(entry_id=old.id))
    assert marks(mine, old.id) == (False, True)
    memory = mine.open()
    later = NOW + timedelta(minutes=1)
    again = remember(memory, Fact("deploy by hand"), mine.project(), Origin(memory.host), later)
    assert (again.id, again.existing) == (old.id, True)
    assert marks(mine, old.id) == (False, False)


def test_a_pin_survives_the_correction_of_a_typo(mine: Machine) -> None:
    made = mine.remember("never push to the relase branch", pin=True)
    assert marks(mine, made.id) == (True, False)
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace("relase", "release"))
    memory = mine.open()
    commit(memory, NOW)
    pinned = [e.entry.plain for e in memory.cache.ask(entries_of_scopes, ["shop"]) if e.is_pinned]
    assert pinned == ["never push to the release branch"]


@pytest.mark.slow
def test_a_month_of_which_much_is_said_goes_on_in_a_second_file(mine: Machine) -> None:
    kept = [mine.remember(f"fact {n}", pin=True) for n in range(2)]
    (file,) = (mine.clone / ".ctx/evidence").iterdir()
    much = file.read_text() + "".join(
        f'{{"id": "{n:016}", "kind": "stated", "entry": "{n:012x}"}}\n' for n in range(10_000)
    )
    file.write_text(much)
    late = mine.remember("said late in a busy month", pin=True)
    assert [f.name for f in sorted((mine.clone / ".ctx/evidence").iterdir())] == [
        f"{file.stem}-2.jsonl",
        file.name,
    ]
    assert file.read_text() == much
    assert [marks(mine, made.id) for made in (*kept, late)] == [(True, False)] * 3


def test_what_is_there_already_can_be_pinned(mine: Machine) -> None:
    for how in ({}, {"key": "port"}):
        made = mine.remember("is 6380", **how)
        assert marks(mine, made.id) == (False, False)
        again = mine.remember("is 6380", pin=True, **how)
        assert (again.id, again.existing, again.pinned) == (made.id, True, True)
        assert marks(mine, made.id) == (True, False)
        assert not mine.remember("is 6380", pin=True, **how).pinned


def test_a_session_that_pins_or_supersedes_what_others_wrote_is_not_told_of_it(mine: Machine) -> None:
    mine.remember("pinned soon", category="one")
    old = mine.remember("holds no longer", category="two")
    commit(mine.open(), NOW)
    memory = mine.open()
    before = generation(memory)
    claude = Origin(memory.host, "s1", "claude")
    for fact in (
        Fact("pinned soon", category="one", pin=True),
        Fact("holds now", category="three", supersedes=Target(entry_id=old.id)),
    ):
        remember(memory, fact, mine.project(), claude, NOW)
    commit(mine.open(), NOW)
    places = ["shop/topics/one.md", "shop/topics/three.md", "shop/topics/two.md"]
    assert news(memory, before, "s2") == places
    assert news(memory, before, "s1") == []


def test_what_another_wrote_meanwhile_is_news_to_a_session_that_pins_in_that_note(mine: Machine) -> None:
    mine.remember("pinned soon", category="one")
    commit(mine.open(), NOW)
    memory = mine.open()
    before = generation(memory)
    ledger = ledger_path(str(memory.places.state), "claude", "s1")
    add(ledger, [f"@{memory.state.id} generation {before}"])
    mine.write("shop/topics/one.md", mine.read("shop/topics/one.md") + "- somebody else's line\n")
    commit(memory, NOW)
    pinned = Fact("pinned soon", category="one", pin=True)
    remember(memory, pinned, mine.project(), Origin(memory.host, "s1", "claude"), NOW)
    commit(mine.open(), NOW)
    assert news(memory, before, "s1") == ["shop/topics/one.md"]


def generation(memory: Memory) -> int:
    with closing(sqlite3.connect(str(memory.state.cache))) as cache:
        return generation_of(cache)


def news(memory: Memory, since: int, session: str) -> list[str]:
    """The notes that a session is told of because somebody changed them."""
    its = Session(str(memory.places.state), memory.state.id, "claude", session)
    with closing(sqlite3.connect(str(memory.state.cache))) as cache:
        changed = changed_since(cache, ["shop", "global"], since)
        return sorted(row.path for row in its.changed_by_others(cache, changed))


def test_an_explicit_id_is_written_on_request_and_outlives_edits(mine: Machine) -> None:
    made = mine.remember("port is 6380", with_id=True)
    assert f"<!-- ^{made.id} -->" in mine.read("shop/MEMORY.md")
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace("port is 6380", "quite another thing"))
    assert marks(mine, made.id) == (False, False)


def test_a_staged_fact_waits_in_the_inbox(mine: Machine) -> None:
    memory = mine.open()
    made = propose(memory, Fact("maybe so", category="idea"), mine.project(), Origin(memory.host), NOW)
    assert made.at == f"inbox/{memory.host}.jsonl"
    change = json.loads(mine.read(made.at))
    assert (change["verb"], change["text"], change["scope"]) == ("remember", "maybe so", "shop")
    assert not (mine.clone / "shop").exists()


def test_what_waits_already_is_proposed_once(mine: Machine) -> None:
    memory, project = mine.open(), mine.project()

    def proposed(text: str, session: str = "", **more: Any) -> RememberResult:
        return propose(memory, Fact(text, **more), project, Origin(memory.host, session), NOW)

    first = proposed("maybe so", tags=["x"])
    again = proposed("maybe  so", "another session", tags=("x",))
    assert (again.id, again.at, again.existing, again.staged) == (first.id, first.at, True, True)
    others = [proposed("maybe so"), proposed("maybe so", pin=True, tags=["x"]), proposed("Maybe not")]
    others.append(proposed("maybe so", scope="global", tags=["x"]))
    assert not any(other.existing for other in others)
    assert len({line.name for line in waiting(memory)}) == 5
    plan = plan_entry(memory, Fact("at once"), project)
    new, same = propose_all(memory, [plan, plan], Origin(memory.host), NOW)
    assert (new.id, new.existing, same.existing) == (same.id, False, True)


@pytest.mark.parametrize(
    ("fact", "error", "message"),
    [
        ({"text": "  "}, UsageError, "the text is empty"),
        ({"text": "x" * 70_000}, UsageError, "larger than 64 KiB"),
        ({"text": "x", "category": "two words"}, UsageError, "not a single word"),
        ({"text": "x", "scope": "elsewhere"}, NotFound, "no scope 'elsewhere'"),
        ({"text": "x", "supersedes": Target(entry_id="0" * 12)}, NotFound, "no entry"),
        ({"text": "token ghp_" + "a1B2" * 9}, Refused, "secret"),
    ],
)
def test_what_can_not_be_remembered_is_said_and_writes_nothing(
    mine: Machine, fact: dict[str, str], error: type[Exception], message: str
) -> None:
    before = sorted(mine.open().worktree.scan().files)
    with pytest.raises(error, match=message):
        mine.remember(**fact)
    memory = mine.open()
    assert sorted(memory.worktree.scan().files) == before
    assert not memory.journal.names()


def test_several_lines_are_one_entry(mine: Machine) -> None:
    mine.remember("first line\n- looks like a bullet\n\nlast line")
    mine.remember("second fact")
    memory = mine.open()
    commit(memory, NOW)
    texts = [e.entry.plain for e in memory.cache.ask(entries_of_scopes, ["shop"])]
    assert texts == ["first line\n  - looks like a bullet\n\n  last line", "second fact"]


class TestTwins:
    @pytest.mark.parametrize("name", ["topics/Größe", "topics/gro\u0308ße", "TOPICS/GRÖSSE"])
    def test_a_note_named_in_another_spelling_is_that_note(self, mine: Machine, name: str) -> None:
        mine.write("shop/topics/größe.md", "- one\n")
        made = mine.remember("two", note=parse_target(name))
        assert made.at == "shop/topics/größe.md#L2"
        assert [path.name for path in (mine.clone / "shop/topics").iterdir()] == ["größe.md"]

    def test_of_two_notes_that_differ_in_case_the_one_that_is_spelt_so(self, mine: Machine) -> None:
        mine.write("shop/topics/Gotcha.md", "- one\n")
        mine.write("shop/topics/gotcha.md", "- two\n")
        for name in ("Gotcha", "gotcha"):
            assert mine.remember(f"three in {name}", note=parse_target(f"topics/{name}")).at.endswith(
                f"/{name}.md#L2"
            )

    def test_a_key_in_another_spelling_is_that_key_wherever_it_stands(self, mine: Machine) -> None:
        old = mine.remember("6379", key="Port", category="gotcha")
        assert mine.remember("6380", key="port").replaced == (old.id,)

    def test_of_two_keys_that_differ_in_case_the_one_that_is_spelt_so(self, mine: Machine) -> None:
        mine.write("shop/MEMORY.md", "- Port: 1\n- port: 2\n")
        assert mine.remember("3", key="port").was == ("port: 2",)
        assert mine.read("shop/MEMORY.md") == "- Port: 1\n- port: 3\n"
        (rival,) = mine.remember("4", key="port").rivals
        assert rival.at == "shop/MEMORY.md#L1"
