"""What presets make of recalled entries: siblings of keys, lessons apart, and preferred categories."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strict_parser import parse_all
from world import World

from ctxrepo.domain.words.categories import bullet_parts, corrects, key_in
from ctxrepo.hooks.known.cached import EntryHit, open_cache
from ctxrepo.hooks.recall.preset_bias import (
    BY_MEANING,
    BY_WORDS,
    GENERAL,
    MOST_LESSONS,
    by_class,
    lessons_apart,
    siblings,
    stem_of,
)


@pytest.fixture
def world(tmp_path: Any) -> World:
    return World(tmp_path)


def hit(text: str) -> EntryHit:
    return EntryHit((text, "shop/a.md", "", 1, 1, "", text, "h"))


def asked(world: World, prompt: str) -> list[str]:
    blocks = parse_all(world.run("UserPromptSubmit", prompt=prompt))
    return [entry.text for block in blocks for entry in block.entries]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("- [lesson] pin it", ("lesson", "pin it")),
        ("* [Lesson]  pin it", ("lesson", " pin it".strip())),
        ("- pin it", ("", "pin it")),
        ("- [docs](a.md) say so", ("", "[docs](a.md) say so")),
        ("- [ ] open", ("", "[ ] open")),
        ("a paragraph", ("", "a paragraph")),
    ],
)
def test_the_parts_of_a_bullet(text: str, parts: tuple[str, str]) -> None:
    assert bullet_parts(text) == parts


@pytest.mark.parametrize(
    ("text", "key", "stem"),
    [
        ("- project.shop.db.port: 5433", "project.shop.db.port", "project.shop.db."),
        ("- [fact] Project.Shop.Port: 1", "project.shop.port", "project.shop."),
        ("- shop.port: 1", "shop.port", ""),
        ("- port: 1", "port", ""),
        ("- no key here: 1", "", ""),
        ("- https://x.example: 1", "", ""),
        ("- a.b.c:1", "", ""),
    ],
)
def test_keys_of_three_segments_have_siblings(text: str, key: str, stem: str) -> None:
    assert key_in(text) == key
    assert stem_of(key) == stem


NAMES = ("host", "name", "pool", "port", "role", "user", "zone")
DB = [f"- project.shop.db.{name}: value-{name}\n" for name in NAMES]
OTHERS = ["- project.shop.web.port: 80\n", "- project.shop.db.x.deep: 1\n", "- shop.db: none\n"]
NOTES = {
    "shop/topics/facts.md": "".join([*DB, *OTHERS]),
    "other/facts.md": "- project.shop.db.far: 1\n",
}


def test_a_key_brings_its_siblings_in_the_order_of_keys(world: World) -> None:
    world.cache("c1", NOTES)
    cache = open_cache(str(world.folder / "cache.db"))
    assert cache is not None
    with closing(cache):
        hits = siblings(cache, [hit(DB[3].strip())], ["shop", "global"], BY_MEANING)
        assert [hit.text for hit in hits] == [line.strip() for line in DB], "of this scope alone"
        assert len(siblings(cache, [hit(DB[3].strip())], ["shop"], BY_WORDS)) == 5
        assert siblings(cache, [hit("- shop.db: none")], ["shop"], BY_WORDS) == []


@pytest.mark.parametrize(("preset", "count"), [("", 1), ("scored", 1), ("semantic", 6)])
def test_only_the_preset_semantic_brings_them(world: World, preset: str, count: int) -> None:
    world.cache("c1", NOTES)
    world.compile(preset=preset, gate="off", recall_limit="1")
    texts = asked(world, "what does value-port stand for?")
    assert texts[0] == "- project.shop.db.port: value-port"
    assert len(texts) == count
    assert texts[1:] == sorted(texts[1:])


def test_lessons_come_last_corrections_first_and_fifteen_at_most() -> None:
    hits = [hit(f"- [lesson] do {n}") for n in range(9)] + [hit(f"- [gotcha] never {n}") for n in range(9)]
    ranking = lessons_apart([*hits, hit("- a fact")])
    texts = [hit.text for hit in ranking]
    assert texts[0] == "- a fact"
    assert len(texts) == 1 + MOST_LESSONS
    assert [corrects(text) for text in texts[1:]] == [True] * 6 + [False] * 9


@pytest.mark.parametrize(
    ("prompt", "first", "most"),
    [
        ("please review the PR of the parser", "- [lesson] 6", 7),
        ("prepare the release 2.1", "- [decision] 4", 6),
        ("why does the parser crash?", "- [mistake] 5", 7),
        ("where are the fixtures?", "- fact 0", GENERAL),
    ],
)
def test_what_a_prompt_is_about_prefers_categories(prompt: str, first: str, most: int) -> None:
    texts = [f"- fact {n}" for n in range(4)] + ["- [decision] 4", "- [mistake] 5", "- [lesson] 6"]
    texts += [f"- fact {n}" for n in range(7, 12)]
    ranking = [choice.text for choice in by_class(prompt, [hit(text) for text in texts])]
    assert len(ranking) == most
    if most == GENERAL:
        assert ranking == texts[:GENERAL], "nothing moves"
    else:
        moved = texts.index(first)
        assert ranking.index(first) <= moved - 3 + 2, "three places, beside others that moved"


@given(
    st.lists(st.sampled_from(["- [lesson] a", "- [mistake] b", "- c", "- [done] d"]), max_size=12),
    st.text(max_size=20),
)
def test_a_bias_only_puts_in_order(texts: list[str], prompt: str) -> None:
    hits = [EntryHit((str(n), "p", "", 1, 1, "", text, "h")) for n, text in enumerate(texts)]
    ranking = by_class(prompt, hits)
    assert {hit.id for hit in ranking} <= {hit.id for hit in hits}
    assert len({hit.id for hit in ranking}) == len(ranking)
