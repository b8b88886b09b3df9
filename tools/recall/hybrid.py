"""Tries what `services/meaning/fusion.py` may be set to, on the development data:

    PYTHONPATH=tests:tools python -m recall.hybrid MODEL WORK

MODEL is a folder with a model, WORK a folder that keeps vectors between two runs. The first table is about
ranking: how often one of the first five entries holds evidence, and which share of it is among the first ten.
The second fits the gate on two memories each and tells what it does to prompts about the third.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.words.prompt_terms import is_left_alone
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.recall.prompt_query import hits_of, score_by_words
from ctxrepo.hooks.recall.ranking import RecallRequest
from ctxrepo.services.meaning.fusion import FUSION, Fusion, Shares, above_usual, fused, in_rare_words, least
from ctxrepo.services.meaning.meanings import Meanings, Space, embed, texts_of
from ctxrepo.services.meaning.semantic import CANDIDATES, LOOKED_AT, open_semantic, text_of
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.entries import all_scopes
from ctxrepo.storage.meaning.vectors import Embedder, digest_of

DATA = Path(__file__).parent / "data"
DEPTH = 10

TRIED = {
    "as it is": FUSION,
    "words alone": replace(FUSION, words_weight=1000.0),
    "meaning alone": replace(FUSION, words_weight=0.0),
    "words count half": replace(FUSION, words_weight=FUSION.words_weight / 2),
    "words count double": replace(FUSION, words_weight=FUSION.words_weight * 2),
    "logs as others": replace(FUSION, log_weight=0.0),
    "logs double": replace(FUSION, log_weight=2 * FUSION.log_weight),
    "a straight line": replace(FUSION, words_power=1.0),
    "squared": replace(FUSION, words_power=2.0),
    "only what it says": replace(FUSION, ranked=Shares(1.0, 0.0, 0.0)),
    "as it is gated": replace(FUSION, ranked=FUSION.gated),
    "without the whole": replace(FUSION, ranked=FUSION.ranked._replace(whole=0.0)),
    "without what's beside": replace(FUSION, ranked=FUSION.ranked._replace(beside=0.0)),
    "without the note's head": replace(FUSION, ranked=FUSION.ranked._replace(note=0.0)),
}


@dataclass
class Prompt:
    """A prompt, what scores it gives the entries, how far they are above the usual by themselves, and the
    places of those that hold evidence."""

    category: str
    words: Any
    meaning: Any
    above: Any
    lines: frozenset[tuple[str, int]]
    is_short: bool

    @property
    def is_null(self) -> bool:
        return self.category.startswith("null")


@dataclass
class Memory:
    name: str
    space: Space
    places: list[tuple[str, int, int]]
    prompts: list[Prompt]


def main(model: str, work: Path) -> None:
    work.mkdir(exist_ok=True)
    for title, how in TRIED.items():
        rows = [row for memory in memories(model, work, how) for row in ranked(memory, how)]
        kinds = sorted({kind for kind, *_ in rows})
        means = " ".join(f"{k} {np.mean([hit for kind, hit, _ in rows if kind == k]):.2f}" for k in kinds)
        hit, share = (np.mean([row[n] for row in rows]) for n in (1, 2))
        print(f"{title:20} hit@5 {hit:.3f} recall@10 {share:.3f}   {means}", flush=True)
    gate(list(memories(model, work, FUSION)))


def memories(model: str, work: Path, how: Fusion) -> Iterator[Memory]:
    with patch("ctxrepo.services.meaning.meanings.FUSION", how):  # the shares are fixed when a space is read
        for folder in sorted(path for path in DATA.iterdir() if path.is_dir()):
            spaces, embedder = open_semantic(model, work, work / "vectors.db")
            yield read(folder, spaces, embedder, work / f"{folder.name}.db")
            spaces.vectors.close()


def read(folder: Path, meanings: Meanings, embedder: Embedder, path: Path) -> Memory:
    owner = Cache.open(path)
    files = sorted((folder / "memory").rglob("*.md"))
    notes = [Note(str(f.relative_to(folder / "memory")), f.read_text("utf-8")) for f in files]
    owner.clear()
    owner.apply("c1", notes, [], Marks())
    cache = open_cache(str(path))
    assert cache is not None
    # Not `pending`, which lets go of what the other memories need.
    texts = {
        digest_of(t): t for scope in all_scopes(cache) for note in texts_of(cache, scope) for t in note.texts
    }
    there = meanings.vectors.some(texts.keys())
    missing = [text for digest, text in texts.items() if digest not in there]
    embed(meanings.vectors, embedder, missing, lambda *_: True)
    scopes = all_scopes(cache)
    space = meanings.of(cache, scopes)
    numbers = space.numbers.tolist()
    hits = {number: hits_of(cache, {number: 0.0}, 1)[0] for number in numbers}
    labels = {row["id"]: row for row in lines_of(folder / "qrels.jsonl")}
    prompts = []
    for query in lines_of(folder / "queries.jsonl"):
        request = RecallRequest(query["query"], query.get("before", []), scopes, DEPTH)
        scored, _ = score_by_words(cache, request.prompt, request.before, scopes, CANDIDATES)
        label = labels[query["id"]]
        lines = frozenset((place["path"], place["line"]) for place in label["relevant"])
        words = np.array([scored.get(number, 0.0) for number in numbers])
        row = embedder.prompt(text_of(request))
        above = above_usual(space.gated @ row, meanings.usual(space.gated), meanings.spread)
        is_short = is_left_alone(request.prompt, bool(request.before))
        prompts.append(Prompt(label["category"], words, space.ranked @ row, above, lines, is_short))
    owner.close()
    cache.close()
    shown = [hits[number] for number in numbers]
    places = [(hit.path, hit.first_line, hit.last_line) for hit in shown]
    return Memory(folder.name, space, places, prompts)


def ranked(memory: Memory, how: Fusion) -> Iterator[tuple[str, float, float]]:
    """(category, whether the first five hold evidence, share of it among the first ten)."""
    for prompt in memory.prompts:
        if prompt.is_null:
            continue
        order = np.argsort(-_scores(memory, prompt, how), kind="stable")
        held = [_held(memory.places[at], prompt.lines) for at in order[:DEPTH].tolist()]
        evidence = frozenset().union(*held)
        yield prompt.category, float(any(held[:5])), len(evidence) / len(prompt.lines)


def _scores(memory: Memory, prompt: Prompt, how: Fusion) -> Any:
    return fused(prompt.words, prompt.meaning, memory.space.is_known, memory.space.is_log, how)


def gate(memories: Sequence[Memory]) -> None:
    print("\ngate: fitted on two, told of the third")
    tables = [features(memory) for memory in memories]
    for number, memory in enumerate(memories):
        others = np.concatenate([table for n, table in enumerate(tables) if n != number])
        weights = fit(others)
        print(f"{memory.name:12} weights {weights.round(2)} {rates_of(tables[number], weights)}")
    all_of_them = np.concatenate(tables)
    print(f"on all: weights {fit(all_of_them).round(2)}")
    for memory, table in zip(memories, tables, strict=True):
        own = np.array([FUSION.meaning_gate, FUSION.words_gate, -least(len(memory.places))])
        print(f"{memory.name:12} as it is {rates_of(table, own, FUSION.words_alone)}")


def features(memory: Memory) -> Any:
    """A row a prompt: meaning and words that stand out, a one, and whether there is an answer."""
    rows = []
    for prompt in memory.prompts:
        first = np.argsort(-_scores(memory, prompt, FUSION), kind="stable")[:LOOKED_AT]
        meant = float(prompt.above[first][memory.space.is_known[first]].max(initial=0.0))
        worded = 0.0 if prompt.is_short else float(in_rare_words(prompt.words).max())
        rows.append((meant, worded, 1.0, float(not prompt.is_null)))
    return np.array(rows)


def fit(table: Any) -> Any:
    """Logistic regression, each kind of prompt counting as much as the other."""
    given, is_answer = table[:, :3], table[:, 3]
    share = np.where(is_answer == 1, 0.5 / is_answer.mean(), 0.5 / (1 - is_answer.mean()))
    weights = np.zeros(3)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (share * (chance - is_answer)) + 0.1 * weights
        bend = (given.T * (share * chance * (1 - chance))) @ given + 0.1 * np.eye(3)
        weights -= np.linalg.solve(bend, slope)
    return weights


def rates_of(table: Any, weights: Any, sure: float = np.inf) -> str:
    passes = (table[:, :3] @ weights >= 0) | (table[:, 1] >= sure)
    is_answer = table[:, 3] == 1
    return f"answers {passes[is_answer].mean():.2f}, speaks without need {passes[~is_answer].mean():.2f}"


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _held(place: tuple[str, int, int], lines: frozenset[tuple[str, int]]) -> frozenset[tuple[str, int]]:
    return frozenset(line for line in lines if line[0] == place[0] and place[1] <= line[1] <= place[2])


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
