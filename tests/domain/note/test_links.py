"""Where wiki links lead."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.links import Moves, leads_to, resolve, spots

NOTES = {
    "shop/topics/redis.md",
    "shop/topics/deep/redis.md",
    "shop/MEMORY.md",
    "shop/Größe.md",
    "global/USER.md",
    "global/topics/git.md",
    "other/topics/secret.md",
}


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("redis", "shop/topics/redis.md"),  # beside it
        ("deep/redis", "shop/topics/deep/redis.md"),
        ("topics/redis.md", "shop/topics/redis.md"),
        ("redis|the cache", "shop/topics/redis.md"),
        ("redis#Ports|ports", "shop/topics/redis.md"),
        ("#Ports", "shop/topics/here.md"),
        ("MEMORY", "shop/MEMORY.md"),
        ("memory", "shop/MEMORY.md"),  # by its name, whatever the case
        ("größe", "shop/Größe.md"),
        ("USER", "global/USER.md"),
        ("git", "global/topics/git.md"),
        ("global:USER", "global/USER.md"),
        ("global/USER.md", "global/USER.md"),
        ("other:topics/secret", "other/topics/secret.md"),
        ("secret", ""),  # other projects are not looked through
        ("gone", ""),
        ("../../etc/passwd", ""),
        (":x", ""),
        ("global:", ""),
    ],
)
def test_where_it_leads(link: str, path: str) -> None:
    assert resolve(link, "shop/topics/here.md", NOTES) == path


def test_a_name_that_two_notes_share_leads_to_neither() -> None:
    assert resolve("redis", "shop/core/here.md", NOTES) == ""


@pytest.mark.parametrize("link", ["deploy", "topics/deploy", "shop/topics/deploy.md", "shop:topics/deploy"])
def test_what_went_to_the_archive_is_found_there(link: str) -> None:
    notes = {"shop/archive/topics/deploy.md", "shop/topics/here.md"}
    assert resolve(link, "shop/topics/here.md", notes) == "shop/archive/topics/deploy.md"
    live = "shop/topics/deploy.md"
    assert resolve(link, "shop/topics/here.md", {*notes, live}) == live


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see [[redis]] and [[ topics/a |A]], [[b#Top]]", ["redis", "topics/a", "b"]),
        ("- [Pay](topics/pay.md) — gist", ["topics/pay.md"]),
        ("[a](<two words.md>) [b](two%20words.md#x 'title')", ["two words.md", "two words.md"]),
        ("[a]: ../a.md\n![img](pic.png) [web](https://x.org/a.md) [top](/etc/a.md)", ["../a.md"]),
        ("`[[code]]` ``[x](y.md)`` [[real]]", ["real"]),
        ("- a\n  ```md\n  [[code]] [x](y.md)\n  ```\n  [[real]]\n~~~\n[[code]]\n~~~\n", ["real"]),
    ],
)
def test_which_links_stand_in_a_text(text: str, names: list[str]) -> None:
    links = spots(text)
    assert [spot.name for spot in links] == names
    assert all(unquote(text[spot.start : spot.end]) == spot.name for spot in links)


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("redis.md", "shop/topics/redis.md"),
        ("./deep/../redis.md", "shop/topics/redis.md"),
        ("../MEMORY.md", "shop/MEMORY.md"),
        ("topics/redis.md", "shop/topics/redis.md"),  # as from the scope's folder
        ("../../global/USER.md", "global/USER.md"),
        ("global/USER.md", "global/USER.md"),
        ("MEMORY.md", "shop/MEMORY.md"),
        ("Redis.md", ""),
        ("../../../etc/passwd.md", ""),
    ],
)
def test_where_a_markdown_link_leads(link: str, path: str) -> None:
    (spot,) = spots(f"[x]({link})")
    assert leads_to(spot, "shop/topics/here.md", NOTES) == path


@pytest.mark.parametrize(
    ("source", "before", "after"),
    [
        ("shop/MEMORY.md", "- [R](topics/redis.md#Ports) — gist", "- [R](core/cache.md#Ports) — gist"),
        (
            "shop/MEMORY.md",
            "[R](<topics/redis.md>)\r\n[r]: ./topics/redis.md",
            "[R](<core/cache.md>)\r\n[r]: core/cache.md",
        ),
        ("shop/topics/x.md", "[[redis]] [[redis.md|R]]", "[[cache]] [[cache.md|R]]"),
        (
            "shop/topics/x.md",
            "[a](redis.md) [b](topics/redis.md)",
            "[a](../core/cache.md) [b](core/cache.md)",
        ),
        (
            "shop/topics/x.md",
            "[[topics/redis#Top|R]] [[shop/topics/redis]]",
            "[[core/cache#Top|R]] [[shop/core/cache]]",
        ),
        (
            "global/USER.md",
            "[[shop:topics/redis]] [x](../shop/topics/redis.md)",
            "[[shop:core/cache]] [x](../shop/core/cache.md)",
        ),
        ("shop/topics/x.md", "[[deep/redis]] `[[redis]]` [[gone]] [[^12ab34]] [[#Top]]", None),
        ("shop/topics/x.md", "```\n[[redis]] [a](redis.md)\n```\n", None),
        ("shop/topics/x.md", "---\ndescription: see [[redis]]\n---\n", None),
        # The note that moves takes its own links along, and leads to itself still:
        (
            "shop/topics/redis.md",
            "[m](../MEMORY.md) [d](deep/redis.md) [[redis]]",
            "[m](../MEMORY.md) [d](../topics/deep/redis.md) [[cache]]",
        ),
    ],
)
def test_a_link_leads_on_to_the_note_that_moved(source: str, before: str, after: str | None) -> None:
    moves = Moves({"shop/topics/redis.md": "shop/core/cache.md"}, NOTES | {"shop/topics/x.md"})
    assert moves.rewrite(source, before) == (before if after is None else after)


def test_a_link_that_is_still_right_stays_as_it_is() -> None:
    moves = Moves(
        {"shop/topics/deploy.md": "shop/archive/topics/deploy.md"}, {"shop/topics/deploy.md", "shop/a.md"}
    )
    text = "[[deploy]] [[topics/deploy.md]] [x](topics/deploy.md)"
    assert moves.rewrite("shop/a.md", text) == text.replace("](", "](archive/")
    to_another_scope = Moves({"shop/topics/redis.md": "global/redis.md"}, NOTES)
    assert to_another_scope.rewrite("shop/MEMORY.md", "[[topics/redis]]") == "[[redis]]"


def test_what_a_path_in_a_markdown_link_can_not_have_is_written_so_that_it_can() -> None:
    moves = Moves({"shop/a.md": "shop/two (b) é.md"}, {"shop/a.md", "shop/x.md"})
    assert (
        moves.rewrite("shop/x.md", "[a](a.md) [b](<a.md>)") == "[a](two%20%28b%29%20é.md) [b](<two (b) é.md>)"
    )


PATHS = st.sampled_from(["shop", "global", "other"]).flatmap(
    lambda top: st.lists(st.sampled_from(["a", "b", "two words"]), min_size=1, max_size=3).map(
        lambda parts: "/".join([top, *parts]) + ".md"
    )
)


@pytest.mark.slow
@given(st.sets(PATHS, min_size=3, max_size=8), st.data())
def test_wherever_notes_move_every_link_leads_to_the_same_note(notes: set[str], data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from(sorted(notes)), unique=True, min_size=1, max_size=3))
    free = data.draw(st.lists(PATHS.filter(lambda p: p not in notes), unique=True, min_size=3, max_size=3))
    moves = Moves(dict(zip(some, free, strict=False)), notes)
    source = data.draw(st.sampled_from(sorted(notes)))
    name = st.sampled_from(["a", "b", "two words", "a/b", "../a", "shop/a", "global:a", "b/two words"])
    links = data.draw(
        st.lists(
            st.builds(
                lambda n, form: form.format(n),
                name,
                st.sampled_from(["[[{}]]", "[[{}#x|y]]", "[l](<{}.md>)"]),
            ),
            max_size=4,
        )
    )
    text = "see " + ", ".join(links) + "\n"
    after = moves.rewrite(source, text)
    here = moves.to.get(source, source)
    was, now = spots(text), spots(after)
    assert len(was) == len(now)
    for old, new in zip(was, now, strict=True):
        if led := leads_to(old, source, notes):
            assert leads_to(new, here, moves.after) == moves.to.get(led, led)


def test_code_ends_at_as_many_backticks_as_it_begins_with() -> None:
    """Else all of it would be code, or none."""
    text = "`` a ` [[b]] `` [[c]] ``` [[d]] `` [[e]] ` [[f]] ``"
    assert [spot.name for spot in spots(text)] == ["c", "d"]
