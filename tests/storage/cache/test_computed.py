"""The cache keeps doubts beside entries, and tells them as long as an entry says what was judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxrepo.domain.doubts.doubt import Doubt, DoubtKind
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.computed import all_doubts, put_doubts, stamp_of_part, stamp_of_scope
from ctxrepo.storage.cache.entries import entries_of_scopes
from ctxrepo.storage.cache.layout import CachedEntry

NONE = Marks()
NOTE = Note("shop/a.md", "- walnut\n- almond <!-- ^own -->\n")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    cache = Cache.open(tmp_path / "cache.db")
    cache.apply("c1", [NOTE], [], NONE)
    yield cache
    cache.close()


def doubted(cache: Cache) -> dict[str, str]:
    return {known.entry.plain: known.doubt for known in cache.ask(entries_of_scopes, ["shop"])}


def doubt(known: CachedEntry, by: str = "") -> dict[Doubt, str]:
    kind: DoubtKind = "overtaken" if by else "gone"
    words = f"see ^{by}" if by else "gone"
    return {
        Doubt(known.entry.id, known.entry.path, kind, "x", words, "2026-10-03", by, is_sure=True): known.hash
    }


def rivals(cache: Cache) -> list[str]:
    return [row[0] for row in cache._db.execute("select rival from entry order by rowid")]


def test_a_doubt_is_told_until_its_source_finds_it_no_more(cache: Cache) -> None:
    walnut, almond = cache.ask(entries_of_scopes, ["shop"])
    cache.change(put_doubts, "shop", "code", doubt(walnut), "s1")
    cache.change(put_doubts, "shop", "words", doubt(walnut, by="own") | doubt(almond), "s2")
    assert doubted(cache) == {"walnut": "(gone)", "almond": "(gone)"}
    assert rivals(cache) == ["own", ""]
    assert [doubt.kind for doubt in cache.ask(all_doubts)] == ["gone", "overtaken", "gone"]
    assert (cache.ask(stamp_of_part, "code", "shop"), cache.ask(stamp_of_part, "other", "shop")) == ("s1", "")
    cache.change(put_doubts, "shop", "code", {}, "s3")
    assert doubted(cache)["walnut"] == "(see ^own)"
    cache.change(put_doubts, "shop", "words", {}, "s3")
    assert (doubted(cache), rivals(cache)) == ({"walnut": "", "almond": ""}, ["", ""])


def test_an_edit_ends_it_also_where_the_id_stays_and_another_note_does_not(cache: Cache) -> None:
    walnut, almond = cache.ask(entries_of_scopes, ["shop"])
    cache.change(put_doubts, "shop", "code", doubt(walnut) | doubt(almond), "")
    cache.apply("c2", [Note("shop/b.md", "- hazel\n")], [], NONE)
    assert doubted(cache) == {"walnut": "(gone)", "almond": "(gone)", "hazel": ""}
    cache.apply("c3", [Note("shop/a.md", "- walnut\n- almond oil <!-- ^own -->\n")], [], NONE)
    assert doubted(cache) == {"walnut": "(gone)", "almond oil": "", "hazel": ""}
    assert [doubt.entry for doubt in cache.ask(all_doubts)] == [walnut.entry.id]


def test_what_is_superseded_is_in_no_doubt_and_what_is_pinned_does_not_step_back(cache: Cache) -> None:
    walnut, _ = cache.ask(entries_of_scopes, ["shop"])
    cache.change(put_doubts, "shop", "words", doubt(walnut, by="own"), "")
    cache.apply("c2", [], [], Marks(pinned=frozenset({walnut.entry.id})))
    assert (doubted(cache)["walnut"], rivals(cache)) == ("(see ^own)", ["", ""])
    cache.apply("c3", [], [], Marks(struck=frozenset({walnut.entry.id})))
    assert (doubted(cache)["walnut"], cache.ask(all_doubts)) == ("", [])
    cache.apply("c4", [], [], NONE)
    assert rivals(cache) == ["own", ""]


def test_the_stamp_of_a_scope_changes_with_its_notes_alone(cache: Cache) -> None:
    before = cache.ask(stamp_of_scope, "shop")
    cache.apply("c2", [Note("other/b.md", "- hazel\n")], [], NONE)
    assert cache.ask(stamp_of_scope, "shop") == before
    cache.apply("c3", [Note("shop/b.md", "- hazel\n")], [], NONE)
    after = cache.ask(stamp_of_scope, "shop")
    cache.apply("c4", [], ["shop/b.md"], NONE)
    assert after not in (before, cache.ask(stamp_of_scope, "shop"))
