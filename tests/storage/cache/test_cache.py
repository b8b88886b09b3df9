"""The cache says what the notes say, moves on by generations, and can always be thrown away."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.known import cached as hook_cache
from ctxrepo.hooks.known import packet_rows as hook_notes
from ctxrepo.hooks.known.cached import HABITS, RULES, generation_of, last_round_of
from ctxrepo.hooks.recall.prompt_query import find
from ctxrepo.storage.cache.cache import Cache, all_faults, put_faults, put_round
from ctxrepo.storage.cache.entries import entries_of_scopes, entry_by_id, notes_of_scopes
from ctxrepo.storage.cache.layout import Fault, NewestHandoff, set_meta

NONE = Marks()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    cache = Cache.open(tmp_path / "state/cache.db")
    yield cache
    cache.close()


def read(cache: Cache) -> sqlite3.Connection:
    db = hook_cache.open_cache(str(cache.path))
    assert db is not None
    return db


def recalled(cache: Cache, words: str, *scopes: str) -> list[str]:
    return [hit.text for hit in find(read(cache), words, list(scopes), 10)]


def test_a_new_cache_is_empty(cache: Cache) -> None:
    assert (cache.head, cache.ask(generation_of), cache.ask(last_round_of)) == ("", 0, 0)
    assert cache.ask(notes_of_scopes, ["global"]) == []
    assert cache.ask(entries_of_scopes, ["global"]) == []
    assert cache.path.stat().st_mode & 0o777 == 0o600
    assert cache.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_note_is_laid_out_for_the_hook(cache: Cache) -> None:
    text = (
        "---\ndescription: The shop\ntags: [a, b c]\ncreated: 2024-01-01\nupdated: 2025-02-03\n---\n\n"
        "# Top\n\n## Sub\n\n- one *(pinned)*\n- two\n  more\n"
    )
    assert cache.apply("c1", [Note("shop/core/x.md", text)], [], NONE)
    (note,) = cache.ask(notes_of_scopes, ["shop"])
    assert (note.path, note.scope, note.description, note.tags, note.updated) == (
        "shop/core/x.md",
        "shop",
        "The shop",
        "a, b c",
        "2025-02-03",
    )
    assert (note.is_pinned, note.is_core, note.is_listed, note.generation) == (True, True, True, 1)
    first, second = cache.ask(entries_of_scopes, ["shop"])
    assert (first.entry.heading, first.entry.first_line, first.is_pinned) == (("Top", "Sub"), 12, True)
    assert (second.entry.text, second.entry.at, second.is_pinned) == (
        "- two\n  more",
        "shop/core/x.md#L13-L14",
        False,
    )
    assert cache.ask(entry_by_id, second.entry.id) == second
    assert cache.ask(entry_by_id, "none") is None
    (row,), count = hook_notes.index_of(read(cache), "shop", 9)
    assert (row.path, row.description, row.tags) == ("shop/core/x.md", "The shop", "a, b c")
    assert (row.updated, row.is_pinned, row.is_core, count) == ("2025-02-03", 1, 1, 1)


@pytest.mark.parametrize(
    ("path", "tags", "rules"),
    [
        ("global/preferences.md", "", RULES),
        ("shop/topics/preference.md", "", RULES),
        ("shop/rules/deploy.md", "", RULES),
        ("shop/topics/deploy.md", "ops, Rules", RULES),
        ("shop/core/USER.md", "", RULES),
        ("shop/topics/USER.md", "", 0),
        ("shop/topics/firewall-rules.md", "", HABITS),
        ("global/writing_style.md", "", HABITS),
        ("global/topics/styles.md", "", 0),
    ],
)
def test_notes_of_rules_are_known_by_names_and_tags(cache: Cache, path: str, tags: str, rules: int) -> None:
    cache.apply("c1", [Note(path, f"---\ntags: [{tags}]\n---\n- x\n")], [], NONE)
    assert read(cache).execute("select rules from note").fetchall() == [(rules,)]


def test_created_stands_in_for_updated(cache: Cache) -> None:
    cache.apply("c1", [Note("a/x.md", "---\ncreated: 2024-01-01\n---\n"), Note("a/y.md", "x")], [], NONE)
    assert [note.updated for note in cache.ask(notes_of_scopes, ["a"])] == ["2024-01-01", ""]


def test_generations_move_only_when_something_changed(cache: Cache) -> None:
    notes = [Note("shop/a.md", "- one"), Note("shop/b.md", "- two")]
    assert cache.apply("c1", notes, [], NONE)
    assert not cache.apply("c2", notes, ["shop/never.md"], NONE)
    assert (cache.head, cache.ask(generation_of)) == ("c2", 1)
    assert cache.apply("c3", [Note("shop/b.md", "- three")], [], NONE)
    assert [note.generation for note in cache.ask(notes_of_scopes, ["shop"])] == [1, 2]
    assert [row.path for row in hook_notes.changed_since(read(cache), ["shop", "global"], 1)] == ["shop/b.md"]
    assert cache.apply("c4", [], ["shop/a.md"], NONE)
    assert [note.path for note in cache.ask(notes_of_scopes, ["shop"])] == ["shop/b.md"]
    assert cache.ask(generation_of) == 3


def test_what_is_gone_is_recalled_no_more(cache: Cache) -> None:
    cache.apply("c1", [Note("shop/a.md", "- walnut"), Note("shop/b.md", "- almond")], [], NONE)
    assert recalled(cache, "walnut almond", "shop") == ["- walnut", "- almond"]
    cache.apply("c2", [Note("shop/a.md", "- hazel")], ["shop/b.md"], NONE)
    assert recalled(cache, "walnut almond", "shop") == []
    assert recalled(cache, "hazel", "shop") == ["- hazel"]


def test_folders_that_stand_aside(cache: Cache) -> None:
    aside = ["shop/archive/a.md", "conflicts/shop/a.md", "shop/conflicts/a.md", "inbox/a.md", "archive/a.md"]
    aside += ["TAPE/shop/a.md", ".ctx/a.md", "shop/.hidden/a.md", "README.md"]
    listed = ["shop/a.md", "shop/topics/archive/a.md"]
    cache.apply("c1", [Note(path, "- walnut") for path in aside + listed], [], NONE)
    scopes = {path.split("/")[0] for path in aside + listed}
    assert [n.path for n in cache.ask(notes_of_scopes, sorted(scopes)) if n.is_listed] == listed
    assert len(recalled(cache, "walnut", *scopes)) == 2
    archived = next(e for e in cache.ask(entries_of_scopes, ["shop"]) if e.entry.path == "shop/archive/a.md")
    assert cache.ask(entry_by_id, archived.entry.id) == archived


def test_only_markdown_is_a_note(cache: Cache) -> None:
    assert not cache.apply("c1", [Note("ctxrepo.toml", "x"), Note("TAPE/a/h.jsonl", "{}")], [], NONE)
    assert cache.head == "c1"


def test_marks_pin_strike_and_let_go(cache: Cache) -> None:
    cache.apply(
        "c1", [Note("shop/a.md", "- walnut\n- almond *(pinned)*\n"), Note("shop/b.md", "- pecan")], [], NONE
    )
    walnut, almond, pecan = (e.entry.id for e in cache.ask(entries_of_scopes, ["shop"]))
    marks = Marks(pinned=frozenset({pecan}), struck=frozenset({walnut, almond}))
    assert cache.apply("c2", [], [], marks)
    assert [(e.is_pinned, e.is_struck) for e in cache.ask(entries_of_scopes, ["shop"])] == [
        (False, True),
        (True, True),
        (True, False),
    ]
    notes = cache.ask(notes_of_scopes, ["shop"])
    assert [(n.is_pinned, n.generation) for n in notes] == [(False, 2), (True, 2)]
    assert recalled(cache, "walnut almond pecan", "shop") == ["- pecan"]
    assert not cache.apply("c3", [], [], marks)
    assert cache.apply("c4", [], [], NONE)
    assert sorted(recalled(cache, "walnut almond pecan", "shop")) == [
        "- almond *(pinned)*",
        "- pecan",
        "- walnut",
    ]
    assert [n.is_pinned for n in cache.ask(notes_of_scopes, ["shop"])] == [True, False]


def test_marks_hold_for_a_note_that_comes_with_them(cache: Cache) -> None:
    note = Note("shop/a.md", "- walnut\n- almond\n")
    struck = Marks(struck=frozenset({note.entries[0].id}))
    assert cache.apply("c1", [note], [], struck)
    assert not cache.apply("c2", [note], [], struck)
    assert recalled(cache, "walnut almond", "shop") == ["- almond"]


def test_items_of_a_checklist_have_a_lane_and_are_not_recalled(cache: Cache) -> None:
    items = "- [ ] crack the walnut\n- [x] roast the walnut\n1. [ ] sell the walnut\n"
    pad = Note("shop/SCRATCHPAD.md", f"# Mine\n\n- no walnut on Fridays\n{items}")
    notes = [pad, Note("shop/daily/2026-11-20.md", "- 10:00 +0100 bought a walnut\n")]
    elsewhere = [Note("shop/topics/plan.md", "- [ ] plant a walnut\n"), Note("shop/SCRATCHPAD/a.md", items)]
    cache.apply("c1", notes + elsewhere, [], NONE)
    known = ["- no walnut on Fridays", "- 10:00 +0100 bought a walnut", "- [ ] plant a walnut"]
    known += items.splitlines()
    assert sorted(recalled(cache, "walnut", "shop")) == sorted(known)
    assert {hit.path for hit in find(read(cache), "walnut", ["shop"], 10)} == {
        "shop/SCRATCHPAD.md",
        "shop/SCRATCHPAD/a.md",
        "shop/daily/2026-11-20.md",
        "shop/topics/plan.md",
    }
    shown = [entry.text for entry in hook_notes.entries_at(read(cache), "shop/SCRATCHPAD.md")]
    assert shown == ["- no walnut on Fridays", *items.splitlines()]
    struck = Marks(struck=frozenset(entry.id for entry in pad.entries))
    assert cache.apply("c2", [], [], struck)
    assert hook_notes.entries_at(read(cache), "shop/SCRATCHPAD.md") == []
    assert cache.apply("c3", [], [], NONE)
    assert sorted(recalled(cache, "walnut", "shop")) == sorted(known)
    assert cache.is_sound()


def test_the_memory_file_is_delivered_without_what_is_struck(cache: Cache) -> None:
    text = "---\ndescription: d\n---\n\n# Facts\n\n- one\n  of two lines\n- two\n\nthree\n\n"
    note = Note("shop/MEMORY.md", text)
    cache.apply("c1", [note, Note("shop/topics/MEMORY.md", "no")], [], NONE)
    assert (
        hook_notes.memory_text_of(read(cache), "shop") == "# Facts\n\n- one\n  of two lines\n- two\n\nthree"
    )
    cache.apply("c2", [], [], Marks(struck=frozenset({note.entries[0].id, note.entries[2].id})))
    assert hook_notes.memory_text_of(read(cache), "shop") == "# Facts\n\n- two\n"
    assert hook_notes.memory_text_of(read(cache), "global") == ""


def test_line_ends_of_windows_do_not_reach_the_packet(cache: Cache) -> None:
    cache.apply("c1", [Note("shop/MEMORY.md", "- one\r\n  more\r\n- two\r\n")], [], NONE)
    assert hook_notes.memory_text_of(read(cache), "shop") == "- one\n  more\n- two"
    assert [e.entry.text for e in cache.ask(entries_of_scopes, ["shop"])] == ["- one\n  more", "- two"]


def test_handoffs_and_faults(cache: Cache) -> None:
    cache.apply("c1", [], [], NONE, [NewestHandoff("shop", "stop", "2026-01-02T03:04:05Z", "goal\n")])
    cache.apply("c2", [], [], NONE, [NewestHandoff("shop", "later", "2026-01-03T03:04:05Z", "next\n")])
    cache.apply("c3", [], [], NONE)
    handoff = hook_notes.handoff_of(read(cache), "shop")
    assert handoff is not None
    assert (handoff.name, handoff.ts, handoff.text) == ("later", "2026-01-03T03:04:05Z", "next")
    cache.apply("c4", [], [], NONE, [NewestHandoff("shop")])
    assert hook_notes.handoff_of(read(cache), "shop") is None
    cache.change(put_faults, [Fault("note", text) for text in ("b is wrong", "a is wrong", "b is wrong")])
    first, second = hook_cache.faults_of(read(cache))
    assert (first.text, second.text) == ("b is wrong", "a is wrong")
    assert cache.ask(all_faults) == [("note", "b is wrong"), ("note", "a is wrong")]
    cache.change(put_faults, [Fault("note", "c is wrong"), Fault("note", "b is wrong")])
    assert first.hash in [fault.hash for fault in hook_cache.faults_of(read(cache))]
    cache.change(put_faults, [])
    assert hook_cache.faults_of(read(cache)) == []


def test_settling_is_seen_by_hooks(cache: Cache) -> None:
    cache.change(put_round, 1234567890.25)
    cache.change(put_round, 1234567880.0)  # one that began earlier and ends later
    assert cache.ask(last_round_of) == 1234567890.25
    assert float(hook_cache.meta(read(cache))["settled"]) == 1234567890.25


def test_after_the_clock_was_put_back_the_rounds_of_later_are_over_no_more(cache: Cache) -> None:
    cache.change(put_round, time.time() + 3600)
    cache.change(put_round, 1234567890.25)
    assert cache.ask(last_round_of) == 1234567890.25


def test_clearing_forgets_everything(cache: Cache) -> None:
    cache.apply("c1", [Note("shop/a.md", "- walnut")], [], NONE)
    cache.clear()
    assert (cache.head, cache.ask(generation_of)) == ("", 0)
    assert recalled(cache, "walnut", "shop") == []
    assert cache.apply("c1", [Note("shop/a.md", "- walnut")], [], NONE)


@pytest.mark.parametrize("damage", [b"", b"no database " * 500])
def test_a_damaged_file_is_built_anew(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "cache.db"
    path.write_bytes(damage)
    assert hook_cache.open_cache(str(path)) is None
    cache = Cache.open(path)
    assert cache.apply("c1", [Note("shop/a.md", "- walnut")], [], NONE)
    assert recalled(cache, "walnut", "shop") == ["- walnut"]
    cache.close()


def test_damage_found_later_is_cleared(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path / "cache.db")
    cache.apply("c1", [Note(f"shop/{n}.md", f"- walnut {n}\n" * 50) for n in range(50)], [], NONE)
    cache.close()
    with (tmp_path / "cache.db").open("r+b") as file:
        half = os.path.getsize(file.fileno()) // 2  # the layout of its tables comes before
        file.seek(half)
        file.write(b"\xff" * half)
    cache = Cache.open(tmp_path / "cache.db")
    assert not cache.apply("c2", [Note("shop/1.md", "x")], [f"shop/{n}.md" for n in range(50)], NONE)
    assert cache.head == ""
    assert cache.apply("c2", [Note("shop/a.md", "- walnut")], [], NONE)
    assert recalled(cache, "walnut", "shop") == ["- walnut"]
    cache.close()


def test_there_is_one_door_for_questions() -> None:
    """What it holds is asked for by functions beside its tables: a method for each would be another way."""
    its_own = {"open", "close", "clear", "is_sound", "head", "tree", "apply", "fill"}
    assert {name for name in vars(Cache) if name[0] != "_"} == {"ask", "change", *its_own}


@pytest.mark.parametrize("door", ["ask", "change"])
def test_a_question_that_meets_damage_is_asked_again_of_an_empty_cache(cache: Cache, door: str) -> None:
    cache.apply("c1", [Note("shop/a.md", "- walnut")], [], NONE)
    heads = list[str]()

    def question(_: sqlite3.Connection, answer: str) -> str:
        heads.append(cache.head)
        if cache.head:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return answer

    assert getattr(cache, door)(question, "none") == "none"
    assert heads == ["c1", ""]


def test_what_a_question_reads_is_of_one_moment(cache: Cache) -> None:
    cache.apply("c1", [Note("shop/a.md", "- walnut")], [], NONE)

    def question(_: sqlite3.Connection) -> tuple[str, str]:
        before = cache.head
        with closing(Cache.open(cache.path)) as other:
            other.apply("c2", [Note("shop/a.md", "- almond")], [], NONE)
        return before, cache.head

    assert (cache.ask(question), cache.head) == (("c1", "c1"), "c2")


def test_a_change_that_fails_half_way_is_none(cache: Cache) -> None:
    def change(db: sqlite3.Connection) -> None:
        set_meta(db, head="c9")
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        cache.change(change)
    assert cache.head == ""


def test_another_layout_is_built_anew(cache: Cache) -> None:
    cache.apply("c1", [Note("shop/a.md", "- walnut")], [], NONE)
    with sqlite3.connect(cache.path) as db:
        db.execute("update meta set value = 'older' where key = 'format'")
    db.close()
    assert hook_cache.open_cache(str(cache.path)) is None
    again = Cache.open(cache.path)
    assert again.head == ""
    assert again.apply("c1", [Note("shop/a.md", "- walnut")], [], NONE)
    again.close()


def test_what_fails_half_way_leaves_the_cache_as_it_was(cache: Cache) -> None:
    cache.apply("c1", [Note("shop/a.md", "- walnut")], [], NONE)

    def broken() -> Iterator[Note]:
        yield Note("shop/a.md", "- hazel")
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        cache.apply("c2", broken(), ["shop/a.md"], NONE)
    assert (cache.head, cache.ask(generation_of)) == ("c1", 1)
    assert recalled(cache, "walnut", "shop") == ["- walnut"]


_WRITER = """
import pathlib, sys
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.storage.cache.cache import Cache
cache = Cache.open(pathlib.Path(sys.argv[1]))
for n in range(150):
    cache.apply(str(n), [Note(f"shop/{i}.md", f"- walnut {n}") for i in range(5)], [], Marks())
"""


@pytest.mark.slow
def test_hooks_read_whole_generations_while_the_worker_writes(cache: Cache) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(hook_cache.__file__).parents[3])}
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(cache.path)], env=environment)
    seen = set()
    while writer.poll() is None:
        texts = recalled(cache, "walnut", "shop")
        assert len(texts) in (0, 5)
        assert len(set(texts)) <= 1
        seen |= set(texts)
    assert writer.returncode == 0
    assert len(seen) > 3


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=60), max_size=4))
def test_any_note_can_be_kept(tmp_path_factory: pytest.TempPathFactory, notes: dict[str, str]) -> None:
    cache = Cache.open(tmp_path_factory.mktemp("any") / "cache.db")
    given_notes = [Note(f"shop/{name}.md", text) for name, text in notes.items()]
    cache.apply("c1", given_notes, [], NONE)
    assert len(cache.ask(notes_of_scopes, ["shop"])) == sum(is_note(note.path) for note in given_notes)
    assert not cache.apply("c2", given_notes, [], NONE)
    cache.apply("c3", [], [note.path for note in given_notes], NONE)
    assert cache.ask(notes_of_scopes, ["shop"]) == []
    assert cache.ask(entries_of_scopes, ["shop"]) == []
    cache.close()
