"""Recall by meaning, in one process."""

from __future__ import annotations

import _sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from checkout import MODEL
from meanings import NOTES

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.errors import ModelUnusable
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.recall.ask_helper import NOTHING
from ctxrepo.hooks.recall.choice import SAID_BEFORE, RecallAnswer, choose
from ctxrepo.hooks.recall.ranking import RecallRequest, telling
from ctxrepo.storage.cache.cache import Cache

FILLER = {f"shop/f{n}.md": f"- filler {n}\n- nothing {n}\n" for n in range(10)}


class Memory:
    def __init__(self, folder: Path) -> None:
        self.owner = Cache.open(folder / "cache.db")
        self.commits = 0
        self.cache: _sqlite3.Connection
        self.write(NOTES | FILLER)
        from ctxrepo.services.meaning.semantic import open_semantic

        self.meanings, self.embedder = open_semantic(str(MODEL), folder, folder / "vectors.db")

    def write(self, notes: dict[str, str]) -> None:
        self.commits += 1
        self.owner.apply(f"c{self.commits}", [Note(p, t) for p, t in notes.items()], [], Marks())
        if self.commits > 1:
            self.cache.close()  # it shows what was there when it was opened
        cache = open_cache(str(self.owner.path))
        assert cache is not None
        self.cache = cache

    def embed(self) -> int:
        from ctxrepo.services.meaning.meanings import embed, pending

        vectors = self.meanings.vectors
        done = embed(vectors, self.embedder, pending(self.cache, vectors), lambda *_: True)
        self.meanings.forget()
        return done

    def answer(
        self,
        prompt: str,
        scopes: tuple[str, ...] = ("shop",),
        *,
        before: Sequence[str] = (),
        limit: int = 1,
        is_gated: bool = True,
    ) -> RecallAnswer:
        from ctxrepo.services.meaning.semantic import rank_by_meaning

        asked = RecallRequest(prompt, list(before), list(scopes), limit)
        return choose(rank_by_meaning(self.cache, self.meanings, self.embedder, asked), is_gated)

    def recall(self, prompt: str, scopes: tuple[str, ...] = ("shop",), **how: Any) -> tuple[str, list[str]]:
        answer = self.answer(prompt, scopes, **how)
        return answer.why, [hit.text for hit in answer.hits]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(tmp_path)
    yield memory
    memory.cache.close()
    memory.owner.close()
    memory.meanings.vectors.close()


def test_other_words_of_the_same_meaning_find_an_entry(memory: Memory) -> None:
    assert memory.embed() > 20
    assert memory.recall("which socket has our storage?") == ("", ["- The postgres endpoint is 5433"])
    assert memory.recall("which hound lives in our office building?") == (
        "",
        ["- The office puppy is called Rex"],
    )


def test_what_lies_far_below_the_best_is_not_given(memory: Memory) -> None:
    memory.embed()
    prompt = "which hound lives in our office building?"
    _, given = memory.recall(prompt, limit=50)
    _, hits = memory.recall(prompt, limit=50, is_gated=False)
    assert given[0] == hits[0] == "- The office puppy is called Rex"
    assert 0 < len(given) < len(hits)


def test_a_model_that_puts_all_texts_near_to_each_other_recalls_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    import numpy as np

    from ctxrepo.services.meaning.meanings import Meanings
    from ctxrepo.storage.meaning.vectors import Embedder, Vectors

    class Near(Embedder):
        def _run(self, texts: Any) -> Any:
            rows = super()._run(texts)
            return np.concatenate([np.full((len(rows), 1), 0.9**0.5), 0.1**0.5 * rows], axis=1)

    memory.meanings.vectors.close()
    memory.embedder = Near(memory.embedder.model)
    memory.meanings = Meanings(Vectors(tmp_path / "near.db", "near"), memory.embedder)
    memory.embed()
    assert memory.meanings.spread < 0.11
    prompt = "which hound lives in our office building?"
    assert memory.recall(prompt) == ("", ["- The office puppy is called Rex"])
    assert memory.recall("write a haiku about autumn leaves")[1] == []


