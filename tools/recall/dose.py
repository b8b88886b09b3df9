"""Prints what doses come to on development data, each memory by numbers chosen on the others:

    PYTHONPATH=tools python tools/recall/dose.py [--model FOLDER] [--most 24] DATA…

For each prompt the ranking is made once; then every dose of a grid is tried on it, with the block as a hook
would show it. `evidence` is delivered, `noise` bytes beside prompts that deserve silence, `waste` bytes that
are no evidence. `now` is the dose of `ctxrepo/hooks/recall/dose.py`, `verdict` what was before it: 8 entries
or none.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from ctxrepo.domain.records.measures import DeliveredBlock, delivered, piece
from ctxrepo.domain.text.block import place
from ctxrepo.hooks.known.cache import EntryHit
from ctxrepo.hooks.packet.recalled import recall_block
from ctxrepo.hooks.recall import recall as by_words
from ctxrepo.hooks.recall import semantic as by_meaning
from ctxrepo.hooks.recall.dose import BY_MEANING, BY_WORDS, Dose
from ctxrepo.hooks.recall.query import weighted_words
from ctxrepo.hooks.recall.recall import RecallAnswer, RecallRequest
from ctxrepo.services.recall.datasets import DataSet, Label, data_sets
from ctxrepo.services.recall.recaller import by_meaning as recaller
from ctxrepo.storage.cache.folder import SCOPE, FolderCache, folder_cache

_RANKED = 60

LEAST = (0.7, 0.75, 0.8, 0.85, 0.9, 1.0)
PER_MARGIN = (5.0, 10.0, 12.0, 15.0, 20.0, 30.0)
SHARE = (0.2, 0.3, 0.4, 0.5, 0.6)


@dataclass(frozen=True)
class Ranked:
    """A prompt: how far its best entry stands out (0: silence, whatever the dose), and its ranking."""

    data: DataSet
    label: Label
    margin: float
    hits: Sequence[EntryHit]
    places: Sequence[str]
    asked: Sequence[str]
    """The words that an entry may say itself, where headings count; none by meaning."""


@dataclass(frozen=True)
class Outcome:
    """Means over prompts: `evidence` and `waste` of those with an answer, `noise` of the others."""

    evidence: float
    noise: float
    waste: float

    def __str__(self) -> str:
        return f"{self.evidence:.3f} evidence, {self.noise:4.0f} noise, {self.waste:4.0f} waste"


def ranked(sets: Iterable[DataSet], model: str) -> Iterator[Ranked]:
    for data in sets:
        with folder_cache(data.memory) as cache:
            asking = (
                recaller(model, Path(), cache.vectors, cache.db) if model else nullcontext(by_words.recall)
            )
            with asking as ask:
                for query in data.queries:
                    seen = _Seen(cache)
                    asked = RecallRequest(query.text, list(query.before), [SCOPE], _RANKED)
                    with seen:
                        ask(cache.db, asked)
                    words = list(weighted_words(asked.prompt, asked.before)) if seen.is_by_words else []
                    yield Ranked(data, data.labels[query.id], seen.margin, seen.hits, seen.places, words)


class _Seen:
    """Listens to what the dose is asked for: the ranking and its margin."""

    def __init__(self, cache: FolderCache) -> None:
        self._cache = cache
        self.margin = 0.0
        self.is_by_words = False
        self.hits: list[EntryHit] = []
        self.places: list[str] = []

    def __enter__(self) -> None:
        self._original = by_words.chosen
        by_words.chosen = by_meaning.chosen = self._chosen

    def __exit__(self, *_: object) -> None:
        by_words.chosen = by_meaning.chosen = self._original

    def _chosen(
        self, hits: list[EntryHit], limit: int, margin: float, dose: Dose, *why: str
    ) -> by_words.RecallAnswer:
        self.margin, self.hits, self.is_by_words = margin, hits, dose is BY_WORDS
        for hit in hits:
            hit.path = self._cache.path_of(hit.path)
        self.places = [place(hit.path, hit.first_line, hit.last_line) for hit in hits]
        return self._original(hits, limit, margin, dose, *why)


def outcome(prompts: Sequence[Ranked], dose: Dose, most: int) -> Outcome:
    evidence, noise, waste = [], [], []
    for one in prompts:
        count = dose.entries(one.margin, most) if one.hits else 0
        floor = one.hits[0].score * dose.share if one.hits else 0.0
        chosen = RecallAnswer("", [hit for hit in one.hits[:count] if hit.score >= floor], [])
        if one.asked:
            chosen = by_words.one_of_each_heading(chosen, list(one.asked))
        block, given = recall_block(chosen.hits, 0, "")
        size = len(block.encode())
        if one.label.is_silent:
            noise.append(size)
        elif one.label.counts:
            where = {hit.id: at for hit, at in zip(one.hits, one.places, strict=True)}
            pieces = [piece(where[hit.id]) for hit in given]
            share, beside = delivered(DeliveredBlock(pieces, size), one.label.evidence, one.data.texts)
            evidence.append(share)
            waste.append(beside)
    return Outcome(*(sum(figures) / max(len(figures), 1) for figures in (evidence, noise, waste)))


def tried(prompts: Sequence[Ranked], most: int) -> list[tuple[Dose, Outcome]]:
    """Every dose of the grid."""
    doses = (Dose(*numbers) for numbers in product(LEAST, PER_MARGIN, SHARE))
    return [(dose, outcome(prompts, dose, most)) for dose in doses]


def best(found: Iterable[tuple[Dose, Outcome]], noise: float) -> tuple[Dose, Outcome]:
    """The dose with the most evidence at so many bytes of noise at most; the quietest if all are louder."""
    found = list(found)
    quiet = [one for one in found if one[1].noise <= noise]
    if not quiet:
        return min(found, key=lambda one: one[1].noise)
    return max(quiet, key=lambda one: (one[1].evidence, -one[1].waste))


def told(dose: Dose) -> str:
    return f"least {dose.least}, {dose.per_margin:g} per margin, share {dose.share}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--most", type=int, default=24)
    wanted = parser.parse_args()
    prompts = list(ranked(data_sets(wanted.data), wanted.model))
    dose = BY_MEANING if wanted.model else BY_WORDS
    verdict = Dose(1.0, 1e9, 0.06 if wanted.model else 0.4)
    before = outcome(prompts, verdict, 8)
    print(f"verdict  {before}\nnow      {outcome(prompts, dose, wanted.most)}   {told(dose)}")
    all_tried = tried(prompts, wanted.most)
    for share in (1.0, 0.8, 0.6, 0.4):
        found, figures = best(all_tried, before.noise * share)
        print(f"best at {share:.1f} of the noise: {figures}   {told(found)}")
    print("crosswise, at no more noise on the others:")
    for folder in {one.data.folder: 0 for one in prompts}:
        others = [one for one in prompts if one.data.folder != folder]
        own = [one for one in prompts if one.data.folder == folder]
        found, _ = best(tried(others, wanted.most), outcome(others, verdict, 8).noise)
        print(f"  {folder.name}: verdict {outcome(own, verdict, 8)}; now {outcome(own, dose, wanted.most)}")
        print(f"    chosen on the others {outcome(own, found, wanted.most)}   {told(found)}")


if __name__ == "__main__":
    main()
