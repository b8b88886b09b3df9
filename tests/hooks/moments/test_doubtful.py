"""An entry in doubt is given with its doubt, once, and one that a newer one overtakes steps back for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import World

from ctxrepo.domain.doubts.doubt import Doubt, DoubtKind
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.computed import put_doubts
from ctxrepo.storage.cache.entries import entries_of_scopes

NOTES = {
    "shop/MEMORY.md": "- Deploy with `make ship`\n- The timeout of payments is 30 seconds\n",
    "shop/topics/pay.md": "- [gotcha] `src/pay.py` retries payments twice\n",
    "shop/topics/net.md": "- The timeout of payments is 60 seconds by now\n",
    "global/preferences.md": "- Use tabs in Makefiles\n\n- Show code like this:\n  ```\n  x\n  ```\n",
}
GONE = "src/pay.py is gone since 2026-10-03"
ASKED = "what is the timeout of payments?"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    return world


def doubt(
    world: World, words: str, kind: DoubtKind = "gone", by: str = "", *, is_sure: bool = False, **about: str
) -> None:
    """Put the entry that has `about` in its text in doubt; `by` has the text of another one."""
    cache = Cache.open(world.folder / "cache.db")
    entries = cache.ask(entries_of_scopes, ["shop", "global"])
    (known,) = (cached for cached in entries if about["about"] in cached.entry.text)
    rival = next((cached.entry.id for cached in entries if by and by in cached.entry.text), "")
    entry = known.entry
    doubt = Doubt(entry.id, entry.path, kind, "", words.format(rival[:7]), "2026-10-03", rival, is_sure)
    doubts = {doubt: known.hash} if words else {}
    cache.change(put_doubts, entry.path.partition("/")[0], about["about"], doubts, "")
    cache.close()


def overtake(world: World, *, is_sure: bool = True) -> None:
    words = "overtaken by ^{}"
    doubt(world, words, "overtaken", by="60 seconds", about="30 seconds", is_sure=is_sure)


def test_a_start_tells_it_right_after_the_entry(world: World) -> None:
    doubt(world, GONE, about="make ship")
    doubt(world, "<b> is gone", about="tabs")
    doubt(world, "code is gone", about="like this")
    text = world.run("SessionStart")
    assert f"- Deploy with `make ship` ({GONE})\n" in text
    assert "- Use tabs in Makefiles (&lt;b> is gone)\n" in text
    assert "  ```\n(code is gone)\n" in text
    assert world.run("SessionStart") == text


def test_a_prompt_and_an_edit_tell_it_and_the_ledger_knows_an_entry_by_its_doubt(world: World) -> None:
    asked = "how often does src/pay.py retry payments, twice?"
    assert "(src" not in world.run("UserPromptSubmit", prompt=asked)
    assert world.run("UserPromptSubmit", prompt=asked) == ""
    doubt(world, GONE, about="retries")
    assert f"retries payments twice ({GONE})\n" in world.run("UserPromptSubmit", prompt=asked)
    assert world.run("UserPromptSubmit", prompt=asked) == ""
    assert world.run("PostToolUse-edit", file=str(world.code / "src/pay.py")) == ""
    doubt(world, "src/pay.py was renamed", about="retries")
    output = world.run("PostToolUse-edit", file=str(world.code / "src/pay.py"))
    assert "retries payments twice (src/pay.py was renamed)\n" in output


def test_where_both_fit_a_prompt_is_given_the_newer_one_alone(world: World) -> None:
    overtake(world)
    text = world.run("UserPromptSubmit", prompt=ASKED)
    assert "60 seconds" in text
    assert "30 seconds" not in text
    assert "is newer and says otherwise" in (world.folder / "traces.jsonl").read_text()


def test_where_it_may_be_about_another_thing_both_come(world: World) -> None:
    overtake(world, is_sure=False)
    text = world.run("UserPromptSubmit", prompt=ASKED)
    assert "60 seconds" in text
    assert "30 seconds (overtaken by ^" in text


def test_where_only_the_older_one_fits_it_comes_marked(world: World) -> None:
    overtake(world)
    cache = Cache.open(world.folder / "cache.db")
    (newer,) = (
        entry.entry.id for entry in cache.ask(entries_of_scopes, ["shop"]) if "60" in entry.entry.text
    )
    cache.apply("c2", [], [], Marks(struck=frozenset({newer})))
    cache.close()
    assert "30 seconds (overtaken by ^" in world.run("UserPromptSubmit", prompt=ASKED)


def test_of_one_memory_md_a_start_gives_the_newer_one_alone(world: World) -> None:
    older = {"shop/MEMORY.md": NOTES["shop/MEMORY.md"] + "- The timeout of payments is 60 seconds by now\n"}
    world.cache("c2", {**NOTES, **older, "shop/topics/net.md": "- nothing\n"})
    overtake(world)
    text = world.run("SessionStart")
    assert "60 seconds by now\n" in text
    assert "30 seconds" not in text