def test_words_come_first_where_the_model_cannot_read_the_prompt(memory: Memory) -> None:
    from ctxrepo.storage.meaning.vectors import Embedder

    class Foreign(Embedder):
        def pieces(self, text: str) -> int:
            return 2 * len(text.split())

    memory.embed()
    prompt = "which hound lives with invoice numbers that begin?"
    dog, invoice = "- The office puppy is called Rex", "- Invoice numbers begin at 1000"
    assert dog in memory.recall(prompt, limit=9, is_gated=False)[1]
    memory.embedder = Foreign(memory.embedder.model)
    assert memory.recall(prompt, limit=9) == ("", [invoice])
    assert dog not in memory.recall(prompt, limit=9, is_gated=False)[1]
    assert memory.recall("which hound lives in our office building?") == ("", [dog])


def test_the_margin_beside_a_prompt_counts_everyday_words_length_and_whether_the_model_can_read_it(
    memory: Memory,
) -> None:
    from ctxrepo.services.meaning.semantic import UNREAD_COUNTS, score_by_meaning
    from ctxrepo.storage.meaning.vectors import Embedder

    class Foreign(Embedder):
        def pieces(self, text: str) -> int:
            return 2 * len(text.split())

    def margins(prompt: str) -> tuple[float, float, float]:
        asked = RecallRequest(prompt, [], ["shop"], 1)
        scores = score_by_meaning(memory.cache, memory.meanings, memory.embedder, asked)
        assert scores is not None
        return scores.margins

    memory.embed()
    prompt, order = "which hound lives in our office building?", "fix the test file of the hound"
    beside, at_edit, alone = margins(prompt)
    assert beside == at_edit == alone
    beside, at_edit, _ = margins(order)
    assert beside == pytest.approx(at_edit * telling(order))
    assert beside < 0.7 * at_edit
    long = f"invoice numbers begin {' '.join(f'filler{n}x' for n in range(80))}"
    beside, at_edit, _ = margins(long)
    assert beside < 0.95 * at_edit * telling(long)
    memory.embedder = Foreign(memory.embedder.model)
    beside, at_edit, _ = margins(prompt)
    assert beside == pytest.approx(at_edit * UNREAD_COUNTS)


@pytest.mark.parametrize(
    ("prompt", "pieces", "is_read"),
    [
        ("which port do the tests need", 7, True),
        ("wohin gehen die abgelehnten nachrichten", 8, False),
        ("テストをもう一度実行して", 11, False),
        ("テストをもう一度実行して", 8, True),
        ("fix parseHTTPBody2 RETRY_LIMIT", 50, True),  # names of code, and hardly a word
        ("", 0, True),
    ],
)
def test_a_language_is_read_whose_words_are_hardly_taken_apart(
    prompt: str, pieces: int, is_read: bool
) -> None:
    from ctxrepo.services.meaning.semantic import can_read
    from ctxrepo.storage.meaning.vectors import Embedder

    class Tokenizer(Embedder):
        def __init__(self) -> None:
            """No model: only its pieces are asked for."""

        def pieces(self, text: str) -> int:
            assert "HTTP" not in text
            return pieces

    assert can_read(Tokenizer(), prompt) == is_read


def test_while_hardly_anything_is_embedded_words_decide(memory: Memory) -> None:
    assert memory.recall("invoice numbers begin where?") == ("", ["- Invoice numbers begin at 1000"])
    assert memory.recall("which socket has our storage?")[1] == []


def test_only_the_scopes_are_looked_into(memory: Memory) -> None:
    memory.embed()
    assert memory.recall("give me rapid replies", ("global",)) == ("", ["- I like swift answers"])
    assert memory.recall("give me rapid replies", ("shop",))[1] == []
    assert memory.recall("give me rapid replies", ())[1] == []


def test_silence_says_why_and_what_it_left_out(memory: Memory) -> None:
    memory.embed()
    prompt = "write a haiku about autumn leaves"
    answer = memory.answer(prompt, limit=3)
    assert (answer.why, answer.hits) == (NOTHING, [])
    assert {reason for _, reason in answer.left_out} == {NOTHING}
    assert len(memory.recall(prompt, is_gated=False, limit=3)[1]) == 3


def test_a_short_prompt_is_read_with_those_before_it(memory: Memory) -> None:
    memory.embed()
    before = ["is the automobile ready?", "and the feline upstairs?"]
    assert memory.recall("what about it then", before=before, is_gated=False)[1] == [
        "- The kitten sleeps upstairs"
    ]


def test_a_vague_order_brings_nothing_of_what_the_prompts_before_it_were_about(memory: Memory) -> None:
    memory.embed()
    before = ["which hound lives in our office building?"]
    assert memory.recall("please repeat that once more", before=before, limit=9) == (SAID_BEFORE, [])
    assert memory.recall("and the puppy?", before=before)[1] == ["- The office puppy is called Rex"]
    upload = ["fix the flaky upload test"]
    assert memory.recall("which socket has our storage?", before=upload)[1] == [
        "- The postgres endpoint is 5433"
    ]


def test_what_changes_is_embedded_and_only_that(memory: Memory) -> None:
    memory.embed()
    assert memory.embed() == 0
    memory.write({"shop/topics/ops.md": "- A rollout takes ten minutes\n- The automobile is blue\n"})
    assert 0 < memory.embed() < 6
    assert memory.recall("what colour has the car today?") == ("", ["- The automobile is blue"])
    assert memory.recall("how are numbers of a billing given?", is_gated=False)[1] != [
        "- Invoice numbers begin at 1000"
    ]


def test_an_entry_that_is_removed_takes_its_meaning_along_though_no_vector_comes(memory: Memory) -> None:
    memory.embed()
    sleeps = "where does the cat nap?"
    assert memory.recall(sleeps, is_gated=False)[1] == ["- The kitten sleeps upstairs"]
    memory.write(
        {"shop/topics/pets.md": "- The kitten sleeps upstairs\n"}
    )  # which has the other's number now
    assert memory.recall(sleeps, is_gated=False)[1] == ["- The kitten sleeps upstairs"]
    hound = "which hound lives in our office building?"
    assert memory.recall(hound)[1] == []


def test_items_of_a_checklist_are_neither_embedded_nor_recalled(memory: Memory) -> None:
    memory.embed()
    memory.write({"shop/SCRATCHPAD.md": "- [ ] order a sofa for the lobby\n- [x] order a lamp\n"})
    assert memory.embed() == 0
    texts = memory.recall("order a couch for the lobby", is_gated=False, limit=50)[1]
    assert texts
    assert not [text for text in texts if "order a" in text]


def test_a_cache_that_is_built_anew_keeps_the_vectors(memory: Memory) -> None:
    memory.embed()
    memory.owner.clear()
    memory.write(NOTES | FILLER)
    assert memory.embed() == 0
    assert memory.recall("which socket has our storage?") == ("", ["- The postgres endpoint is 5433"])


def test_how_far_it_is(memory: Memory) -> None:
    from ctxrepo.services.meaning.meanings import standing

    behind, texts = standing(memory.cache, memory.meanings.vectors)
    assert behind == texts > 20
    memory.embed()
    assert standing(memory.cache, memory.meanings.vectors) == (0, texts)


def test_a_model_that_isnt_there(tmp_path: Path) -> None:
    from ctxrepo.services.meaning.semantic import open_semantic

    with pytest.raises(ModelUnusable, match="isn't on this machine") as caught:
        open_semantic("acme/none", tmp_path, tmp_path / "vectors.db")
    assert "ctxrepo cache embed" in caught.value.hint
